import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openControlGroups } from '../../src/agent/sandbox/resource-limits.ts';
import { put, temporaryFolder } from './agent-fixture.ts';

const limits = { memoryBytes: 2 ** 30, processes: 500, cpus: 1.5, diskBytes: 2 ** 30 };

/** A folder with the files of a control group that was delegated to us: the kernel would make them. */
function delegated(controllers: string): { readonly root: string; readonly self: string } {
  const root = temporaryFolder();
  put(root, {
    self: '1:name=systemd:/\n0::/app.service\n',
    'app.service/cgroup.controllers': controllers,
    'app.service/cgroup.type': 'domain\n',
    'app.service/cgroup.procs': '101\n102\n',
    'app.service/cgroup.subtree_control': '',
    'app.service/coxswain-run-left/cgroup.procs': '',
  });
  rmSync(join(root, 'app.service/coxswain-run-left/cgroup.procs'));
  return { root, self: join(root, 'self') };
}

describe('a delegated control group', () => {
  test('is emptied of our own processes, and passes its controllers on', async () => {
    const { root, self } = delegated('cpuset cpu io memory pids\n');
    const { controllers } = await openControlGroups(root, self);
    expect(controllers).toEqual(['memory', 'pids', 'cpu']);
    const own = join(root, 'app.service');
    expect(readFileSync(join(own, 'coxswain-app/cgroup.procs'), 'utf8')).toBe('102');
    expect(readFileSync(join(own, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu');
    expect(existsSync(join(own, 'coxswain-run-left'))).toBe(false);
  });

  test('gets a group for each program, with its limits, which the program enters itself', async () => {
    const { root, self } = delegated('memory pids cpu\n');
    const group = await (await openControlGroups(root, self)).open(limits);
    const argv = group.enter(['echo', 'one  argument']);
    const folder = argv[3] ?? '';
    const value = (file: string): string => readFileSync(join(folder, file), 'utf8').trim();
    const files = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.max'];
    expect(files.map(value)).toEqual(['1073741824', '0', '1', '500', '150000 100000']);
    const [program = '', ...rest] = argv;
    expect(execFileSync(program, rest, { encoding: 'utf8' })).toBe('one  argument\n');
    expect(value('cgroup.procs')).toMatch(/^\d+$/);
  });

  test('says which limit the kernel has enforced', async () => {
    const { root, self } = delegated('memory pids cpu\n');
    const group = await (await openControlGroups(root, self)).open(limits);
    const folder = group.enter([])[3] ?? '';
    expect(await group.exceeded()).toBeNull();
    writeFileSync(join(folder, 'pids.events'), 'max 3\n');
    expect(await group.exceeded()).toBe('more than 500 processes');
    writeFileSync(join(folder, 'memory.events'), 'low 0\noom 1\noom_kill 4\n');
    expect(await group.exceeded()).toBe('more memory than 1 GiB');
  });

  test('holds what it can if it has not all controllers', async () => {
    const { root, self } = delegated('pids\n');
    const groups = await openControlGroups(root, self);
    const folder = (await groups.open(limits)).enter([])[3] ?? '';
    expect(groups.controllers).toEqual(['pids']);
    expect(existsSync(join(folder, 'memory.max'))).toBe(false);
  });

  test('is found again after a restart from within', async () => {
    const { root, self } = delegated('pids\n');
    mkdirSync(join(root, 'app.service/coxswain-app'));
    writeFileSync(join(root, 'app.service/coxswain-app/cgroup.controllers'), 'pids\n');
    writeFileSync(self, '0::/app.service/coxswain-app\n');
    const folder = (await (await openControlGroups(root, self)).open(limits)).enter([])[3] ?? '';
    expect(folder).toMatch(/app\.service\/coxswain-run-\w+$/);
  });

  test('is removed as soon as its last process is gone', async () => {
    const { root, self } = delegated('pids\n');
    const group = await (await openControlGroups(root, self)).open(limits);
    const folder = group.enter([])[3] ?? '';
    rmSync(join(folder, 'pids.max')); // The kernel's files do not keep a folder.
    const removed = group.remove();
    await removed;
    expect(() => rmdirSync(folder)).toThrow(/ENOENT/);
  });
});

test.each([
  ['there is none', '1:name=systemd:/\n', /there is no cgroup v2 here/],
  ['it has none of what we need', '0::/\n', /neither memory nor pids nor cpu/],
])('no control group is used if %s', async (_, line, message) => {
  const root = temporaryFolder();
  put(root, { self: line, 'cgroup.controllers': 'hugetlb\n' });
  await expect(openControlGroups(root, join(root, 'self'))).rejects.toThrow(message);
});
