import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killOrphans, probeSandbox, pruneWorkspaces, removeAside } from '../../src/agent/index.ts';
import type { WorkOutcome } from '../../src/agent/port/assignment.ts';
import { agentFixture, failOnLeft, temporaryFolder, workBy } from './agent-fixture.ts';
import { iterationOf, steerOf } from './states.ts';

const unsandboxed = await probeSandbox('off');

test('a nested repository is committed as its files', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  const script = [
    'mkdir -p vendor/lib empty && cd vendor/lib && git init -q . && echo lib > lib.txt',
    'git -c user.name=x -c user.email=x@x add -A && git -c user.name=x -c user.email=x@x commit -qm x',
    'cd ../../empty && git init -q . && echo e > e.txt',
    'cd .. && mkdir -p deep/er && ln -s /etc deep/link && cd deep/er && git init -q . && echo d > d.txt',
  ].join('; ');
  const head = headOf(await workBy(script, on));
  expect(on.git('ls-tree', '-r', '--format=%(objectmode) %(path)', head).split('\n')).toEqual([
    '100755 a.txt',
    '100644 deep/er/d.txt',
    '120000 deep/link',
    '100644 empty/e.txt',
    '100644 vendor/lib/lib.txt',
  ]);
});

test("an agent's submodule cannot make our Git run programs", async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' });
  on.git('read-tree', on.head);
  on.git('update-index', '--add', '--cacheinfo', `160000,${on.head},lib`);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const head = on.git(...author, 'commit-tree', on.git('write-tree'), '-p', on.head, '-m', 'Add lib');
  const ran = join(on.root, 'ran');
  const script = [
    `git clone -q "$(git rev-parse --git-common-dir)" lib && cd lib && git checkout -q ${on.head}`,
    'echo "* filter=evil" > .git/info/attributes && echo b > a.txt && touch -d 2001-01-01 a.txt',
    `git config filter.evil.clean "touch ${ran}; cat"`,
  ].join('; ');
  const worked = headOf(await workBy(script, { ...on, head }));
  expect(existsSync(ran)).toBe(false);
  expect(worked).toBe(head);
});

test('a symbolic link out of the worktree is committed as a link, and its target is not changed', async () => {
  const on = await agentFixture({});
  writeFileSync(join(on.root, 'precious.txt'), 'precious');
  const head = headOf(await workBy(`ln -s ${on.root} out; ln -s /etc/passwd passwd`, on));
  expect(on.git('ls-tree', '--format=%(objectmode) %(path)', head).split('\n')).toEqual([
    '120000 out',
    '120000 passwd',
  ]);
  expect(on.git('show', `${head}:passwd`)).toBe('/etc/passwd');
  expect(readFileSync(join(on.root, 'precious.txt'), 'utf8')).toBe('precious');
});

test("without a sandbox, the agent's own commits and a forged .git have no effect", async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' }, { sandbox: unsandboxed });
  const script = [
    'echo one > one.txt; git add -A; git -c user.name=Mallory -c user.email=m@x commit -qm "Not ours"',
    `mkdir ${on.root}/forged && git init -q ${on.root}/forged`,
    `git -C ${on.root}/forged config core.fsmonitor "touch ${on.root}/ran"`,
    `rm .git; echo "gitdir: ${on.root}/forged/.git" > .git; echo two > two.txt`,
  ].join('; ');
  const head = headOf(await workBy(script, on));
  expect(on.git('log', '--format=%an', head).split('\n')).toEqual(['Coxswain', 'Ada']);
  expect(on.git('ls-tree', '--name-only', head).split('\n')).toEqual(['a.txt', 'one.txt', 'two.txt']);
  expect(existsSync(join(on.root, 'ran'))).toBe(false);
});

