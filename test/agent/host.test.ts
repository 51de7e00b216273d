import { expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/agent/host.ts';
import type { Live } from '../../src/agent/live.ts';
import type { PermissionRequest } from '../../src/agent/port.ts';
import { ReasoningLog } from '../../src/agent/reasoning.ts';
import { WorkingTime } from '../../src/agent/working-time.ts';
import type { AskedCall } from '../../src/steering/attempt-result.ts';
import { stateOf } from './states.ts';

const quiet = new AbortController().signal;
const deploys = execute('kubectl delete namespace shop');

function execute(command: string, title = command): PermissionRequest {
  return { kind: 'execute', title, command };
}

/** A host in a sandbox, and people who allow everything. */
function hosting() {
  const asked: AskedCall[] = [];
  let held: Promise<void> = Promise.resolve();
  const live: Live = {
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
  const options = { state: stateOf(), live, log: new ReasoningLog(), time, sandboxed: true, secrets: [] };
  /** From now on people answer only when this has been called. */
  const hold = (): (() => void) => {
    let release = nothing;
    held = new Promise((resolve) => (release = resolve));
    return () => release();
  };
  return { asked, hold, host: new Host({ ...options, onTooManyCalls: nothing, onEvent: nothing }) };
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
