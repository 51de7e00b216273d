import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';

interface FoundProcess {
  readonly pid: number;
  readonly line: string;
}

/**
 * Processes whose environment or working directory is in the folder, except our own children.
 */
export function processesOf(folder: string): readonly FoundProcess[] {
  return otherProcesses().filter(({ pid, parent }) => parent !== process.pid && belongs(pid, folder));
}

/**
 * Removes a folder and ends processes that still use it: a child of a killed process may live on briefly, and
 * a folder that is being written to cannot be removed.
 */
export function removeWithProcesses(folder: string): void {
  endProcessesOf(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Ends the folder's processes, including our own children, and waits until they have exited. */
function endProcessesOf(folder: string): void {
  const until = performance.now() + 3000;
  for (;;) {
    const found = otherProcesses().filter(({ pid }) => belongs(pid, folder));
    if (found.length === 0 || performance.now() > until) return;
    for (const { pid } of found) end(pid);
    pause(20);
  }
}

function otherProcesses(): readonly (FoundProcess & { readonly parent: number })[] {
  return numbersIn('/proc')
    .filter((pid) => pid !== process.pid)
    .map((pid) => {
      const line = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      const stat = textOf(`/proc/${pid}/stat`);
      return { pid, line, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
    });
}

/** Without `/proc`, as on macOS, no process is found. */
function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function belongs(pid: number, folder: string): boolean {
  return textOf(`/proc/${pid}/environ`).includes(folder) || directoryOf(pid).startsWith(folder);
}

/** Empty for a process that has ended in the meantime or belongs to another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function directoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

/** Blocks the whole process, which is about to exit. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
