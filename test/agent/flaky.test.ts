import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VerifyOutcome } from '../../src/agent/port/assignment.ts';
import { sandboxSwitchedOff } from '../../src/agent/sandbox/sandbox.ts';
import type { Settings, VerifierSpec } from '../../src/steering/shapes/settings.ts';
import { type AgentFixture, agentFixture, verifyBy, workBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

/**
 * What is flaky here counts its runs outside of its folders, where only a program without a sandbox can write.
 * What it leaves in its folders is of no use to it.
 */
async function unconfined(): Promise<AgentFixture> {
  return agentFixture({ 'a.txt': 'a\n' }, { sandbox: sandboxSwitchedOff });
}

/** A line of shell that counts its runs in a file of this name, and then does what is written for this run. */
function counting({ root }: AgentFixture, name: string, ...lines: readonly string[]): string {
  const file = join(root, name);
  const cases = lines.map((line, index) => `${index === lines.length - 1 ? '*' : index}) ${line};;`);
  return `n=$(cat '${file}' 2>/dev/null || echo 0); echo $((n + 1)) > '${file}'; case $n in ${cases.join(' ')} esac`;
}

const one = (run: string, more: Partial<VerifierSpec> = {}): Partial<Settings> => ({
  verifiers: [{ name: 'test', run, timeout_s: 20, required: true, ...more }],
  flaky: { reruns: 1 },
});

test('a red verifier that is green when it is run once more counts as green, with the run that failed', async () => {
  const on = await unconfined();
  const run = counting(on, 'test', 'echo "not ok 1 - counts"; echo "error: 2 is not 3"; exit 3', 'echo fine');
  const outcome = verified(await verifyBy({}, on, { settings: one(run) }));
  expect(outcome.verifiers).toMatchObject([
    {
      ...{ success: true, exit_code: 0, stdout: 'fine\n' },
      failed_runs: [{ exit_code: 3, said: 'not ok 1 - counts\nerror: 2 is not 3' }],
    },
  ]);
  const [file] = outcome.artefacts;
  expect(JSON.parse(file?.content ?? '')).toMatchObject({
    failed_runs: [{ stdout: 'not ok 1 - counts\nerror: 2 is not 3\n' }],
  });
});

test('it is red if it is red in each run, and all runs are known', async () => {
  const on = await unconfined();
  const run = counting(on, 'test', 'exit 1', 'exit 2', 'exit 3', 'exit 4');
  const settings = { ...one(run), flaky: { reruns: 2 } };
  const { verifiers } = verified(await verifyBy({}, on, { settings }));
  expect(verifiers).toMatchObject([
    { success: false, exit_code: 3, failed_runs: [{ exit_code: 1 }, { exit_code: 2 }] },
  ]);
});

test('nothing is run again where the configuration says so, nor what is not required', async () => {
  const on = await unconfined();
  const off = { ...one(counting(on, 'off', 'exit 1', 'true')), flaky: { reruns: 0 } };
  const optional = one(counting(on, 'optional', 'exit 1', 'true'), { required: false });
  for (const settings of [off, optional]) {
    const { verifiers } = verified(await verifyBy({}, on, { settings }));
    expect(verifiers[0]).toMatchObject({ success: false });
    expect(verifiers[0]).not.toHaveProperty('failed_runs');
  }
});

test('what ran out of time, or is not there, is not run again', async () => {
  const on = await unconfined();
  const slow = counting(on, 'slow', 'sleep 60', 'true');
  const late = verified(await verifyBy({}, on, { settings: one(slow, { timeout_s: 1 }) }));
  expect(late.verifiers[0]).toMatchObject({ timed_out: true, success: false });
  const missing = verified(await verifyBy({}, on, { settings: one(counting(on, 'no', 'no-such', 'true')) }));
  expect(missing.verifiers[0]).toMatchObject({ exit_code: -1, success: false });
});

test('all runs together have the time of one: what took more than half of it is not run again', async () => {
  const on = await unconfined();
  const run = counting(on, 'test', 'sleep 1.6; false', 'true');
  const { verifiers } = verified(await verifyBy({}, on, { settings: one(run, { timeout_s: 3 }) }));
  expect(verifiers[0]).toMatchObject({ success: false, timed_out: false });
  const hanging = counting(on, 'hanging', 'echo first; false', 'sleep 60');
  const outcome = verified(await verifyBy({}, on, { settings: one(hanging, { timeout_s: 2 }) }));
  expect(outcome.verifiers[0]).toMatchObject({ success: false, timed_out: false, stdout: 'first\n' });
  expect(outcome.verifiers[0]).not.toHaveProperty('failed_runs');
});

test('another run begins as the first one did, with set-up and nothing that the first has left', async () => {
  const on = await unconfined();
  const line = 'ls -A . "$HOME" | grep left; cat made.txt; touch left "$HOME/left"; rm made.txt;';
  const settings = {
    ...one(counting(on, 'test', `${line} false`, `${line} true`)),
    setup: ['echo made > made.txt'],
  };
  const { verifiers } = verified(await verifyBy({}, on, { settings }));
  expect(verifiers[0]).toMatchObject({ success: true, stdout: 'made\n', failed_runs: [{ exit_code: 1 }] });
});

test('one that goes on from another is run again with that one, and the others are not', async () => {
  const on = await unconfined();
  const each = { timeout_s: 20, required: true };
  const verifiers = [
    { name: 'lint', run: counting(on, 'lint', 'touch linted'), ...each },
    { name: 'build', run: counting(on, 'build', 'echo built > out.txt'), ...each },
    {
      ...{ name: 'test', after: 'build', ...each },
      run: counting(on, 'test', 'rm out.txt; false', 'ls; cat out.txt'),
    },
    { name: 'bare', run: counting(on, 'bare', 'touch bare; false', 'ls'), setup: false as const, ...each },
  ];
  const settings = { verifiers, setup: ['touch installed'], flaky: { reruns: 1 } };
  const outcome = verified(await verifyBy({}, on, { settings }));
  expect(
    outcome.verifiers.map(({ name, success, failed_runs = [] }) => [name, success, failed_runs.length]),
  ).toEqual([
    ['lint', true, 0],
    ['build', true, 0],
    ['test', true, 1],
    ['bare', true, 1],
  ]);
  expect(outcome.verifiers[2]?.stdout).toBe('a.txt\ninstalled\nout.txt\nbuilt\n');
  expect(outcome.verifiers[3]?.stdout).toBe('a.txt\n');
  expect(runsOf(on, 'lint', 'build', 'test', 'bare')).toEqual([1, 2, 2, 2]);
});

test('what another one goes on from is flaky if it fails in another run', async () => {
  const on = await unconfined();
  const each = { timeout_s: 20, required: true };
  const verifiers = [
    { name: 'build', run: counting(on, 'build', 'true', 'exit 5'), ...each },
    { name: 'test', run: counting(on, 'test', 'exit 1', 'true'), after: 'build', ...each },
  ];
  const outcome = verified(await verifyBy({}, on, { settings: { verifiers, flaky: { reruns: 1 } } }));
  expect(outcome.verifiers).toMatchObject([
    { name: 'build', success: true, failed_runs: [{ exit_code: 5 }] },
    { name: 'test', success: false, exit_code: 1 },
  ]);
});

test('the tests that failed in one run are named, where a report names all of them', async () => {
  const on = await unconfined();
  const report = (...failed: readonly string[]) =>
    `printf '<testsuites><testsuite>${failed.map((name) => `<testcase name="${name}"><failure message="no"/></testcase>`).join('')}<testcase name="fine"/></testsuite></testsuites>' > junit.xml; exit ${failed.length}`;
  const run = counting(on, 'test', report('one', 'two'), report('two'));
  const settings = one(run, { report: ['junit.xml'] });
  const { verifiers } = verified(await verifyBy({}, on, { settings }));
  expect(verifiers[0]).toMatchObject({
    tests: { failed: 1, failures: [{ name: 'two' }] },
    failed_runs: [{ failed: 2, tests: ['one', 'two'] }],
  });
});

test('what is red on the base only now and then was not red before', async () => {
  const on = await unconfined();
  const commit = commitOn(on, { 'b.txt': 'b\n' });
  // Red twice with the change, then red and green without it.
  const run = counting(on, 'test', 'exit 1', 'exit 1', 'exit 1', 'true');
  const { baseline } = verified(await verifyBy({}, on, { settings: one(run), commit }));
  expect(baseline?.run).toMatchObject({ outcome: 'ran', verifiers: [{ success: true, flaky: true }] });
});

test('old tests that are red only now and then accuse no new ones', async () => {
  const on = await unconfined();
  const commit = commitOn(on, { 'a.txt': 'b\n', 'test/a.test.sh': 'true\n' });
  const run = counting(on, 'test', 'true', 'exit 1', 'true', 'true');
  const outcome = verified(await verifyBy({}, on, { settings: { ...one(run), proof: 'on' }, commit }));
  expect(outcome.proof).toMatchObject({
    old_tests: { verifiers: [{ success: true, flaky: true }] },
    without_change: { verifiers: [{ success: true }] },
  });
  expect(outcome.gates.filter(({ rule }) => rule === 'weakens-tests')).toEqual([]);
});

test('people see that a verifier runs once more', async () => {
  const on = await unconfined();
  const seen: string[] = [];
  await verifyBy({}, on, {
    settings: one(counting(on, 'test', 'false', 'true')),
    onProgress: ([test]) =>
      seen.push(test?.again ? 'again' : String(test?.result?.success ?? (test?.since ? 'runs' : 'waits'))),
  });
  expect(seen).toEqual(['waits', 'runs', 'again', 'true']);
});

test('a setup command that fails once is run once more, and that is told', async () => {
  const on = await unconfined();
  const settings = { ...one('true'), setup: [counting(on, 'setup', 'exit 7', 'true', 'exit 7', 'true')] };
  const outcome = verified(await verifyBy({}, on, { settings }));
  expect(outcome.notices).toEqual([
    expect.stringMatching(
      /^the setup command `n=.*` ended with exit code 7, and passed when it was run again$/s,
    ),
  ]);
  const worked = await workBy('echo b > a.txt', on, { settings });
  expect(worked.kind).toBe('finished');
  expect(worked.kind === 'finished' && worked.notices).toHaveLength(1);
});

test('one that fails twice fails', async () => {
  const on = await unconfined();
  const settings = { ...one('true'), setup: [counting(on, 'setup', 'exit 7')] };
  const outcome = await verifyBy({}, on, { settings });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'setup' } });
  expect(runsOf(on, 'setup')).toEqual([2]);
});

function runsOf({ root }: AgentFixture, ...names: readonly string[]): readonly number[] {
  return names.map((name) => Number(readFileSync(join(root, name), 'utf8')));
}

function verified(outcome: VerifyOutcome): Extract<VerifyOutcome, { kind: 'verified' }> {
  if (outcome.kind !== 'verified') throw new Error(`expected results, got ${JSON.stringify(outcome)}`);
  return outcome;
}
