import { setTimeout } from 'node:timers/promises';

/** A step of the demo that did not happen in time. */
export class TimedOut extends Error {
  override name = 'TimedOut';
}

const pollEveryMs = 100;

/** Polls until `check` returns a value; after the time limit, the error names what was expected. */
export async function eventually<T>(
  expected: string,
  withinMs: number,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new TimedOut(`expected within ${withinMs / 1000} s: ${expected}`);
    await setTimeout(pollEveryMs);
  }
}
