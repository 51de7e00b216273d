import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VerifyOutcome } from '../../src/agent/port/assignment.ts';
import { agentFixture, verifyBy, workBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

test('verifiers run in order, and their exit codes decide', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const { verifiers, head, gates } = verified(
    await verifyBy({ test: 'cat a.txt', lint: 'echo bad >&2; exit 2' }, on),
  );
  expect(head).toBe(on.head);
  expect(gates).toEqual([]);
  expect(verifiers).toMatchObject([
    {
      verifier: 'sums:test',
      name: 'test',
      exit_code: 0,
      success: true,
      stdout: 'a\n',
      stderr: '',
      truncated: false,
    },
    { verifier: 'sums:lint', name: 'lint', exit_code: 2, success: false, stdout: '', stderr: 'bad\n' },
  ]);
});

test('each verifier is told of before it runs and when it has ended', async () => {
  const on = await agentFixture({});
  const seen: string[] = [];
  await verifyBy({ test: 'true', lint: 'exit 2' }, on, {
    onProgress: (verifiers) =>
      seen.push(
        verifiers
          .map(({ name, since, result }) => `${name} ${result?.success ?? (since ? 'runs' : 'waits')}`)
          .join(', '),
      ),
  });
  expect(seen).toEqual([
    'test waits, lint waits',
    'test runs, lint waits',
    'test true, lint runs',
    'test true, lint false',
  ]);
});

test('a command that cannot start has exit code -1 and says why', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const { verifiers } = verified(await verifyBy({ test: 'no-such-verifier --all' }, on));
  expect(verifiers).toMatchObject([
    {
      exit_code: -1,
      success: false,
      timed_out: false,
      stderr: expect.stringContaining('no-such-verifier: not found'),
    },
  ]);
});

test('of 10,500 characters the last 10,000 are shown, and all are stored', async () => {
  const on = await agentFixture({});
  const outcome = verified(
    await verifyBy({ test: `printf 'a%.0s' $(seq 500); printf 'b%.0s' $(seq 10000)` }, on),
  );
  expect(outcome.verifiers[0]).toMatchObject({
    success: true,
    truncated: true,
    stdout: `[truncated]\n${'b'.repeat(10_000)}`,
  });
  expect(artefact(outcome, 'test')).toMatchObject({
    truncated: false,
    stdout: 'a'.repeat(500) + 'b'.repeat(10_000),
  });
});

test('of a flood of output the last MiB is kept', async () => {
  const on = await agentFixture({});
  const outcome = verified(await verifyBy({ test: 'yes flood | head -c 20000000; echo the end' }, on));
  const { stdout, truncated } = artefact(outcome, 'test');
  expect(truncated).toBe(true);
  expect(stdout.length).toBeLessThanOrEqual(1024 * 1024);
  expect(stdout).toMatch(/flood\n(the end|.*the end)\n$/);
});

test('a verifier that exceeds its time limit is killed with its children, and the next one still runs', async () => {
  const on = await agentFixture({});
  const verifiers = [
    { name: 'slow', run: 'echo begun; sleep 65432 & wait', timeout_s: 3, required: true },
    { name: 'quick', run: 'true', timeout_s: 20, required: false },
  ];
  const outcome = verified(await verifyBy({}, on, { settings: { verifiers } }));
  expect(outcome.verifiers).toMatchObject([
    { name: 'slow', timed_out: true, success: false, exit_code: -1, stdout: 'begun\n' },
    { name: 'quick', timed_out: false, success: true, required: false },
  ]);
});

test('a verifier killed by a signal has the exit code of shells', async () => {
  const on = await agentFixture({});
  const { verifiers } = verified(await verifyBy({ test: 'kill -KILL $$' }, on));
  expect(verifiers[0]).toMatchObject({ success: false, exit_code: 137 });
});

test('a secret that a verifier prints is in no result', async () => {
  const on = await agentFixture({}, { secrets: ['hunter2-hunter2'] });
  const outcome = await verifyBy({ test: 'echo hunter2-hunter2; echo AKIAIOSFODNN7EXAMPLE >&2' }, on);
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|AKIAIO/);
  expect(verified(outcome).verifiers[0]).toMatchObject({ stdout: '[REDACTED]\n', stderr: '[REDACTED]\n' });
});

