import { pathOf } from '../environment.ts';

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
