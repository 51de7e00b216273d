import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A process by id and start time: ids are reused, the pair is not. */
export const identitySchema = z.object({
  pid: z.number().int().positive(),
  /** Null without `/proc`. */
  started: z.string().nullable(),
});

type Identity = z.output<typeof identitySchema>;

export function identify(pid: number): Identity {
  return { pid, started: startTime(pid) };
}

/** Whether this very process still exists. If its start time is unknown, it counts as gone. */
export function isAlive({ pid, started }: Identity): boolean {
  return started !== null && startTime(pid) === started;
}

/** Undefined for a file that a crash left half-written. */
export function readIdentity(text: string): Identity | undefined {
  return parsed(text, identitySchema);
}

export function parsed<T>(text: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError) return undefined;
    throw cause;
  }
}

/**
 * The start time of a process in clock ticks since boot; null when it is gone or `/proc` is missing.
 */
function startTime(pid: number): string | null {
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
