import { setTimeout } from 'node:timers/promises';

/** Whether the work ends within so many milliseconds; otherwise it goes on, and nobody waits for it. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController();
  const late = setTimeout(ms, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
