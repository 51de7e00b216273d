import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VerifyOutcome } from '../../src/agent/port/assignment.ts';
import { sandboxSwitchedOff } from '../../src/agent/sandbox/sandbox.ts';
import type { Trial } from '../../src/steering/shapes/agent-progress.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type AgentFixture, agentFixture, temporaryFolder, verifyBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

/** A program that adds, and tests that compare its results with what they expect; each is a line of shell. */
const sums = {
  'sum.sh': 'echo $(($1 + $2))\n',
  'test/sum.test.sh': '[ "$(sh sum.sh 1 2)" = 3 ]\n',
};

const runTests = 'for each in $(find test -name "*.test.sh"); do sh "$each" || exit 1; done';
const proven = { settings: { proof: 'on' } } as const;

const green = {
  outcome: 'ran',
  verifiers: [{ name: 'test', success: true, exit_code: 0, timed_out: false }],
};
const red = { outcome: 'ran', verifiers: [{ name: 'test', success: false, exit_code: 1, timed_out: false }] };

test('a feature with a test is green with the old tests, and red without the change', async () => {
  const on = await agentFixture(sums);
  const proof = await proofOf(on, {
    'sum.sh': 'set -- "$@" 0; echo $(($1 + $2 + $3))\n',
    'test/three.test.sh': '[ "$(sh sum.sh 1 2 3)" = 6 ]\n',
  });
  expect(proof).toMatchObject({ tests: ['test/three.test.sh'], old_tests: green, without_change: red });
});

test('an expectation that was adapted to a broken program is red with the old tests', async () => {
  const on = await agentFixture(sums);
  const proof = await proofOf(on, {
    'sum.sh': 'echo $(($1 - $2))\n',
    'test/sum.test.sh': '[ "$(sh sum.sh 1 2)" = -1 ]\n',
  });
  expect(proof).toMatchObject({ old_tests: red, without_change: red });
});

test('a test that proves nothing is green without the change', async () => {
  const on = await agentFixture(sums);
  const files = { 'sum.sh': 'echo $(($2 + $1))\n', 'test/other.test.sh': 'true\n' };
  expect(await proofOf(on, files)).toMatchObject({ old_tests: green, without_change: green });
});

test('deleted and renamed tests are put back, and added ones are gone, with whatever mode they have', async () => {
  const on = await agentFixture({ ...sums, 'test/old.test.sh': 'echo old\n', 'test/fixtures/a.txt': 'a\n' });
  const list = 'find test -type f -o -type l | sort | tr "\\n" " "; cat sum.sh; true';
  const seen = await outputsOf(
    on,
    list,
    {
      'sum.sh': 'new\n',
      'test/old.test.sh': null,
      'test/sum.test.sh': null,
      'test/moved.test.sh': sums['test/sum.test.sh'],
      'test/fixtures/a.txt': 'b\n',
    },
    (dir) => symlinkSync('/etc/hostname', join(dir, 'test/link.test.sh')),
  );
  expect(seen['old_tests']).toBe('test/fixtures/a.txt test/old.test.sh test/sum.test.sh new\n');
  expect(seen['without_change']).toBe(
    'test/fixtures/a.txt test/link.test.sh test/moved.test.sh echo $(($1 + $2))\n',
  );
});

test('snapshots belong to the tests, and the settings can say what else does', async () => {
  const on = await agentFixture({ 'a.sh': '1\n', 'x.snap': '1\n', 'checks/a.txt': '1\n' });
  const files = { 'a.sh': '2\n', 'x.snap': '2\n', 'checks/a.txt': '2\n' };
  const listed = async (tests?: readonly string[]) =>
    (await proofOf(on, files, { settings: { proof: 'on', ...(tests && { tests }) } }))?.tests;
  expect(await listed()).toEqual(['x.snap']);
  expect(await listed(['checks/**'])).toEqual(['checks/a.txt']);
});

test('tests that look as if they had been made to fit are compared with the base', async () => {
  const on = await agentFixture({ ...sums, 'sum.sh': 'echo 4\n' });
  const files = { 'sum.sh': 'echo 5\n', 'test/sum.test.sh': 'sh sum.sh\n' };
  const commit = commitOn(on, files);
  const outcome = verified(await verifyBy({ test: runTests }, on, { ...proven, commit }));
  expect(outcome.proof).toMatchObject({ old_tests: red, without_change: green });
  expect(outcome.baseline).toMatchObject({ base: on.head, run: red });
});

test('names that look like options, or are no text, are as good as others', async () => {
  const on = await agentFixture({ 'a.sh': '1\n', 'test/-x.test.sh': 'one\n' });
  const seen = await outputsOf(
    on,
    'cat ./test/*.test.sh; ls test | wc -l',
    { 'a.sh': '2\n', 'test/-x.test.sh': 'two\n' },
    (dir) => execFileSync('sh', ['-c', `echo odd > "$(printf 'test/\\377.test.sh')"`], { cwd: dir }),
  );
  expect(seen).toEqual({ old_tests: 'one\n1\n', without_change: 'two\nodd\n2\n' });
});

