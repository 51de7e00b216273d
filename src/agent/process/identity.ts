import { z } from 'zod';
import { startTime } from '../../process/start-time.ts';

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
