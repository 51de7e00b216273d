import { expect, onTestFinished, test } from 'vitest';
import { WorkingTime } from '../../src/agent/attempt/attempt-limits.ts';
import { Host } from '../../src/agent/attempt/host.ts';
import { ReasoningLog } from '../../src/agent/port/agent-activity.ts';
import { type Live, type PermissionRequest, parking } from '../../src/agent/port/agent-adapter.ts';
import { textOfCall } from '../../src/steering/permission/permitted-calls.ts';
import type { AskedCall } from '../../src/steering/shapes/attempt-result.ts';
import type { AskedQuestion } from '../../src/steering/shapes/question.ts';
import { usualQuestions } from '../../src/steering/shapes/question.ts';
import type { State } from '../../src/steering/state/state.ts';
import { settingsOf, stateOf } from './states.ts';

const quiet = new AbortController().signal;
const deploys = execute('kubectl delete namespace shop');

function execute(command: string, title = command): PermissionRequest {
  return { kind: 'execute', title, command };
}

/** A host in a sandbox, and people who allow everything. */
function hosting(state: Partial<State> = {}) {
  const asked: AskedCall[] = [];
  let held: Promise<void> = Promise.resolve();
  const questions: AskedQuestion[] = [];
  const log = new ReasoningLog(() => new Date('2025-08-28T15:30:45.123Z'));
  const live: Live = {
    question: async (question, signal) => {
      questions.push(question);
      if (signal.reason === parking) return { kind: 'parked' };
      return { kind: 'answered', text: 'the first\nof "two"', by: 'ada' };
    },
    awaitsAnswer: () => false,
    ask: async (call) => {
      asked.push(call);
      await held;
      return { allowed: true, why: '' };
    },
    attend: () => () => undefined,
    progress: () => undefined,
    allowedRules: () => [],
    limits: () => ({ minutes: 30 }),
  };
  const time = new WorkingTime(60_000);
  onTestFinished(() => time.stop());
  const nothing = (): void => undefined;
  const options = { state: stateOf(state), live, log, time, sandboxed: true, secrets: [] };
  /** From now on people answer only when this has been called. */
  const hold = (): (() => void) => {
    let release = nothing;
    held = new Promise((resolve) => (release = resolve));
    return () => release();
  };
  const parked: true[] = [];
  const on = { onTooManyCalls: nothing, onEvent: nothing, onParked: () => void parked.push(true) };
  return { asked, questions, hold, log, parked, host: new Host({ ...options, ...on }) };
}

function does(host: Host, id: string, call: PermissionRequest, done?: PermissionRequest): void {
  host.event({ type: 'tool_open', id, ...call });
  host.event({ type: 'tool_close', id, outcome: 'ok', ...(done !== undefined && { done }) });
}

test('what people allowed is allowed for one call, and the next one was made unasked', async () => {
  const { host, asked } = hosting();
  expect(await host.decide(deploys, quiet)).toEqual({ allow: true });
  expect(asked).toMatchObject([{ command: deploys.command }]);
  does(host, '1', deploys);
  expect(host.ran).toEqual([]);
  does(host, '2', deploys);
  expect(host.ran).toMatchObject([{ rule: 'changes-production', severity: 'critical' }]);
});

test.each([
  ['an escape sequence', 'kubectl delete pod a \u001b];./evil\u0007', /characters that people would not see/],
  ['a text direction mark', 'kubectl delete pod a \u202e;live', /characters that people would not see/],
  ['what looks like a key', 'kubectl delete pod "-----BEGIN PRIVATE KEY"; ./evil', /looks like a secret/],
  ['blanks', `kubectl delete pod a${' '.repeat(200)}; ./evil`, /blank/],
  ['empty lines', `kubectl delete pod a${'\n '.repeat(30)}; ./evil`, /blank/],
  ['length', `kubectl delete pod ${'a'.repeat(4_000)}`, /too long/],
])('people are not asked about a command of which a part is hidden by %s', async (_, command, why) => {
  const { host, asked } = hosting();
  expect(await host.decide(execute(command), quiet)).toEqual({
    allow: false,
    reason: expect.stringMatching(why),
  });
  expect(asked).toEqual([]);
});

