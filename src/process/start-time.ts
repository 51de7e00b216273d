import { readFileSync } from 'node:fs';

/**
 * The start time of a process in clock ticks since boot; null when it is gone or `/proc` is missing.
 * Process ids are reused; together with its start time an id is unique.
 */
export function startTime(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (cause) {
    if (isGone(cause)) return null;
    throw new Error(`could not read the start time of process ${pid}`, { cause });
  }
  // The program's name, in parentheses, may contain spaces and parentheses; starttime is field 22 (proc(5)).
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** ESRCH: no such process. ENOENT: no longer in `/proc`. */
export function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ESRCH' || cause.code === 'ENOENT');
}
