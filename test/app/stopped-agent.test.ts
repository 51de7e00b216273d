import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { type Barrier, startBarrier, waitingAt } from './barrier.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** What an agent did before it was stopped is there for the next one, whoever or whatever stopped it. */
let fixture: AppFixture;
/** Where the agent of one test waits. */
let barrier: Barrier;

/** Does half of its work and is stopped; if it finds that and reads of it, it does the rest. */
const agent = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
${waitingAt}
const prompt = readFileSync(0, 'utf8');
const [, order, subject] = [...prompt.matchAll(/agent: ([\\w-]+)(?: (\\S+))?/g)].at(-1) ?? [];
const found = existsSync('src/half.txt');
const read = /--- PREVIOUS ACTIONS LOG ---[^]*I did half of it/.test(prompt);
appendFileSync('src/half.txt', found && read ? 'the rest\\n' : 'half\\n');
console.log(found ? 'I did the rest of it' : 'I did half of it');
if (!found && order === 'wait') await passed(subject);
if (!found && order === 'crash') process.exit(3);
writeFileSync(process.env.COXSWAIN_REPORT_FILE, JSON.stringify({ summary: 'Did it', status: 'done', tool_calls: [] }));
`;

beforeAll(async () => {
  fixture = await startAppFixture({ files: { 'tools/agent.mjs': agent } });
});

beforeEach(async () => {
  barrier = await startBarrier();
});

afterEach(async () => {
  await barrier.close();
  expectNoProblems(fixture);
});

afterAll(() => fixture.end());

/** An agent that has done half of its work, and waits. */
async function halfDone(): Promise<PullClient> {
  const pull = await fixture.ada.starts(`agent: wait ${barrier.path}`);
  await barrier.reached();
  return pull;
}

async function expectWhole(pull: PullClient): Promise<void> {
  await pull.waitForPhase('awaiting_approval');
  const place = { ...at, path: 'src/half.txt', ref: await pull.head() };
  const { data } = await fixture.ada.octokit.rest.repos.getContent(place);
  const text = 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
  expect(text).toBe('half\nthe rest\n');
  expect(problemsIn(await pull.ledger())).toEqual([]);
}

/** Waits until what the stopped agent left is in the ledger. */
async function expectParked(pull: PullClient): Promise<void> {
  const { state } = await pull.waitForEvents('work_parked');
  expect(state).toMatchObject({ attempt: 1, attempts_used: 0, parked: { because: 'stopped', attempt: 1 } });
  expect(state.parked?.work?.kept).toMatch(/^refs\/coxswain\/kept\//);
}

test('an App that is stopped keeps what its agents did, and the next process goes on from it', async () => {
  const pull = await halfDone();
  expect(await fixture.app.stop()).toBe(0);
  await expectParked(pull);
  await fixture.start();
  await expectWhole(pull);
  expect((await pull.ledger()).state).toMatchObject({ attempt: 2, attempts_used: 1 });
});

test('a run that is paused in the middle goes on from there', async () => {
  const pull = await halfDone();
  await fixture.ada.says(pull, '/pause');
  await pull.waitForPhase('paused');
  await expectParked(pull);
  await fixture.ada.says(pull, '/resume');
  await expectWhole(pull);
  expect((await pull.ledger()).state).toMatchObject({ attempt: 2, attempts_used: 1 });
});

test('a run that was interrupted goes on from there when it is retried', async () => {
  const pull = await halfDone();
  await fixture.ada.says(pull, '/interrupt');
  await pull.waitForPhase('awaiting_resolution');
  await expectParked(pull);
  await fixture.ada.says(pull, '/retry');
  await expectWhole(pull);
});

test('a steer that does not wait begins with what was there', async () => {
  const pull = await halfDone();
  await fixture.ada.says(pull, '/steer --now agent: work');
  await expectWhole(pull);
  const { state } = await pull.ledger();
  expect(state).toMatchObject({ iteration: 1, attempt: 1 });
});

test('the attempt after a crash goes on with what was there', async () => {
  const pull = await fixture.ada.starts('agent: crash');
  await expectWhole(pull);
  const { state } = await pull.ledger();
  expect(state).toMatchObject({ attempt: 2, attempts_used: 2, attempts: [{ outcome: 'failed' }, {}] });
});
