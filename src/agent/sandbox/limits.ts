import { totalmem } from 'node:os';

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
  const memoryBytes = Math.floor(totalmem() * 0.75);
  return { memoryBytes, processes: 4096, cpus: null, diskBytes: 10 * gibibyte };
}

/** Of one attempt where no cgroup counts them: enough for Gradle, Chromium and Vitest. */
export const uncountedProcesses = 1024;

/** `4 GiB`, `512 MiB`, as people write sizes. */
export function sizeText(bytes: number): string {
  const size = bytes >= gibibyte ? bytes / gibibyte : bytes / 1024 ** 2;
  return `${Math.round(size * 10) / 10} ${bytes >= gibibyte ? 'GiB' : 'MiB'}`;
}
