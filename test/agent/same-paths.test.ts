import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentFixture, agentFixture, places, verifyBy, workBy } from './agent-fixture.ts';
import { failingTests } from './test-reports/reading.ts';

/** Paths by which a program knows where it is. */
const look = [
  'echo "$PWD $HOME $TMPDIR"; pwd -P; getent passwd "$(id -u)" | cut -d: -f6 || true',
  'git rev-parse --show-toplevel --absolute-git-dir --git-common-dir; git worktree list',
].join('; ');

const own = '/run/coxswain';

describe('in the sandbox', { tags: ['bubblewrap'] }, () => {
  test('every attempt at every task sees its folders at the same paths, and so do its verifiers', async () => {
    const [one, other] = [await agentFixture({ 'a.txt': 'a\n' }), await agentFixture({ 'b.txt': 'b\n' })];
    const files = 'echo "$COXSWAIN_PROMPT_FILE $COXSWAIN_REPORT_FILE"';
    const first = await saidBy(`${look}; ${files}`, one);
    expect(first.split('\n')).toEqual([
      `${own}/workspace ${own}/home /tmp`,
      ...[`${own}/workspace`, `${own}/home`, `${own}/workspace`],
      ...[`${own}/repository.git/worktrees/workspace`, `${own}/repository.git`],
      expect.stringMatching(new RegExp(`^${own}/repository.git +\\(bare\\)$`)),
      expect.stringMatching(new RegExp(`^${own}/workspace +[0-9a-f]+ \\(detached HEAD\\)$`)),
      `${own}/exchange/prompt.md ${own}/exchange/report.json`,
    ]);
    const known = (said: string) => said.replace(/ [0-9a-f]+ \(/, ' (');
    expect(known(await saidBy(`${look}; ${files}`, one))).toBe(known(first));
    expect(known(await saidBy(`${look}; ${files}`, other))).toBe(known(first));
    const verified = await verifyBy({ look }, one);
    if (verified.kind !== 'verified') throw new Error(JSON.stringify(verified));
    expect(first).toContain(verified.verifiers[0]?.stdout.trim());
  });

  test('a report of tests names files there, which are those of the repository', async () => {
    const outcome = await verifyBy({ test: failingTests.run }, await agentFixture(failingTests.files));
    expect(outcome).toMatchObject({ verifiers: [{ success: false, tests: failingTests.tests }] });
  });

  test('Git works there, and what is written there is the work', async () => {
    const on = await agentFixture({ 'a.txt': 'a\n', 'lib/b.txt': 'b\n' });
    const script =
      'cd lib; echo c > "$HOME/../workspace/a.txt"; echo d > c.txt; echo now; git status --short';
    const outcome = await workBy(`${script}; git show HEAD:a.txt; git log --format=%s; cat .git || true`, on);
    if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
    expect(outcome.work.report.summary).toBe('now\n M ../a.txt\n?? c.txt\na\nBegin');
    expect(on.git('diff', '--name-status', on.head, outcome.work.head)).toBe('M\ta.txt\nA\tlib/c.txt');
  });

  test('nothing says where they are outside, but what the kernel says of mounts and of the first process', async () => {
    const on = await agentFixture({ 'a.txt': 'a\n' });
    const name = on.root.split('/').at(-1);
    const searched = `"$HOME" "$PWD" /tmp /etc /dev/shm ${own}/repository.git ${own}/exchange`;
    const said = await saidBy(
      [
        `env | grep ${name}; cat /proc/self/environ | tr '\\0' '\\n' | grep ${name}`,
        `grep -rslI ${name} ${searched} /proc/[0-9]*/cmdline /proc/self/mountinfo`,
        `ls -d ${on.root} 2>/dev/null; echo looked`,
      ].join('; '),
      on,
    );
    // Who starts it has to name the folders, and the kernel says of each mount where in its file system it is.
    const told = said.split('\n').filter((line) => !/^\/proc\/(?:1\/cmdline|self\/mountinfo)$/.test(line));
    expect(told).toEqual(['looked']);
  });
});

test('without a sandbox they are where they are', async () => {
  const { sandbox } = places[1] ?? {};
  const on = await agentFixture({}, { ...(sandbox && { sandbox }) });
  const said = await saidBy(
    'pwd; echo "$HOME"; git rev-parse --show-toplevel; test -r "$COXSWAIN_PROMPT_FILE"',
    on,
  );
  const [workspace = '', home, top] = said.split('\n');
  expect(workspace.startsWith(join(on.root, 'work', 'attempts'))).toBe(true);
  expect(top).toBe(workspace);
  expect(home).toBe(workspace.replace(/workspace$/, 'home'));
});

/** What a script prints as the agent of an attempt. */
async function saidBy(script: string, on: AgentFixture): Promise<string> {
  const outcome = await workBy(`${script}; touch made`, on);
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
  return outcome.work.report.summary;
}
