import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { runProcessGroup } from '../../process/process-group.ts';
import { searchPath } from '../process/environment.ts';
import { type ResourceLimits, sizeText } from './limits.ts';
import type { SandboxPaths } from './paths.ts';

interface Watched {
  /** The first process of the program. */
  readonly leader: number;
  readonly paths: SandboxPaths;
  readonly limits: ResourceLimits;
  /** Whether a cgroup holds the limit on memory. */
  readonly memoryHeld: boolean;
  /** Whether a cgroup holds that on processes, and tells when it is met. */
  readonly processesHeld: boolean;
}

const everyMs = 1000;

/**
 * Looks each second at what no limit of the kernel holds: the disk, and without cgroups the memory. Calls
 * back once, with what the program used too much of in part of a sentence. Returns how to stop watching.
 */
export function watch(watched: Watched, onExceeded: (what: string) => void): () => void {
  let stopped = false;
  const look = async (): Promise<void> => {
    // A folder that is just being removed cannot be measured, and its program has ended.
    const found = await problemWith(watched).catch(() => null);
    if (found !== null && !stopped) onExceeded(found);
    else if (!stopped) timer = setTimeout(look, everyMs);
  };
  let timer = setTimeout(look, everyMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Below this, everybody's programs fail, ours included. */
const machineReserve = { memory: 0.03, disk: 0.01, files: 0.01 };

async function problemWith({ leader, paths, limits, ...held }: Watched): Promise<string | null> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(paths.root);
  if (bavail < blocks * machineReserve.disk) return 'the last space on the disk of this machine';
  if (ffree < files * machineReserve.files) return 'the last places for files on the disk of this machine';
  // What all programs together have written says whether it is worth while to measure this one.
  const takenByAll = paths.freeBytesBefore - bsize * bavail;
  const used = takenByAll < limits.diskBytes / 2 ? 0 : ((await sizeOf(paths.root)) ?? takenByAll);
  if (used > limits.diskBytes) return `more disk than ${sizeText(limits.diskBytes)}`;
  if (held.memoryHeld && held.processesHeld) return null;
  if (freemem() < totalmem() * machineReserve.memory) return 'the last memory of this machine';
  const { memory, processes } = await usedBelow(leader);
  // The kernel lets it start no more than that.
  if (!held.processesHeld && processes >= limits.processes * nearlyAll)
    return `all ${limits.processes} processes and threads that it may have`;
  if (held.memoryHeld || memory <= limits.memoryBytes) return null;
  return `more memory than ${sizeText(limits.memoryBytes)}`;
}

/** From this part on, a program has met the limit: what it starts fails, and others end. */
const nearlyAll = 0.95;

/** Bytes on the disk. Null for too many files, or a folder that we may not read: neither may hide any. */
async function sizeOf(folder: string): Promise<number | null> {
  let [text, denied] = ['', false];
  const { end } = await runProcessGroup(['du', '-skx', folder], {
    env: { PATH: searchPath(), LC_ALL: 'C' },
    timeoutMs: 20_000,
    onStdout: (chunk) => (text += chunk.toString()),
    // Most are of files that were removed in the meantime.
    onStderr: (chunk) => (denied ||= chunk.includes('Permission denied')),
  });
  return end !== 'exited' || denied ? null : Number.parseInt(text, 10) * 1024 || 0;
}

/**
 * Of a process and all that it has started: the memory that they do not share with others, in bytes of pages
 * of 4 KiB, and how many processes and threads they are.
 */
async function usedBelow(leader: number) {
  // A process may have ended in the meantime.
  const read = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '');
  const parents = new Map<number, number>();
  const threads = new Map<number, number>();
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    // The second field is the program's name, in parentheses, and may contain anything.
    const fields = (await read(`${pid}/stat`)).replace(/^.*\) /s, '').split(' ');
    parents.set(pid, Number(fields[1] ?? 0));
    threads.set(pid, Number(fields[17] ?? 0));
  }
  const isBelow = (pid = 0): boolean => pid === leader || (pid > 1 && isBelow(parents.get(pid)));
  const tree = [...parents.keys()].filter(isBelow);
  const sizes = await Promise.all(tree.map((pid) => read(`${pid}/statm`)));
  const pages = sizes.map((text) => text.split(' ').map(Number));
  const memory = pages.reduce((sum, [, all = 0, shared = 0]) => sum + Math.max(all - shared, 0) * 4096, 0);
  return { memory, processes: tree.reduce((sum, pid) => sum + (threads.get(pid) ?? 0), 0) };
}
