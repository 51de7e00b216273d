import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBaselines } from '../../src/agent/index.ts';
import type { VerifyOutcome } from '../../src/agent/port/assignment.ts';
import { sandboxSwitchedOff } from '../../src/agent/sandbox/sandbox.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type AgentFixture, agentFixture, temporaryFolder, verifyBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

/** A program with a linter that is red already, and a test that is not. */
const files = { 'a.sh': 'true\n', 'lint.sh': 'exit 1\n' };
const verifiers = { test: 'sh a.sh', lint: 'sh lint.sh' };

test('what fails on the base as well was red before', async () => {
  const on = await agentFixture(files);
  const { baseline } = await verifiedOn(on, { 'b.txt': 'new\n' });
  expect(baseline).toMatchObject({
    base: on.head,
    run: {
      outcome: 'ran',
      verifiers: [
        { name: 'test', success: true },
        { name: 'lint', success: false, exit_code: 1 },
      ],
    },
  });
});

test('the base is the commit where the branch left it, whatever came afterwards', async () => {
  const on = await agentFixture(files);
  const commit = commitOn(on, { 'b.txt': 'new\n' });
  on.git('update-ref', 'refs/heads/main', commitOn(on, { 'lint.sh': 'true\n' }));
  const outcome = await verifyBy(verifiers, on, { commit });
  expect(verified(outcome).baseline).toMatchObject({
    base: on.head,
    run: { verifiers: [{ success: true }, { success: false }] },
  });
});

test('while all required verifiers pass, nobody looks at the base', async () => {
  const on = await agentFixture(files);
  const optional = [
    { name: 'lint', run: 'sh lint.sh', timeout_s: 20, required: false },
    { name: 'test', run: 'true', timeout_s: 20, required: true },
  ];
  const { verifiers: ran, baseline } = await verifiedOn(
    on,
    { 'b.txt': 'b\n' },
    { settings: { verifiers: optional } },
  );
  expect(ran.map(({ success }) => success)).toEqual([false, true]);
  expect(baseline).toBeUndefined();
});

test('a change that changes nothing is its own base', async () => {
  const on = await agentFixture(files);
  const counting = counter(on);
  const outcome = verified(await verifyBy({ lint: counting.line }, counting.on, {}));
  expect(outcome.baseline).toMatchObject({ run: { verifiers: [{ name: 'lint', success: false }] } });
  expect(counting.times()).toBe(1);
});

test('a run that knows its base does not look again, under the same base', async () => {
  const on = await agentFixture(files);
  const counting = counter(on);
  const first = await verifiedOn(counting.on, { 'b.txt': 'b\n' }, { line: counting.line });
  expect(counting.times()).toBe(2);
  const state = { baseline: first.baseline } as Partial<State>;
  const second = await verifiedOn(counting.on, { 'b.txt': 'c\n' }, { line: counting.line, state });
  expect(counting.times()).toBe(3);
  expect(second.baseline).toEqual(first.baseline);
});

test('runs of one App look at a base once, also at the same time and after a restart', async () => {
  const on = await agentFixture(files);
  const counting = counter(on);
  const folder = temporaryFolder();
  const shared = () => withBaselines(counting.on, folder);
  const changes = [{ 'b.txt': 'b\n' }, { 'c.txt': 'c\n' }];
  const heads = changes.map((change) => commitOn(on, change));
  const app = shared();
  const both = await Promise.all(
    heads.map(async (commit) => verified(await verifyBy({ lint: counting.line }, app, { commit }))),
  );
  expect(both[1]?.baseline).toEqual(both[0]?.baseline);
  expect(counting.times()).toBe(3);
  await verifiedOn(shared(), { 'd.txt': 'd\n' }, { line: counting.line });
  expect(counting.times()).toBe(4);
  await verifiedOn(shared(), { 'd.txt': 'd\n' }, { line: `${counting.line} # another` });
  expect(counting.times()).toBe(6);
});

test('what is remembered has an end, and half a file is no memory', async () => {
  const folder = temporaryFolder();
  const baselines = openBaselines(folder);
  const run = { outcome: 'ran', verifiers: [], duration_s: 1 } as const;
  await baselines.write('aa', run);
  expect(await baselines.read('aa')).toEqual(run);
  const yesterday = new Date(Date.now() - 25 * 60 * 60_000);
  utimesSync(join(folder, 'aa.json'), yesterday, yesterday);
  expect(await baselines.read('aa')).toBeUndefined();
  await baselines.write('bb', run);
  expect(readdirSync(folder)).toEqual(['bb.json']);
  writeFileSync(join(folder, 'bb.json'), '{"outcome":');
  expect(await baselines.read('bb')).toBeUndefined();
  expect(await baselines.read('cc')).toBeUndefined();
});

const whole = { name: 'lint', success: true, exit_code: 0, timed_out: false };