test('people are asked about an emoji, and about code that is deeply indented', async () => {
  const { host, asked } = hosting();
  const command = `kubectl delete pod a # \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f\n${' '.repeat(40)}ls`;
  expect(await host.decide(execute(command), quiet)).toEqual({ allow: true });
  expect(asked).toMatchObject([{ command }]);
});

test('a call that does something else than what was allowed under its title was made unasked', async () => {
  const { host } = hosting();
  await host.decide(deploys, quiet);
  does(host, '1', execute('kubectl delete namespace bank', deploys.title));
  expect(host.ran).toMatchObject([{ evidence: expect.stringContaining('namespace bank') }]);
});

test('what a call did is judged also if its agent names the command only afterwards, or another one', () => {
  const { host } = hosting();
  does(host, '1', { kind: 'other', title: 'Tidy up' }, deploys);
  does(host, '2', execute('npm test'), execute('psql app -c "DROP TABLE users"'));
  expect(host.ran.map(({ rule }) => rule)).toEqual(['changes-production', 'drops-data']);
});

test('people are not asked about a call that names more files than they are shown', async () => {
  const { host, asked } = hosting();
  const paths = Array.from({ length: 21 }, (_, n) => `keys/${n}.pem`);
  const reads = { ...deploys, paths };
  expect(await host.decide(reads, quiet)).toEqual({
    allow: false,
    reason: 'it names more files than the 20 that people are shown: ask about fewer at once',
  });
  expect(asked).toEqual([]);
  expect(await host.decide({ ...reads, paths: paths.slice(1) }, quiet)).toEqual({ allow: true });
  expect(asked[0]?.paths).toHaveLength(20);
});

test.each([
  ['with characters that nobody sees', 'a\u202Eyml.ic'],
  ['whose end would not be shown', `${'a/'.repeat(160)}id_rsa`],
])('people are not asked about a file %s', async (_, path) => {
  const { host, asked } = hosting();
  expect(await host.decide({ ...deploys, paths: ['README.md', path] }, quiet)).toEqual({
    allow: false,
    reason: 'it names a file whose whole name people cannot be shown: rename it first',
  });
  expect(asked).toEqual([]);
});

test('what an agent did very often does not hide what it did once', () => {
  const { host } = hosting();
  for (let n = 0; n < 60; n += 1) does(host, `${n}`, execute(`kubectl delete namespace ${n}`));
  does(host, 'last', execute('psql app -c "DROP TABLE users"'));
  expect(host.ran).toHaveLength(11);
  expect(host.ran.at(-1)).toMatchObject({ rule: 'drops-data', severity: 'critical' });
});

test('people are asked three times in an attempt, and no more', async () => {
  const { host, asked } = hosting();
  for (let n = 0; n < 3; n += 1) expect(await host.decide(deploys, quiet)).toEqual({ allow: true });
  expect(await host.decide(deploys, quiet)).toEqual({
    allow: false,
    reason: 'people were asked 3 times in this attempt already',
  });
  expect(asked.map(({ id }) => id)).toEqual(['ask-1', 'ask-2', 'ask-3']);
});

test('calls that nobody waits for any more are put before nobody, and use up no question', async () => {
  const { host, asked, hold } = hosting();
  const withdrawn = new AbortController();
  const release = hold();
  const waiting = ['a', 'b', 'c', 'd'].map((name) =>
    host.decide(execute(`kubectl delete namespace ${name}`), withdrawn.signal),
  );
  await expect.poll(() => asked.length).toBe(1);
  withdrawn.abort();
  release();
  const denied = { allow: false, reason: 'it was withdrawn' };
  expect(await Promise.all(waiting)).toEqual([{ allow: true }, denied, denied, denied]);
  expect(asked).toHaveLength(1);
  for (let n = 0; n < 2; n += 1) expect(await host.decide(deploys, quiet)).toEqual({ allow: true });
});

