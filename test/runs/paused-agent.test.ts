import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestHook } from '@coxswain/forge';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** An agent that really runs is ended by /pause with all that it started, and goes on after /resume. */
let saved: SavedForge;
let fixture: RunsFixture;
/** Where the agent names its processes, and finds whether it may finish. */
let folder: string;
const number = 2;

const config = `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers:
  - { name: test, run: "true" }
sandbox: off
`;

const agent = (dir: string) => `[ -e notes.txt ] && echo the rest >> notes.txt || echo half > notes.txt
if [ -e ${dir}/finish ]; then exit 0; fi
sleep 600 &
echo "$$ $!" > ${dir}/began
mv ${dir}/began ${dir}/processes
wait
`;

/** How many pushes of what a stopped agent left fail. */
let failing = 0;
const onRequest: RequestHook = async ({ path, body }, next) => {
  const keeps = path.endsWith('/git-receive-pack') && body.includes('refs/coxswain/kept/');
  if (!keeps || failing === 0) return next();
  failing -= 1;
  return { status: 503, headers: {}, body: 'busy' };
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-paused-'));
  const files = { '.github/coxswain.yml': config, 'agent.sh': agent(folder) };
  saved = await saveForge(async ({ ada, forge }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await forge.seed.commit('acme/api', files);
  });
  fixture = await startRunsFixture(saved, undefined, { onRequest });
});

afterEach(async () => {
  await fixture.end();
  await saved.remove();
  await rm(folder, { recursive: true, force: true });
});

async function state(): Promise<State | undefined> {
  return (await fixture.run(number).run.readLedger())?.state;
}

/** The ids of the agent and of what it started, once it is at work. */
async function processes(): Promise<readonly number[]> {
  const named = () => readFile(join(folder, 'processes'), 'utf8').catch(() => '');
  await expect.poll(named).not.toBe('');
  return (await named()).trim().split(' ').map(Number);
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whatever adopts what is left of a process may take a moment for it. */
async function expectGone(ids: readonly number[]): Promise<void> {
  await expect.poll(() => ids.filter(isThere)).toEqual([]);
}

async function notes(): Promise<string> {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, path: 'notes.txt', ref: pull.head.sha });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
}

test('a pause ends the processes of the agent, and what it did is there when it is resumed', async () => {
  const starting = fixture.says('ada', 1, '/run');
  const ids = await processes();
  expect(ids.map(isThere)).toEqual([true, true]);
  await fixture.says('bob', number, '/pause I have to look first');
  await starting;
  await expectGone(ids);
  expect(await state()).toMatchObject({
    standing: { phase: 'paused', why: 'asked', asked: { by: 'bob', stood: { due: { work: 'attempt' } } } },
    ...{ attempt: 1, attempts_used: 0, parked: { because: 'stopped', iteration: 0, attempt: 1 } },
  });
  await fixture.sweep();
  expect((await state())?.standing.phase).toBe('paused');

  await writeFile(join(folder, 'finish'), '');
  await fixture.says('bob', number, '/resume');
  expect(await state()).toMatchObject({
    ...{ standing: { phase: 'awaiting_approval' }, attempt: 2, attempts_used: 1 },
  });
  expect(await notes()).toBe('half\nthe rest\n');
});

test('what was paused stays so in a process that is started later, which goes on when it is resumed', async () => {
  const starting = fixture.says('ada', 1, '/run');
  const ids = await processes();
  await fixture.says('bob', number, '/pause');
  await starting;
  await fixture.restart();
  await fixture.sweep();
  expect((await state())?.standing.phase).toBe('paused');
  await expectGone(ids);
  await writeFile(join(folder, 'finish'), '');
  await fixture.says('bob', number, '/resume');
  expect((await state())?.standing.phase).toBe('awaiting_approval');
  expect(await notes()).toBe('half\nthe rest\n');
});

test('what a paused agent did is kept also if GitHub does not take it at first', async () => {
  const starting = fixture.says('ada', 1, '/run');
  await processes();
  failing = 2;
  await fixture.says('bob', number, '/pause');
  await starting;
  expect(failing).toBe(0);
  expect(await state()).toMatchObject({ standing: { phase: 'paused' }, parked: { because: 'stopped' } });
  await writeFile(join(folder, 'finish'), '');
  await fixture.says('bob', number, '/resume');
  expect(await notes()).toBe('half\nthe rest\n');
});
