import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { type ProcessOptions, runProcessGroup } from '../../src/process/process-group.ts';

/** Runs a line of shell until its whole process group has ended. */
async function sh(line: string, options: Partial<ProcessOptions> = {}) {
  let output = '';
  let leader = 0;
  const end = await runProcessGroup(['sh', '-c', line], {
    env: { PATH: process.env['PATH'] },
    timeoutMs: 60_000,
    onStart: (pid) => {
      leader = pid;
    },
    onStdout: (chunk) => {
      output += chunk;
    },
    onStderr: (chunk) => {
      output += chunk;
    },
    ...options,
  });
  await vi.waitFor(() => expect(livingIn(leader)).toEqual([]), 60_000);
  return { end, output };
}

/** The running processes of a group, without zombies. */
function livingIn(group: number): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const [state, , pgrp] = statOf(name);
    return group !== 0 && Number(pgrp) === group && state !== 'Z';
  });
}

function statOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it ended while we looked
  }
}

test('a program ends with its exit code', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
    end: { end: 'exited', exitCode: 3 },
    output: 'out\nerr\n',
  });
});

test('a program that is killed ends with the signal', async () => {
  expect((await sh('kill -KILL $$')).end).toEqual({ end: 'signalled', signal: 'SIGKILL' });
});

test.each([
  ['is not there', 'no-such-program'],
  ['cannot be named', 'sh\0'],
])('a program that %s is not started', async (_, program) => {
  const sinks = { onStdout: () => undefined, onStderr: () => undefined };
  const end = await runProcessGroup([program], { env: {}, timeoutMs: 1_000, ...sinks });
  expect(end).toMatchObject({ end: 'not_started', cause: expect.any(Error) });
});

test('no environment variables are inherited', async () => {
  expect((await sh('env')).output).not.toContain('HOME=');
});

test('input is written and closed', async () => {
  expect((await sh('cat', { input: 'hello' })).output).toBe('hello');
});

test('a program need not read its input', async () => {
  const { end } = await sh('exit 0', { input: 'x'.repeat(1024 * 1024) });
  expect(end).toEqual({ end: 'exited', exitCode: 0 });
});

describe('the whole group is gone', () => {
  test('when its leader ends', async () => {
    const { end } = await sh('sleep 60 & exit 0');
    expect(end).toEqual({ end: 'exited', exitCode: 0 });
  });

  test('when its time is over, even if it ignores SIGTERM', async () => {
    const line = `trap '' TERM; (trap '' TERM; sleep 60) & sleep 60; sleep 60`;
    const { end } = await sh(line, { timeoutMs: 100, graceMs: 100 });
    expect(end).toEqual({ end: 'timed_out' });
  });

  test('when it is aborted', async () => {
    const ending = new AbortController();
    const onStdout = () => ending.abort();
    const { end } = await sh('echo; sleep 60 & sleep 60', { signal: ending.signal, onStdout });
    expect(end).toEqual({ end: 'cancelled' });
  });

  test('when its output is refused, and no more of it arrives', async () => {
    let chunks = 0;
    const onStdout = () => {
      chunks += 1;
      throw new Error('too much');
    };
    const { end } = await sh('yes', { onStdout });
    expect(end).toEqual({ end: 'output_refused', cause: new Error('too much') });
    expect(chunks).toBe(1);
  });
});

test('a program that is aborted before it starts is never started', async () => {
  const { end, output } = await sh('echo started', { signal: AbortSignal.abort() });
  expect({ end, output }).toEqual({ end: { end: 'cancelled' }, output: '' });
});

test('a program that cannot be registered is killed', async () => {
  let leader = 0;
  const onStart = (pid: number) => {
    leader = pid;
    throw new Error('the disk is full');
  };
  await expect(sh('sleep 60', { onStart })).rejects.toThrow('the disk is full');
  await vi.waitFor(() => expect(livingIn(leader)).toEqual([]), 60_000);
});

test('a process that left the group but keeps the output open is not waited for', async () => {
  const { end, output } = await sh(`setsid sh -c 'sleep 20' & echo said`);
  expect({ end, output }).toEqual({ end: { end: 'exited', exitCode: 0 }, output: 'said\n' });
});
