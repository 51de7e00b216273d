import { setTimeout } from 'node:timers/promises';

/** A step of the demo that did not happen within its bound. */
export class NotSeen extends Error {
  override name = 'NotSeen';
}

const lookEveryMs = 100;

/** Looks until there is something to see; says what was expected when the time is over. */
export async function eventually<T>(
  expected: string,
  withinMs: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > until) throw new NotSeen(`expected within ${withinMs / 1000} s: ${expected}`);
    await setTimeout(lookEveryMs);
  }
}