test('hooks and filters created by the agent never run', async () => {
  const on = await agentFixture({ 'a.txt': 'a\n' }, { sandbox: unsandboxed });
  const script = [
    'hooks=$(git rev-parse --git-common-dir)/hooks; mkdir -p "$hooks"',
    `printf '#!/bin/sh\\ntouch ${on.root}/hook-ran\\n' > "$hooks/pre-commit"; chmod +x "$hooks/pre-commit"`,
    `echo '* filter=evil' > .gitattributes; echo b > a.txt`,
  ].join('; ');
  headOf(await workBy(script, on));
  expect(existsSync(join(on.root, 'hook-ran'))).toBe(false);
});

test("files created by setup are not part of the agent's work", async () => {
  const on = await agentFixture({ 'a.txt': 'a\n', '.gitignore': 'cache/\n' });
  const setup = ['mkdir -p node_modules/x cache && touch node_modules/x/y cache/z', 'touch built.txt'];
  const outcome = await workBy('ls node_modules/x cache; echo b > a.txt; echo n > new.txt', on, {
    settings: { setup },
  });
  if (outcome.kind !== 'finished') throw new Error(JSON.stringify(outcome));
  expect(outcome.work.changes.files.map(({ path }) => path)).toEqual(['a.txt', 'new.txt']);
});

test("files created by setup are not removed through the agent's symbolic link", async () => {
  const on = await agentFixture({ 'package/a.txt': 'a\n' });
  const precious = join(on.root, 'precious');
  mkdirSync(join(precious, 'built'), { recursive: true });
  writeFileSync(join(precious, 'built', 'keep.txt'), 'keep');
  const setup = ['mkdir -p package/built top && touch package/built/x top/y'];
  const script = `rm -rf package top; ln -s ${precious} package; ln -s ${precious} top`;
  headOf(await workBy(script, on, { settings: { setup } }));
  expect(readFileSync(join(precious, 'built', 'keep.txt'), 'utf8')).toBe('keep');
});

test('the prompt is not written through a symbolic link created by setup', async () => {
  const on = await agentFixture({});
  const victim = join(on.root, 'victim.txt');
  writeFileSync(victim, 'untouched');
  const setup = [`ln -sf ${victim} "$(dirname "$HOME")/exchange/prompt.md"`];
  await workBy('touch x', on, { settings: { setup } });
  expect(readFileSync(victim, 'utf8')).toBe('untouched');
});

test('a failing setup command ends the attempt, with its last output', async () => {
  const on = await agentFixture({});
  const outcome = await workBy('touch x', on, {
    settings: { setup: ['true', 'echo no lock file >&2; exit 2'] },
  });
  expect(outcome).toMatchObject({
    kind: 'failed',
    failure: { kind: 'setup', message: expect.stringMatching(/ended with exit code 2:\nno lock file/) },
  });
});

test("the commit names the iteration's steerers, and cannot skip workflows", async () => {
  const on = await agentFixture({});
  const steers = [steerOf('grace', 'more'), steerOf('linus', 'less'), steerOf('grace', 'again')];
  const state = { iteration: 1, iterations: [iterationOf(0), iterationOf(1, { steers })] };
  const head = headOf(await workBy('touch x; echo "Did it [skip ci]"', on, { state }));
  expect(on.git('log', '-1', '--format=%B', head)).toMatchInlineSnapshot(`
    "Did it (skip ci)

    Coxswain-Run: acme/sums#7
    Coxswain-Iteration: 1
    Coxswain-Attempt: 1
    Co-authored-by: grace <grace@users.noreply.github.com>
    Co-authored-by: linus <linus@users.noreply.github.com>"
  `);
});

test('a commit discloses the agent only where that is configured', async () => {
  const on = await agentFixture({});
  const settings = { commits: { disclose: 'assisted-by' } } as const;
  const head = headOf(await workBy('touch x; echo Done', on, { settings }));
  expect(on.git('log', '-1', '--format=%(trailers:key=Assisted-by)', head)).toBe('Assisted-by: sh');
});

test('what it discloses cannot skip workflows', async () => {
  const on = await agentFixture({ '[skip ci]': '#!/bin/sh\ntouch x\n' });
  const agent = { use: 'command', command: ['./[skip ci]'], timeout_s: 20 } as const;
  const settings = { agent, commits: { disclose: 'assisted-by' } } as const;
  const head = headOf(await workBy('', on, { settings }));
  expect(on.git('log', '-1', '--format=%(trailers:key=Assisted-by)', head)).toBe('Assisted-by: (skip ci)');
});

