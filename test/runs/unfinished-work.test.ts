import type { RequestHook } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** What an agent left unfinished, where something is wrong with that or with where it goes. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

/** The agent writes a half and does the steps of the test; whoever knows that it has begun does the rest. */
const script = (steps: string) => `turns:
  - on: { prompt: [PREVIOUS ACTIONS LOG, I have begun] }
    steps:
      - { append: notes.txt, content: "the rest\\n" }
  - steps:
      - { say: I have begun }
      - { append: notes.txt, content: "half\\n" }
      ${steps}
`;

const asks = '- { ask: Which language? }';

const config = (more = '') => `version: 1
agent: { use: scripted, script: script.yml }
verifiers:
  - { name: test, run: "true" }
sandbox: off
${more}`;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

afterEach(() => fixture.end());

interface Playing {
  readonly steps?: string;
  readonly more?: string;
  readonly onRequest?: RequestHook;
}

async function starts({ steps = asks, more, onRequest }: Playing = {}): Promise<void> {
  fixture = await startRunsFixture(saved, undefined, { ...(onRequest && { onRequest }) });
  const files = { '.github/coxswain.yml': config(more), 'script.yml': script(steps) };
  await fixture.forge.seed.commit('acme/api', files);
}

async function state(): Promise<State> {
  const found = (await fixture.run(number).run.readLedger())?.state;
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

async function notes(): Promise<string> {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, path: 'notes.txt', ref: pull.head.sha });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
}

async function promptOf(attempt: number): Promise<string> {
  return (await fixture.run(number).run.artefact(`iterations/0/${attempt}/implement/prompt.md`)) ?? '';
}

const onThisMachine = /only on the machine where it ran, because .*creations being restricted/;

function refusesToKeep(): void {
  fixture.forge.seed.protect('acme/api', 'refs/coxswain/kept/*/*', { forbid_create: true });
}

test('what GitHub does not keep stays on this machine, which is said, and goes on there', async () => {
  await starts();
  refusesToKeep();
  await fixture.says('ada', 1, '/run');
  const { standing, parked } = await state();
  expect(standing.phase).toBe('awaiting_answer');
  expect(parked?.work).toMatchObject({ kept: null, refusal: expect.stringContaining('GH013') });
  expect((await fixture.appComments(number)).join('\n')).toMatch(onThisMachine);
  await fixture.says('ada', number, '/answer Go');
  expect(await state()).toMatchObject({ standing: { phase: 'awaiting_approval' }, attempts_used: 1 });
  expect(await notes()).toBe('half\nthe rest\n');
});

test('on another machine an agent whose work was not kept is told that it is gone', async () => {
  await starts();
  refusesToKeep();
  await fixture.says('ada', 1, '/run');
  await fixture.restart();
  await fixture.says('ada', number, '/answer Go');
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect(await notes()).toBe('the rest\n');
  expect(await promptOf(2)).toContain('What you had changed no longer exists');
});

test('a push of unfinished work that fails once is tried again', async () => {
  let failures = 0;
  const onRequest: RequestHook = async ({ path, body }, next) => {
    const keeps = path.endsWith('/git-receive-pack') && body.includes('refs/coxswain/kept/');
    if (!keeps || failures > 0) return next();
    failures += 1;
    return { status: 503, headers: {}, body: 'busy' };
  };
  await starts({ onRequest });
  await fixture.says('ada', 1, '/run');
  expect(failures).toBe(1);
  expect((await state()).parked?.work?.kept).toMatch(/^refs\/coxswain\/kept\//);
  await fixture.restart();
  await fixture.says('ada', number, '/answer Go');
  expect(await notes()).toBe('half\nthe rest\n');
});

test('an attempt after one that was too long for its budget goes on when people raise it', async () => {
  const steps = ['more', 'and more'].map((text) => `- { append: notes.txt, content: "${text}\\n" }`);
  await starts({ steps: steps.join('\n      '), more: 'limits: { tool_calls: 2 }\n' });
  await fixture.says('ada', 1, '/run');
  expect((await state()).standing).toMatchObject({ interrupt: { type: 'budget_exceeded' } });
  await fixture.says('mia', number, '/budget +10 calls');
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect(await notes()).toMatch(/^half\nmore\n(and more\n)?the rest\n$/);
});

test('files on which the set-up fails are set aside, and the next attempt begins without them', async () => {
  const setup = 'setup: ["! grep -q half notes.txt"]\n';
  await starts({ steps: '- { fail: the model is gone }', more: setup });
  await fixture.says('ada', 1, '/run');
  const { standing, attempts, parked } = await state();
  expect(standing.phase).toBe('awaiting_approval');
  expect(attempts).toMatchObject([
    { failure: { message: 'the model is gone' } },
    { failure: { kind: 'setup' } },
    { failure: null },
  ]);
  expect(parked).toBeUndefined();
  expect(await notes()).toBe('the rest\n');
});
