import type { Located } from './located.ts';

/** Nobody compares more tests than this with each other. */
const maxTests = 60;

/** Pairs tests that were rewritten under another name: by the words of their names and of what is in them. */
export function alikeTests(
  olds: readonly Located[],
  news: readonly Located[],
): ReadonlyMap<Located, Located> {
  const left = new Map(news.slice(0, maxTests).map((test) => [test, new Words(test)]));
  const found = new Map<Located, Located>();
  const scored = olds.slice(0, maxTests).flatMap((old) => {
    const words = new Words(old);
    return [...left].flatMap(([test, other]) => {
      const score = isNear(old, test) ? words.likeness(other) : 0;
      return score >= leastLikeness ? [{ old, test, score }] : [];
    });
  });
  for (const { old, test } of scored.sort((a, b) => b.score - a.score)) {
    if (found.has(old) || !left.has(test)) continue;
    found.set(old, test);
    left.delete(test);
  }
  return found;
}

const leastLikeness = 0.45;

/** In the same file, or in a new one while the old one loses its tests. */
function isNear(old: Located, next: Located): boolean {
  return old.reading === next.reading || next.reading.file.status === 'added';
}

class Words {
  private readonly name: ReadonlySet<string>;
  private readonly body: ReadonlySet<string>;

  constructor({ version, block }: Located) {
    const lines = version.lines.slice(block.head + 1, Math.min(block.end, block.head + 60));
    this.name = spoken(block.name);
    this.body = new Set(lines.flatMap(({ text }) => text.match(/[A-Za-z_]\w{2,}|\d[\d.]*/g) ?? []));
  }

  /** From 0 to 1. */
  likeness(other: Words): number {
    return (overlap(this.name, other.name) + overlap(this.body, other.body)) / 2;
  }
}

/** The words of a name, without their endings. */
function spoken(name: string): ReadonlySet<string> {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z\d]+/g);
  return new Set((words ?? []).filter((word) => !empty.has(word)).map((word) => word.slice(0, 4)));
}

const empty = new Set(
  'a an and are as be by does for from in is it its not of on should test that the to when with'.split(' '),
);

function overlap(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size === 0 || others.size === 0) return 0;
  let common = 0;
  for (const word of some) if (others.has(word)) common++;
  return common / Math.min(some.size, others.size);
}