test("an agent's commit closes no issue, mentions nobody and contains no link", async () => {
  const on = await agentFixture({});
  const summary = 'Fixes #7, @@mia, owner/repo#1, GH-1 and https://github.com/a/b/issues/7';
  const head = headOf(await workBy(`touch x; echo '${summary}'`, on));
  expect(on.git('log', '-1', '--format=%s', head).trim()).toBe(
    'Fixes 7, mia, owner/repo1, GH 1 and github.com/a/b/issues/7',
  );
  expect(on.git('log', '-1', '--format=%B', head)).not.toMatch(/@mia|#1|#7 |:\/\//);
});

test("an agent's commit contains no token with a colour inside", async () => {
  const on = await agentFixture({});
  const summary = 'Use ghp_a1B2c3D4\\033[31me5F6g7H8i9J0k1L2m3N4o5P6q7R8';
  const head = headOf(await workBy(`touch x; printf '${summary}'`, on));
  expect(on.git('log', '-1', '--format=%s', head).trim()).toBe('Use [REDACTED]');
});

test('workspaces of a crashed App are removed, those of a running one are not', async () => {
  const on = await agentFixture({});
  const places = join(on.resources.workRoot, 'attempts');
  const mine = { pid: process.pid, started: startedAt(process.pid) };
  const owners = { crashed: { pid: process.pid, started: '1' }, living: mine };
  for (const [name, owner] of Object.entries(owners)) {
    mkdirSync(join(places, name, 'workspace'), { recursive: true });
    writeFileSync(join(places, name, 'owner.json'), JSON.stringify(owner));
  }
  mkdirSync(join(places, 'half-made'));
  await pruneWorkspaces(on.mirror, on.resources.workRoot, failOnLeft);
  await removeAside(on.resources.workRoot, failOnLeft);
  expect(readdirSync(join(on.resources.workRoot, 'removing'))).toEqual([]);
  expect(readdirSync(places)).toEqual(['living']);
});

test('children of a killed App are ended with their group; another process with the same id is not', async () => {
  const workRoot = temporaryFolder();
  const env = { ...process.env, COXSWAIN_CHILD: 'a-mark-of-this-test-alone' };
  const orphan = spawn('sh', ['-c', 'sleep 60 & wait'], { detached: true, stdio: 'ignore' });
  const strayed = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const dead = { pid: 1, started: 'never' };
  const orphanPid = Number(orphan.pid);
  writeChild(workRoot, 'a', { pid: orphanPid, started: startedAt(orphanPid), owner: dead });
  writeChild(workRoot, 'b', { pid: stranger.pid, started: '1', owner: dead });
  writeChild(workRoot, 'c', { pid: stranger.pid, started: startedAt(Number(stranger.pid)), owner: living() });
  const ended = Promise.all([once(orphan, 'exit'), once(strayed, 'exit')]);
  expect(killOrphans(workRoot)).toEqual([orphan.pid]);
  expect((await ended).map(([, signal]) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
  expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
  expect(readdirSync(join(workRoot, 'children'))).toEqual(['c.json']);
});

function living() {
  return { pid: process.pid, started: startedAt(process.pid) };
}

function startedAt(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
}

function writeChild(workRoot: string, name: string, child: object): void {
  mkdirSync(join(workRoot, 'children'), { recursive: true });
  const mark = `COXSWAIN_CHILD=${name === 'a' ? 'a-mark-of-this-test-alone' : 'on no process'}`;
  writeFileSync(join(workRoot, 'children', `${name}.json`), JSON.stringify({ mark, ...child }));
}

function headOf(outcome: WorkOutcome): string {
  if (outcome.kind !== 'finished') throw new Error(`not finished: ${JSON.stringify(outcome, null, 2)}`);
  return outcome.work.head;
}