test('hooks, filters and submodules of the branch start nothing', async () => {
  const on = await agentFixture(sums);
  const touched = join(temporaryFolder(), 'touched');
  const proof = await proofOf(
    on,
    {
      'sum.sh': 'echo $(($2 + $1))\n',
      'test/.gitattributes': '* filter=evil diff=evil merge=evil\n',
      'test/b.test.sh': 'true\n',
      '.gitmodules': `[submodule "s"]\n\tpath = test/s\n\turl = ext::sh -c "touch ${touched}"\n`,
    },
    {
      arrange: (dir) => {
        const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: dir });
        git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},test/s`);
        execFileSync('mkdir', ['-p', join(dir, 'test/s')]);
      },
    },
  );
  expect(proof).toMatchObject({ old_tests: green, without_change: green });
  expect(existsSync(touched)).toBe(false);
});

test.each([
  ['no test file was changed', { 'sum.sh': 'echo 3\n' }],
  ['only test files were changed', { 'test/sum.test.sh': 'true\n' }],
  ['only test files and documents were changed', { 'test/sum.test.sh': 'true\n', 'README.md': 'Sums\n' }],
])('nothing is run a second time where %s', async (why, files) => {
  const on = await agentFixture(sums);
  const skipped = { outcome: 'skipped', why };
  expect(await proofOf(on, files)).toMatchObject({ old_tests: skipped, without_change: skipped });
});

test('tests that are inside the files of the code cannot be told apart from it', async () => {
  const on = await agentFixture({ 'src/lib.rs': 'fn a() {}\n' });
  const proof = await proofOf(
    on,
    {
      'src/lib.rs': 'fn a() { b() }\n#[cfg(test)]\nmod tests {\n  #[test]\n  fn b() {}\n}\n',
      'tests/it.rs': '#[test]\nfn c() {}\n',
    },
    { run: 'true' },
  );
  const skipped = { outcome: 'skipped', why: 'tests and code are in the same files, such as src/lib.rs' };
  expect(proof).toEqual({ tests: ['tests/it.rs'], old_tests: skipped, without_change: skipped });
});

test('tests whose place is taken by other files are not put there', async () => {
  const on = await agentFixture({ 'a.sh': '1\n', 'lib_test.sh': '[ -f a.sh ]\n' });
  const proof = await proofOf(on, { 'lib_test.sh': null, 'lib_test.sh/code.txt': 'code\n' }, { run: 'true' });
  expect(proof?.old_tests).toEqual({
    outcome: 'skipped',
    why: 'other files are where these tests would have to be',
  });
});

test('without `proof: on`, and for work that is red, nothing is proven', async () => {
  const on = await agentFixture(sums);
  const files = { 'sum.sh': 'echo 4\n', 'test/new.test.sh': 'true\n' };
  expect(await proofOf(on, files)).toBeUndefined();
  const good = { 'sum.sh': 'echo 3\n', 'test/new.test.sh': 'true\n' };
  expect(await proofOf(on, good, { settings: { proof: 'off' } })).toBeUndefined();
  expect(await proofOf(on, good, { settings: {} })).toBeUndefined();
});

test('set-up that fails there is a reason, without what it printed', async () => {
  const on = await agentFixture(sums);
  const files = { 'sum.sh': 'echo 3\n', 'test/new.test.sh': 'true\n', needed: '1\n' };
  const setup = ['echo hunter2-hunter2; test -f needed'];
  const proof = await proofOf(on, files, { settings: { proof: 'on', setup } });
  expect(proof).toMatchObject({
    old_tests: green,
    without_change: {
      outcome: 'skipped',
      why: `the setup command \`${setup[0]}\` ended with exit code 1`,
    },
  });
});

test('every verifier is recorded, so that nobody takes a red linter for a red test', async () => {
  const on = await agentFixture(sums);
  const files = { 'sum.sh': 'echo 3 # new\n', 'test/new.test.sh': 'grep -q new sum.sh\n' };
  const commit = commitOn(on, files);
  const outcome = await verifyBy({ test: runTests, lint: 'grep -q new sum.sh' }, on, { ...proven, commit });
  expect(outcome).toMatchObject({
    proof: {
      without_change: {
        verifiers: [
          { name: 'test', success: false },
          { name: 'lint', success: false },
        ],
      },
    },
  });
});