test('verifiers see only the commit, not what the agent left in the worktree', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n', '.gitignore': 'cache\n' });
  const worked = await workBy(
    'echo b > a.txt; touch cache; touch "$HOME/.cache-of-agent"; rm .gitignore',
    on,
  );
  const commit = worked.kind === 'finished' ? worked.work.head : '';
  const { verifiers, changes, gates } = verified(
    await verifyBy({ test: 'cat a.txt; ls -A . "$HOME"' }, on, { commit }),
  );
  expect(verifiers[0]?.stdout).toMatch(/^b\n/);
  expect(verifiers[0]?.stdout).not.toContain('cache-of-agent');
  expect(changes.files.map(({ status, path }) => `${status} ${path}`)).toContain('deleted .gitignore');
  expect(gates).toContainEqual({
    rule: 'deletes-files',
    severity: 'high',
    evidence: '.gitignore is deleted',
    path: '.gitignore',
    allows: 'what is deleted is gone from the base',
  });
});

test('the commits of the iteration are listed', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const worked = await workBy('echo b > a.txt; echo "Say b"', on);
  const commit = worked.kind === 'finished' ? worked.work.head : '';
  const { commits } = verified(await verifyBy({}, on, { commit, from: on.head }));
  expect(commits).toEqual({ count: 1, newest: [{ sha: commit, subject: 'Say b' }] });
});

test('only what the iteration changed is among its files, and nothing that the base brought', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  let from = '';
  const commit = commitOn(on, { 'b.txt': 'own\n' }, (dir) => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.org', ...args], {
        cwd: dir,
        encoding: 'utf8',
      }).trim();
    git('stash', '-q');
    writeFileSync(join(dir, 'a.txt'), 'changed before\n');
    git('commit', '-q', '-a', '-m', 'Earlier');
    from = git('rev-parse', 'HEAD');
    git('checkout', '-q', '-b', 'next', 'origin/main');
    writeFileSync(join(dir, 'theirs.txt'), 'of the base\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'Go on');
    git('push', '-q', 'origin', 'HEAD:refs/heads/main');
    git('merge', '-q', '-m', 'Merge', from);
    git('stash', 'pop', '-q');
  });
  const { own_files, changes } = verified(await verifyBy({}, on, { commit, from }));
  expect(own_files).toEqual(['b.txt']);
  expect(changes.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
});

test("without the iteration's first commit none are listed", async () => {
  const on = await agentFixture({});
  expect(verified(await verifyBy({}, on, { from: '1'.repeat(40) })).commits).toBeUndefined();
});

test('files written by a verifier do not reach the commit', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  await verifyBy({ test: 'echo broken > a.txt' }, on);
  const { verifiers } = verified(await verifyBy({ test: 'cat a.txt' }, on));
  expect(verifiers[0]?.stdout).toBe('a\n');
});

test('a failing setup command is a failure of its own kind, not of a verifier', async () => {
  const on = await agentFixture({});
  const outcome = await verifyBy({ test: 'true' }, on, { settings: { setup: ['exit 9'] } });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'setup' }, left: null });
});

test('cancelling stops before the next verifier', async () => {
  const on = await agentFixture({});
  const signal = AbortSignal.timeout(400);
  expect(await verifyBy({ slow: 'sleep 54321', next: 'true' }, on, { signal })).toEqual({
    kind: 'cancelled',
  });
});

test('verifiers with similar names have separate files', async () => {
  const on = await agentFixture({});
  const { artefacts } = verified(
    await verifyBy({ 'unit test': 'true', 'unit/test': 'true', '../up': 'true' }, on),
  );
  expect(artefacts.map(({ path }) => path)).toEqual([
    'iterations/0/1/implement/verifiers/unit-test.json',
    'iterations/0/1/implement/verifiers/unit-test.2.json',
    'iterations/0/1/implement/verifiers/-up.json',
  ]);
});

test('a base branch that is not in the mirror is an internal error', async () => {
  const on = await agentFixture({});
  const nowhere = { ...on.mirror, resolve: async () => undefined };
  await expect(verifyBy({}, { ...on, resources: { ...on.resources, mirror: nowhere } })).rejects.toThrow(
    /could not find the base branch main/,
  );
});

function verified(outcome: VerifyOutcome) {
  if (outcome.kind !== 'verified') throw new Error(`not verified: ${JSON.stringify(outcome, null, 2)}`);
  return outcome;
}

function artefact({ artefacts }: ReturnType<typeof verified>, name: string) {
  const found = artefacts.find(({ path }) => path === `iterations/0/1/implement/verifiers/${name}.json`);
  return JSON.parse(found?.content ?? 'null');
}
