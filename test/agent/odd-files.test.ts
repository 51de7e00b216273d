import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probeSandbox, pruneWorkspaces, removeAside } from '../../src/agent/index.ts';
import type { WorkOutcome } from '../../src/agent/port/assignment.ts';
import { agentFixture, failOnLeft, verifyBy, workBy } from './agent-fixture.ts';

/** Whatever files an agent leaves, it is a failed attempt with a reason, never an error of ours. */

const unsandboxed = await probeSandbox('off');
const socket = (path: string) => `node -e "net.createServer().listen('${path}', () => process.exit())"`;

test.each([
  ['a pipe for a tracked file', 'rm a.txt; mkfifo a.txt', /a\.txt/],
  ['a socket for a tracked file', `rm a.txt; ${socket('a.txt')}`, /a\.txt/],
  ['.GIT', 'mkdir .GIT; echo x > .GIT/config', /invalid path '\.GIT\/config'/],
  ['.git with a blank', 'mkdir ".git "; echo x > ".git /config"', /invalid path '\.git \/config'/],
  ['.git with a dot', 'mkdir .git.; echo x > .git./config', /invalid path '\.git\.\/config'/],
  ['the short name of .git', 'mkdir git~1; echo x > git~1/config', /invalid path 'git~1\/config'/],
  [
    '.git with a joiner inside, which macOS ignores',
    'd=$(printf ".g\\342\\200\\214it"); mkdir "$d"; echo x > "$d/config"',
    /invalid path/,
  ],
  ['an unknown encoding', 'echo "* working-tree-encoding=UTF-99" > .gitattributes', /encode .* from UTF-99/],
  ['a wrong encoding', 'echo "* working-tree-encoding=UTF-16" > .gitattributes', /UTF-16/],
  [
    'a path that is too long',
    'for i in $(seq 60); do n=$(printf %0100d $i); mkdir $n; cd $n; done; echo x > f',
    /too long/,
  ],
  ['a pipe for .gitignore', 'mkfifo .gitignore', /\.gitignore is not a plain file/],
  [
    'a pipe for .gitattributes',
    'rm -f .gitattributes; mkfifo .gitattributes',
    /\.gitattributes is not a plain file/,
  ],
  [
    'a pipe for .gitignore in a folder',
    'mkdir -p b/c; mkfifo b/c/.gitignore',
    /b\/c\/\.gitignore is not a plain/,
  ],
  ['a pipe for .gitmodules', 'mkfifo .gitmodules', /\.gitmodules is not a plain file/],
  ['endless attributes', 'head -c 20000000 /dev/zero > .gitattributes', /\.gitattributes is larger/],
])('%s is a failed attempt', { timeout: 20_000 }, async (_, script, reason) => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const outcome = await workBy(script, on);
  expect(outcome).toMatchObject({
    kind: 'failed',
    failure: { kind: 'worktree', message: expect.stringMatching(reason) },
  });
});

test.each([
  ['a pipe beside the others', 'mkfifo pipe; echo b > b.txt'],
  [
    'a pipe as the head of a nested repository',
    'git init -q n; rm n/.git/HEAD; mkfifo n/.git/HEAD; touch b.txt',
  ],
  [
    'a link to a folder with such a head',
    'mkdir -p /tmp/e n/x; mkfifo /tmp/e/HEAD; ln -s /tmp/e n/.git; touch b.txt',
  ],
  [
    'a file that names such a folder',
    'mkdir -p e n; mkfifo e/HEAD; echo "gitdir: ../e" > n/.git; touch n/x b.txt',
  ],
  ['a link to itself', 'ln -s loop loop; touch b.txt'],
])('%s does not keep the work from being committed', { timeout: 20_000 }, async (_, script) => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const head = headOf(await workBy(script, on));
  expect(on.git('ls-tree', '-r', '--name-only', head).split('\n')).toContain('b.txt');
});

test("without a sandbox, an agent's link in place of the worktree is not followed", async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' }, { sandbox: unsandboxed });
  mkdirSync(join(on.root, 'private'));
  writeFileSync(join(on.root, 'private', 'key'), 'secret');
  const outcome = await workBy(`w=$PWD; cd ..; rm -rf "$w"; ln -s ${on.root}/private "$w"`, on);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'worktree' } });
});

test('a pipe that setup leaves behind is a failed attempt', { timeout: 20_000 }, async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const outcome = await workBy('true', on, { settings: { setup: ['mkfifo .gitignore'] } });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'worktree' } });
});

test('a commit that cannot be checked out is a failed attempt', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const treeOf = (entry: string) =>
    execFileSync('git', ['mktree'], { cwd: on.mirror.dir, input: `${entry}\n`, encoding: 'utf8' }).trim();
  let tree = treeOf(`100644 blob ${on.git('rev-parse', `${on.head}:a.txt`)}\tf`);
  for (let depth = 0; depth < 50; depth++) tree = treeOf(`040000 tree ${tree}\t${'d'.repeat(100)}`);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const head = on.git(...author, 'commit-tree', tree, '-p', on.head, '-m', 'Deep');
  const failure = { kind: 'worktree', message: expect.stringMatching(/cannot create directory/) };
  expect(await workBy('true', { ...on, head })).toMatchObject({ kind: 'failed', failure });
  expect(await verifyBy({ test: 'true' }, { ...on, head })).toMatchObject({ kind: 'failed', failure });
});

test('a workspace with a path that is too long is removed', async () => {
  const on = await agentFixture({});
  await workBy('for i in $(seq 60); do n=$(printf %0100d $i); mkdir $n; cd $n; done; chmod 0 .', on);
  await pruneWorkspaces(on.mirror, on.resources.workRoot, failOnLeft);
  await removeAside(on.resources.workRoot, failOnLeft);
  expect(readdirSync(join(on.resources.workRoot, 'removing'))).toEqual([]);
  expect(readdirSync(join(on.resources.workRoot, 'attempts'))).toEqual([]);
});

function headOf(outcome: WorkOutcome): string {
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
  return outcome.work.head;
}

test('a change of very many long paths is judged as a whole, but not listed as a whole', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const many =
    'mkdir -p .github/workflows; cd .github/workflows; for i in $(seq 1 1200); do : > $(printf %0240d $i); done';
  const outcome = await workBy(`${many}; rm ../../a.txt`, on);
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome).slice(0, 500));
  const { gates, work } = outcome;
  const { files, omitted = 0, summary } = work.changes;
  expect(summary).toMatch(/^1201 files changed/);
  expect(files.length).toBeLessThan(1100);
  expect(files.length + omitted).toBe(1201);
  expect(gates).toContainEqual(expect.objectContaining({ rule: 'deletes-files' }));
  const automation = gates.filter(({ rule }) => rule === 'changes-automation');
  expect(automation).toHaveLength(101);
  expect(automation.at(-1)).toMatchObject({ evidence: 'and 1100 more' });
});