test.each([
  ['empty', ''],
  ['all zeros', '\0'.repeat(30)],
  ['no list', '{"outcome":"ran","verifiers":{},"duration_s":1}'],
  ['a list of something else', '{"outcome":"ran","verifiers":["a",null,3],"duration_s":1}'],
  ['a list of what lacks facts', '{"outcome":"ran","verifiers":[{"id":"x"}],"duration_s":1}'],
  ['without its duration', JSON.stringify({ outcome: 'ran', verifiers: [whole] })],
  ['of another outcome', JSON.stringify({ outcome: 'walked', verifiers: [whole], duration_s: 1 })],
])('a memory that is %s is not believed', async (_, text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'aa.json'), text);
  expect(await openBaselines(folder).read('aa')).toBeUndefined();
});

test('all facts of a baseline are remembered', async () => {
  const baselines = openBaselines(temporaryFolder());
  const run = { outcome: 'ran', verifiers: [whole, { ...whole, tests: 3 }], duration_s: 1.5 } as const;
  await baselines.write('aa', run);
  expect(await baselines.read('aa')).toEqual(run);
});

test('a baseline that cannot be written fails nothing', async () => {
  const on = await agentFixture(files);
  const counting = counter(on);
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const app = withBaselines(counting.on, join(file, 'baselines'));
  const { baseline } = await verifiedOn(app, { 'b.txt': 'b\n' }, { line: counting.line });
  expect(baseline?.run.outcome).toBe('ran');
});

test('whoever waits for the look of another run can be cancelled at once', async () => {
  const on = await agentFixture(files);
  const app = withBaselines(on, temporaryFolder());
  const [one = '', other = ''] = ['b', 'c'].map((name) => commitOn(on, { [`${name}.txt`]: 'x\n' }));
  // On the base it lasts, until the first of the two is stopped.
  const run = { lint: 'test -f b.txt -o -f c.txt && exit 1; sleep 76543' };
  const [first, second] = [new AbortController(), new AbortController()];
  let looks = (): void => undefined;
  const looking = new Promise<void>((resolve) => (looks = resolve));
  const onProgress = (all: readonly { since?: string }[], trial?: string) => {
    if (trial === 'baseline' && all[0]?.since !== undefined) looks();
  };
  const waits = verifyBy(run, app, { commit: one, signal: first.signal, onProgress });
  await looking;
  const joins = verifyBy(run, app, { commit: other, signal: second.signal });
  second.abort();
  expect(await joins).toEqual({ kind: 'cancelled' });
  first.abort();
  expect(await waits).toEqual({ kind: 'cancelled' });
  expect(readdirSync(join(on.root, 'work/attempts'))).toEqual([]);
});

test('set-up that fails on the base leaves it unknown, and unknown is not remembered', async () => {
  const on = await agentFixture(files);
  const folder = temporaryFolder();
  const settings = { setup: ['test -f b.txt'] };
  const { baseline } = await verifiedOn(withBaselines(on, folder), { 'b.txt': 'b\n' }, { settings });
  expect(baseline).toMatchObject({
    run: { outcome: 'skipped', why: 'the setup command `test -f b.txt` ended with exit code 1' },
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('what ran out of time on the base is said, and not remembered', async () => {
  const on = await agentFixture(files);
  const folder = temporaryFolder();
  const line = 'test -f b.txt && exit 1; sleep 76543';
  const settings = { verifiers: [{ name: 'lint', run: line, timeout_s: 1, required: true }] };
  const { baseline } = await verifiedOn(withBaselines(on, folder), { 'b.txt': 'b\n' }, { settings });
  expect(baseline).toMatchObject({ run: { outcome: 'ran', verifiers: [{ name: 'lint', timed_out: true }] } });
  expect(readdirSync(folder)).toEqual([]);
});

interface Choices {
  readonly settings?: Partial<State['settings']>;
  readonly state?: Partial<State>;
  readonly line?: string;
}

async function verifiedOn(on: AgentFixture, change: Record<string, string>, choices: Choices = {}) {
  const { line, ...rest } = choices;
  const commit = commitOn(on, change);
  return verified(await verifyBy(line === undefined ? verifiers : { lint: line }, on, { ...rest, commit }));
}

/** A linter that is red, and says each time that it runs; without a sandbox, so that it can. */
function counter(on: AgentFixture) {
  const file = join(temporaryFolder(), 'count');
  writeFileSync(file, '');
  const unconfined = { ...on, resources: { ...on.resources, sandbox: sandboxSwitchedOff } };
  const times = () => readFileSync(file, 'utf8').length;
  return { on: unconfined, line: `printf x >> ${file}; exit 1`, times };
}

function withBaselines(on: AgentFixture, folder: string): AgentFixture {
  return { ...on, resources: { ...on.resources, baselines: openBaselines(folder) } };
}

function verified(outcome: VerifyOutcome) {
  if (outcome.kind !== 'verified') throw new Error(`not verified: ${JSON.stringify(outcome, null, 2)}`);
  return outcome;
}
