import { setTimeout } from 'node:timers/promises';

const lookEveryMs = 50;

/** How long anything of a session may take, in milliseconds: agents and verifiers here take a moment. */
export const patienceMs = 40_000;

/**
 * Looks until there is something to see; says what was expected, and what was seen last, when time is over.
 */
export async function eventually<T>(
  expected: string,
  look: () => Promise<T | undefined> | T | undefined,
  { withinMs = patienceMs, instead = () => '' }: { withinMs?: number; instead?: () => string } = {},
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > until) {
      throw new Error(`expected within ${withinMs / 1000} s: ${expected}\n${instead()}`);
    }
    await setTimeout(lookEveryMs);
  }
}
