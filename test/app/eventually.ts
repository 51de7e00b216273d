import { setTimeout } from 'node:timers/promises';

const lookEveryMs = 50;

/**
 * How long nothing may happen, in milliseconds. A busy machine makes a session slow, not silent, so what is
 * at work is waited for.
 */
export const patienceMs = 40_000;

/** However busy it is, a test should say what it waited for before its own time is over. */
const mostMs = 100_000;

export interface Waiting {
  readonly withinMs?: number;
  /** Differs as long as something is going on; then patience begins anew. */
  readonly progress?: () => unknown;
  /** What was seen last. */
  readonly instead?: () => string;
}

/**
 * Looks until there is something to see; says what was expected, and what was seen last, when time is over.
 */
export async function eventually<T>(
  expected: string,
  look: () => Promise<T | undefined> | T | undefined,
  { withinMs = patienceMs, progress = () => undefined, instead = () => '' }: Waiting = {},
): Promise<T> {
  const began = performance.now();
  let changed = { at: began, to: progress() };
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    const now = performance.now();
    if (progress() !== changed.to) changed = { at: now, to: progress() };
    if (now - changed.at > withinMs || now - began > mostMs) {
      const silence = `nothing happened for ${Math.round((now - changed.at) / 1000)} s`;
      throw new Error(
        `expected within ${Math.round((now - began) / 1000)} s: ${expected}; ${silence}\n${instead()}`,
      );
    }
    await setTimeout(lookEveryMs);
  }
}
