import type { Settings } from '../steering/settings.ts';

/** What a task would have to say instead of what loosens a setting; undefined if it tightens it. */

/** What a task may only raise. */
export function below(value: number, now: number): string | undefined {
  return value < now ? `at least ${now}, the repository's own` : undefined;
}

/** What a task may only lower. */
export function above(value: number, now = Infinity): string | undefined {
  return value > now ? `at most ${now}, the repository's own` : undefined;
}

type Mode = Settings['approval']['mode'];

/** Neither of the modes without people is always the stricter one: that depends on the threshold. */
export function weaker(value: Mode, now: Mode): string | undefined {
  if (value === 'manual' || value === now) return undefined;
  return now === 'manual' ? 'manual' : `${now}, the repository's own, or manual`;
}
