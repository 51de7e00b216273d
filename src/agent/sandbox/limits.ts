import { totalmem } from 'node:os';
import { pathOf } from '../environment.ts';

/** What the programs of one attempt may use of this machine. */
export interface ResourceLimits {
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly processes: number;
  /** How many processors they may keep busy; null: all. */
  readonly cpus: number | null;
  readonly diskBytes: number;
}

const gibibyte = 1024 ** 3;

/** Enough for the builds of most projects, and too little to take the machine from the others. */
export function defaultLimits(): ResourceLimits {
  return {
    memoryBytes: Math.floor(totalmem() * 0.75),
    processes: 4096,
    cpus: null,
    diskBytes: 10 * gibibyte,
  };
}

/** `4 GiB`, `512 MiB`, as people write sizes. */
export function sizeText(bytes: number): string {
  const size = bytes >= gibibyte ? bytes / gibibyte : bytes / 1024 ** 2;
  return `${Math.round(size * 10) / 10} ${bytes >= gibibyte ? 'GiB' : 'MiB'}`;
}

/** What one program may use of the machine. */
export interface ProgramLimits {
  /** Processes and threads together. */
  readonly processes: number;
  /** The size of the largest file, in bytes. */
  readonly fileBytes: number;
}

/**
 * Limits that the kernel holds without cgroups. That on processes counts those of the user inside of the
 * namespace of users; it does not hold for root.
 */
export function withRlimits(
  argv: readonly string[],
  { processes, fileBytes }: ProgramLimits,
): readonly string[] {
  const limits = [`--nproc=${processes}:${processes}`, `--fsize=${fileBytes}:${fileBytes}`, '--core=0:0'];
  return [pathOf('prlimit'), ...limits, '--', ...argv];
}
