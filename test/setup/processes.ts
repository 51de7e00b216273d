import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  readonly line: string;
}

/**
 * Processes that were started with something in the folder, or work in it; our own children are not asked.
 */
export function processesOf(folder: string): readonly FoundProcess[] {
  return everybody().filter(({ pid, parent }) => parent !== process.pid && belongs(pid, folder));
}

/**
 * Removes a folder and ends what still works there: a child of one that was killed goes on for a moment, and
 * a folder that is written to cannot be removed.
 */
export function removeWithProcesses(folder: string): void {
  endProcessesOf(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Ends them, and our own children that belong there, and waits until they are gone. */
function endProcessesOf(folder: string): void {
  const until = performance.now() + 3000;
  for (;;) {
    const found = everybody().filter(({ pid }) => belongs(pid, folder));
    if (found.length === 0 || performance.now() > until) return;
    for (const { pid } of found) end(pid);
    pause(20);
  }
}

function everybody(): readonly (FoundProcess & { readonly parent: number })[] {
  return numbersIn('/proc')
    .filter((pid) => pid !== process.pid)
    .map((pid) => {
      const line = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      const stat = textOf(`/proc/${pid}/stat`);
      return { pid, line, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
    });
}

/** Without `/proc`, as on macOS, nobody is found. */
function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function belongs(pid: number, folder: string): boolean {
  return textOf(`/proc/${pid}/environ`).includes(folder) || placeOf(pid).startsWith(folder);
}

/** Empty for whoever has ended meanwhile, or is not ours to look at. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function placeOf(pid: number): string {
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
    // It has ended meanwhile.
  }
}

/** Without giving anybody else in this process a turn: it is about to end. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
