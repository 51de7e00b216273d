import type { Assertion } from './assertion.ts';
import { likeness } from './comparing.ts';
import { wordsRead } from './words.ts';

export interface Pair {
  readonly old: Assertion;
  readonly next: Assertion;
  /** How much they are about the same; 1 and more if they certainly are. */
  readonly alike: number;
}

export interface Paired {
  readonly pairs: readonly Pair[];
  /** What is about nothing that the other side is about. */
  readonly removed: readonly Assertion[];
  readonly added: readonly Assertion[];
}

/** Nobody compares more than this many assertions of one test with each other. */
export const maxCompared = 60;

/** Pairs assertions about the same, those first that are most alike. */
export function pairAlike(removed: readonly Assertion[], added: readonly Assertion[]): Paired {
  const candidates: (Pair & { readonly score: number })[] = [];
  const words = wordsRead();
  for (const [place, old] of removed.entries()) {
    for (const next of added.slice(Math.max(0, place - maxCompared), place + maxCompared)) {
      if (kindOf(old) !== kindOf(next)) continue;
      const alike = likeness(old, next, words) + (old.expected === next.expected ? 0.3 : 0);
      if (alike <= 0.49) continue;
      const score = alike + closeness(old, next);
      candidates.push({ old, next, alike, score });
    }
  }
  candidates.sort((a, b) => b.score - a.score);
  const [left, free] = [new Set(removed), new Set(added)];
  const pairs = candidates.filter(({ old, next }) => {
    if (!left.has(old) || !free.has(next)) return false;
    free.delete(next);
    return left.delete(old);
  });
  const place = new Map(removed.map((old, index) => [old, index]));
  pairs.sort((a, b) => (place.get(a.old) ?? 0) - (place.get(b.old) ?? 0));
  return { pairs, removed: [...left], added: [...free] };
}

/** Of several about the same, what is written alike belongs together. */
function closeness(old: Assertion, next: Assertion): number {
  return (old.subject === next.subject ? 0.04 : 0) + (old.strength === next.strength ? 0.05 : 0);
}

export function kindOf({ verb }: Assertion): 'row' | 'value' | 'assertion' {
  return verb === 'row' || verb === 'value' ? verb : 'assertion';
}