test('an answer reaches the agent, and the log in one line', async () => {
  const { host, questions, log } = hosting();
  const asked = { question: ' Which sum? ', options: ['The first', 'the  second'], default: 'THE FIRST' };
  expect(await host.ask(asked, quiet)).toEqual({ kind: 'answered', text: 'the first\nof "two"', by: 'ada' });
  expect(questions).toEqual([
    { id: 'question-1', question: 'Which sum?', options: ['The first', 'the second'], default: 'The first' },
  ]);
  const line = '[2025-08-28 15:30:45] [USER_INPUT] User answered: "the first\\nof "two""\n\n';
  expect(log.text().endsWith(line)).toBe(true);
});

const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

test.each([
  [{ question: ' ' }, /empty/],
  [{ question: 'x'.repeat(1_201) }, /1201 characters.*at most 1200/],
  [{ question: 'Which?', context: 'x'.repeat(401) }, /at most 400/],
  [
    { question: 'Which?', options: Array.from({ length: 26 }, (_, nth) => `${nth}`) },
    /26 options.*at most 25/,
  ],
  [{ question: 'Which?', options: ['a', 'x'.repeat(201)] }, /option 2 has 201 characters/],
  [{ question: 'Which?', options: ['a', ' '] }, /option 2 is empty/],
  [{ question: 'Which?', options: ['Yes', ' yes '] }, /two options read "Yes"/],
  [{ question: 'How many?', options: ['2', '1'] }, /"2" would be read as the number of another/],
  [{ question: 'Which?', options: ['a', 'b'], default: 'c' }, /none of the options/],
  [{ question: 'Which?', on_timeout: 'sometimes' }, /none of default, block, fail/],
  [{ question: 'Which?', default: 'a', on_timeout: 'default' }, /looser than `block`/],
  [{ question: 'Which?\u200b' }, /would not see/],
  [{ question: `Is ${secret} right?` }, /looks like a secret/],
])('what is wrong with a question is told to the agent: %j', async (question, reason) => {
  const { host, questions } = hosting();
  expect(await host.ask(question, quiet)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
  expect(questions).toEqual([]);
});

test('an agent can put only so many questions into the ledger, be they always the same', async () => {
  const { host, questions } = hosting();
  const all = Array.from({ length: 100 }, () => host.ask({ question: 'Which?' }, quiet));
  expect((await Promise.all(all)).filter(({ kind }) => kind === 'answered')).toHaveLength(25);
  expect(questions).toHaveLength(25);
});

test('a stricter end is allowed, and none if questions are switched off', async () => {
  const { host, questions } = hosting();
  await host.ask({ question: 'Which?', on_timeout: 'fail' }, quiet);
  expect(questions).toMatchObject([{ on_timeout: 'fail' }]);
  const off = hosting({ settings: settingsOf({ questions: { ...usualQuestions, enabled: false } }) });
  expect(await off.host.ask({ question: 'Which?' }, quiet)).toMatchObject({ kind: 'refused' });
});

test('whoever waits for people who do not answer is to be parked', async () => {
  const { host, parked } = hosting();
  expect(await host.ask({ question: 'Which?' }, AbortSignal.abort(parking))).toEqual({ kind: 'parked' });
  expect([host.parked, parked]).toEqual(['question', [true]]);
});

test('a call that was granted while the agent was parked is made once without asking', async () => {
  const granted = textOfCall({ kind: 'execute', title: deploys.title, command: deploys.title });
  const { host, asked } = hosting({ parked: { iteration: 0, attempt: 1, because: 'permission', granted } });
  expect(await host.decide(deploys, quiet)).toEqual({ allow: true });
  expect(asked).toEqual([]);
  await host.decide(deploys, quiet);
  expect(asked).toHaveLength(1);
});

test('the tool calls of an agent that did not finish are known', () => {
  const { host } = hosting();
  does(host, '1', execute('ls'));
  host.event({ type: 'tool_open', id: '2', ...execute('sleep 1000') });
  expect(host.calls).toMatchObject([
    { command: 'ls', outcome: 'ok' },
    { command: 'sleep 1000', outcome: 'unknown' },
  ]);
});
