import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A process by number and start time: numbers are given out again, the pair is not. */
export const identitySchema = z.object({
  pid: z.number().int().positive(),
  /** Null where `/proc` does not tell. */
  started: z.string().nullable(),
});

export type Identity = z.output<typeof identitySchema>;

export function identify(pid: number): Identity {
  return { pid, started: startTime(pid) };
}

/** Whether this very process is still there. Where nothing is known of it, it counts as gone. */
export function isAlive({ pid, started }: Identity): boolean {
  return started !== null && startTime(pid) === started;
}

/** Undefined for a text that a crash left half written. */
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
 * The kernel's start time of a process in clock ticks since boot, or null when it is gone or cannot be
 * known.
 */
function startTime(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (cause) {
    if (isGone(cause)) return null;
    throw new Error(`could not read the start time of process ${pid}`, { cause });
  }
  // The program's name, in parentheses, may hold spaces and parentheses; starttime is field 22 (proc(5)).
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** ESRCH: no such process; ENOENT: it left `/proc`. */
export function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ESRCH' || cause.code === 'ENOENT');
}
