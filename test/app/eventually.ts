import { setTimeout } from 'node:timers/promises';

const pollEveryMs = 50;

/** The timeout without progress, in milliseconds. A busy machine makes a session slow, but not idle. */
export const idleTimeoutMs = 40_000;

/** The timeout despite progress: below the tests' own, so that the error names what was waited for. */
const maxMs = 100_000;

export interface WaitOptions {
  readonly withinMs?: number;
  /** Changes whenever there is progress; then the timeout restarts. */
  readonly progress?: () => unknown;
  /** Describes what was seen last. */
  readonly instead?: () => string;
}

/** Polls until `look` returns a value; a timeout throws with what was expected and what was seen last. */
export async function eventually<T>(
  expected: string,
  look: () => Promise<T | undefined> | T | undefined,
  { withinMs = idleTimeoutMs, progress = () => undefined, instead = () => '' }: WaitOptions = {},
): Promise<T> {
  const began = performance.now();
  let changed = { at: began, to: progress() };
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    const now = performance.now();
    if (progress() !== changed.to) changed = { at: now, to: progress() };
    if (now - changed.at > withinMs || now - began > maxMs) {
      const idle = `no progress for ${Math.round((now - changed.at) / 1000)} s`;
      throw new Error(
        `expected within ${Math.round((now - began) / 1000)} s: ${expected}; ${idle}\n${instead()}`,
      );
    }
    await setTimeout(pollEveryMs);
  }
}
