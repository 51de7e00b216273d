import { setTimeout } from 'node:timers/promises';

/** A step of the demo that did not happen in time. */
export class NotSeen extends Error {
  override name = 'NotSeen';
}

const pollEveryMs = 100;

/** Polls until `look` returns something; when the time is over, the error says what was expected. */
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
    await setTimeout(pollEveryMs);
  }
}
