import { readFileSync, statfsSync } from 'node:fs';
import { runProcessGroup } from '../../process/process-group.ts';
import { searchPath } from '../environment.ts';
import { type ResourceLimits, sizeText } from './limits.ts';
import {
  maxDescriptors,
  type NamelessFiles,
  namelessFiles,
  privateMemory,
  processTree,
} from './process-tree.ts';

/** A program, and what it may use. */
export interface Watched {
  /** Its first process. */
  readonly leader: number;
  /** The folder of the attempt: all that it can write is below it. */
  readonly folder: string;
  readonly limits: ResourceLimits;
  /** What was free on the disk before the attempt. */
  readonly freeBytesBefore: number;
  /** Whether the kernel holds the limit on memory. */
  readonly memoryHeld: boolean;
}

const everyMs = 1000;

/**
 * Watches what no limit of the kernel holds: the disk, and without cgroups the memory. Calls back once, with
 * what the program used too much of in part of a sentence. Returns how to stop watching.
 */
export function watch(watched: Watched, onExceeded: (what: string) => void): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const { shared } = machineMemory();
  const look = async (): Promise<void> => {
    const memory = watched.memoryHeld ? null : await memoryProblem(watched, shared);
    // A folder that is just being removed cannot be measured, and its program has ended.
    const found = memory ?? (await diskProblem(watched).catch(() => null));
    if (stopped) return;
    if (found === null) timer = setTimeout(() => void look(), everyMs);
    else onExceeded(found);
  };
  timer = setTimeout(() => void look(), everyMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** How much is free on the disk of a folder, in bytes. */
export function freeBytesOn(folder: string): number {
  const { bsize, bavail } = statfsSync(folder);
  return bsize * bavail;
}

/** Below this, everybody's programs fail, ours included. */
const machineReserve = { memory: 0.03, disk: 0.01, files: 0.01 };

/** Memory that is shared belongs to no process: what all have more of than before says whether to look. */
async function memoryProblem({ leader, limits }: Watched, sharedBefore: number): Promise<string | null> {
  const tree = processTree(leader);
  const { total, available, shared } = machineMemory();
  if (available < total * machineReserve.memory) return 'the last memory of this machine';
  const looksForFiles = shared - sharedBefore > limits.memoryBytes / 4;
  const files = looksForFiles ? await namelessFiles(tree) : noFiles;
  if (files === null) return `more than ${maxDescriptors} open files`;
  const used = tree.reduce((sum, pid) => sum + privateMemory(pid), files.memoryBytes);
  return used > limits.memoryBytes ? `more memory than ${sizeText(limits.memoryBytes)}` : null;
}

const noFiles: NamelessFiles = { diskBytes: 0, memoryBytes: 0 };

/** In bytes. */
interface MachineMemory {
  readonly total: number;
  readonly available: number;
  /** Of files in memory, with and without a name. */
  readonly shared: number;
}

function machineMemory(): MachineMemory {
  const lines = readFileSync('/proc/meminfo', 'utf8').split('\n');
  const bytes = (name: string): number => {
    const line = lines.find((each) => each.startsWith(`${name}:`)) ?? '';
    return Number(/\d+/.exec(line)?.[0] ?? 0) * 1024;
  };
  return { total: bytes('MemTotal'), available: bytes('MemAvailable'), shared: bytes('Shmem') };
}

/** What all programs together have written says whether it is worth while to measure this one. */
async function diskProblem({ leader, folder, limits, freeBytesBefore }: Watched): Promise<string | null> {
  const { bsize, blocks, bavail, files, ffree } = statfsSync(folder);
  if (bavail < blocks * machineReserve.disk) return 'the last space on the disk of this machine';
  if (ffree < files * machineReserve.files) return 'the last places for files on the disk of this machine';
  const takenByAll = freeBytesBefore - bsize * bavail;
  if (takenByAll < limits.diskBytes / 2) return null;
  const nameless = await namelessFiles(processTree(leader));
  if (nameless === null) return `more than ${maxDescriptors} open files`;
  // What cannot be measured is at most what is missing on the disk.
  const used = ((await sizeOf(folder)) ?? takenByAll) + nameless.diskBytes;
  return used > limits.diskBytes ? `more disk than ${sizeText(limits.diskBytes)}` : null;
}

/**
 * Bytes on the disk, of all files of the folder. Null if it has too many, or a folder that we may not read:
 * neither may be a place to hide.
 */
async function sizeOf(folder: string): Promise<number | null> {
  let text = '';
  let problem = '';
  let denied = false;
  const { end } = await runProcessGroup(['du', '-skx', folder], {
    env: { PATH: searchPath(), LC_ALL: 'C' },
    timeoutMs: 20_000,
    onStdout: (chunk) => (text += chunk.toString()),
    // Most are of files that were removed in the meantime.
    onStderr: (chunk) => {
      problem = problem.slice(-refusal.length) + chunk.toString();
      denied ||= problem.includes(refusal);
    },
  });
  if (end !== 'exited' || denied) return null;
  return Number.parseInt(text, 10) * 1024 || 0;
}

const refusal = 'Permission denied';
