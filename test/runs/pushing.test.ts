import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adapters, probeSandbox } from '../../src/agent/index.ts';
import { attempt } from '../../src/engine/attempt.ts';
import type { State } from '../../src/steering/state/state.ts';
import { anIteration } from '../github/show/state.ts';
import { at, branch, type GivenRun, type OpenRun, startGivenRun } from './given-run.ts';

/** Where the commits of an agent go, whatever a ledger says. */
let given: GivenRun;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coxswain-pushing-'));
  given = await startGivenRun();
});

afterAll(async () => {
  await given.end();
  await rm(home, { recursive: true, force: true });
});

/** A queued run, changed as given, after its attempt. */
async function attempted(changed: Partial<State['run']>): Promise<OpenRun> {
  const standing = { phase: 'queued', work: 'attempt' } as const;
  const state = given.waiting({ standing, shown: null, attempt: 0, attempts_used: 0 });
  const iterations = [anIteration({ landed: false, head_before: given.head, head_after: given.head })];
  const open = given.open({ ...state, iterations, run: { ...state.run, ...changed } });
  const { clock, log } = given.services;
  const sandbox = await probeSandbox('off');
  const kit = { workRoot: join(home, 'work'), sandbox, adapters, secrets: [] };
  const services = {
    clock,
    log,
    nextHolder: () => 'h',
    holdQuestionsMs: 0,
    hasOthers: () => false,
    resources: async (mirror) => ({ ...kit, mirror }),
  } as const satisfies Parameters<typeof attempt>[1]['services'];
  const signal = new AbortController().signal;
  const silent = () => undefined;
  const told = { onLeased: silent, onLive: silent, onState: silent, onWaiting: silent };
  await attempt(open.run, { services, holder: 'h', signal, ...told });
  return open;
}

test('an agent’s commits are pushed to the branch of the pull request', async () => {
  const { moves } = await attempted({});
  expect(moves).toMatchObject([{ branch, from: given.head }]);
});

test.each(['main', 'other'])('they are not pushed to %s, even if the ledger names it', async (named) => {
  const { people, forge } = given;
  const { data: main } = await people.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
  if (named === 'other')
    await people.ada.rest.git.createRef({ ...at, ref: 'refs/heads/other', sha: main.object.sha });
  const { moves, events } = await attempted({ branch: named });
  expect(moves).toEqual([]);
  expect(events.find(({ type }) => type === 'work_failed')).toMatchObject({
    failure: { kind: 'push_refused', message: expect.stringContaining(`${named} is not pushed to`) },
    kept: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(
    forge.requests.git.some(
      ({ path, actor }) => path.endsWith('receive-pack') && actor.startsWith('coxswain'),
    ),
  ).toBe(false);
});