test('what only running shows counts for the gate on weakened tests', async () => {
  const on = await agentFixture({ 'sum.sh': 'echo 3\n', 'test/sum.test.pl': '[ "$(sh sum.sh)" = 3 ]\n' });
  // The new tests accept any program, which reading does not see in a language that nobody reads.
  const files = { 'sum.sh': 'echo 4\n', 'test/sum.test.pl': 'sh sum.sh\n' };
  const commit = commitOn(on, files);
  const weakened = async (proof: 'on' | 'off') => {
    const outcome = verified(
      await verifyBy({ test: 'sh test/sum.test.pl' }, on, { settings: { proof }, commit }),
    );
    return outcome.gates.filter(({ rule }) => rule === 'weakens-tests').map(({ path }) => path);
  };
  expect(await weakened('off')).toEqual([]);
  expect(await weakened('on')).toEqual(['test/sum.test.pl']);
});

test('people are told what is run, and nothing of it is left', async () => {
  const on = await agentFixture(sums);
  const commit = commitOn(on, { 'sum.sh': 'echo 3\n', 'test/new.test.sh': 'true\n' });
  const trials: (Trial | undefined)[] = [];
  await verifyBy({ test: runTests }, on, {
    ...proven,
    commit,
    onProgress: (_, trial) => {
      if (trials.at(-1) !== trial || trials.length === 0) trials.push(trial);
    },
  });
  expect(trials).toEqual([undefined, 'old_tests', 'without_change']);
  expect(readdirSync(join(on.root, 'work/attempts'))).toEqual([]);
  expect(on.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(on.git('for-each-ref', '--contains', on.head, '--format=%(refname)').split('\n').sort()).toEqual([
    'refs/heads/main',
    'refs/heads/topic',
  ]);
});

test('whoever cancels in the middle of it leaves nothing behind', async () => {
  const on = await agentFixture(sums);
  const commit = commitOn(on, { 'sum.sh': 'echo 3\n', 'test/new.test.sh': 'true\n' });
  const { signal, abort } = abortable();
  const outcome = await verifyBy({ test: 'sh sum.sh; test -f test/new.test.sh || sleep 87651' }, on, {
    ...proven,
    commit,
    signal,
    onProgress: (verifiers, trial) => {
      if (trial === 'old_tests' && verifiers[0]?.since !== undefined) setTimeout(abort, 300);
    },
  });
  expect(outcome).toEqual({ kind: 'cancelled' });
  expect(sleeping('sleep 87651')).toEqual([]);
  expect(readdirSync(join(on.root, 'work/attempts'))).toEqual([]);
});

test('a steer ends the proof, and not the verification', async () => {
  const on = await agentFixture(sums);
  const commit = commitOn(on, { 'sum.sh': 'echo 3\n', 'test/new.test.sh': 'true\n' });
  const { signal: enough, abort } = abortable();
  const outcome = await verifyBy({ test: 'test -f test/new.test.sh || sleep 87652' }, on, {
    ...proven,
    commit,
    enough,
    onProgress: (verifiers, trial) => {
      if (trial === 'old_tests' && verifiers[0]?.since !== undefined) setTimeout(abort, 300);
    },
  });
  const steered = { outcome: 'skipped', why: 'somebody has steered meanwhile' };
  expect(outcome).toMatchObject({ kind: 'verified', proof: { old_tests: steered, without_change: steered } });
  expect(sleeping('sleep 87652')).toEqual([]);
});

interface Choices {
  readonly settings?: Partial<State['settings']>;
  readonly run?: string;
  readonly arrange?: (dir: string) => void;
}

type Files = Readonly<Record<string, string | null>>;

async function proofOf(
  on: AgentFixture,
  files: Files,
  { settings = proven.settings, run = runTests, arrange }: Choices = {},
) {
  const commit = commitOn(on, files, arrange);
  const outcome = await verifyBy({ test: run }, on, { settings, commit });
  return verified(outcome).proof;
}

/** What a verifier sees in each of the runs; it writes to a file outside, where there is no sandbox. */
async function outputsOf(on: AgentFixture, line: string, files: Files, arrange: (dir: string) => void) {
  const commit = commitOn(on, files, arrange);
  const seen: Record<string, string> = {};
  const folder = temporaryFolder();
  let name = '';
  const unconfined = { ...on, resources: { ...on.resources, sandbox: sandboxSwitchedOff } };
  await verifyBy({ test: `(${line}) > ${join(folder, 'out')}` }, unconfined, {
    ...proven,
    commit,
    onProgress: (verifiers, trial) => {
      name = trial ?? 'head';
      if (verifiers[0]?.result !== undefined) seen[name] = readFileSync(join(folder, 'out'), 'utf8');
    },
  });
  const { head: _, ...rest } = seen;
  return rest;
}

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

function sleeping(command: string): readonly string[] {
  const listing = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return listing.split('\n').filter((line) => line.trim() === command);
}

function verified(outcome: VerifyOutcome) {
  if (outcome.kind !== 'verified') throw new Error(`not verified: ${JSON.stringify(outcome, null, 2)}`);
  return outcome;
}
