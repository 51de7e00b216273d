import { Problem } from '../problem.ts';

interface Sorted {
  /** By this they are sorted; no two have the same. */
  readonly order: string;
}

interface Paging<T, Shown> {
  readonly limit: number;
  /** Where the page begins, as a page before it has said. */
  readonly cursor: string | undefined;
  /** What is shown of each; undefined for what the reader may not see. */
  readonly show: (candidates: readonly T[]) => Promise<readonly (Shown | undefined)[]>;
  /** How many questions it takes to show them. */
  readonly cost: (candidates: readonly T[]) => number;
}

/** So many are asked about at once, because most of a page is asked about together. */
const chunk = 50;

/** A page asks at most so many questions. */
const maxCost = 100;

/**
 * The entries that the reader may see, in their order, asking about no more than the page needs, and where
 * the next page begins; null if there is none. Only a visible entry is named by a cursor, which would tell of
 * others otherwise: where too many in a row are invisible, the next page begins where this one did, and they
 * are not asked about again.
 */
export async function pageOf<T extends Sorted, Shown>(
  sorted: readonly T[],
  { limit, cursor, show, cost }: Paging<T, Shown>,
): Promise<{ readonly entries: readonly Shown[]; readonly next: string | null }> {
  let place = placeIn(cursor);
  const entries: Shown[] = [];
  let spent = 0;
  for (let at = firstAfter(sorted, place); at < sorted.length; at += chunk) {
    const candidates = sorted.slice(at, at + chunk);
    spent += cost(candidates);
    if (spent > maxCost) return { entries, next: cursorAt(place) };
    for (const [index, entry] of (await show(candidates)).entries()) {
      if (entry === undefined) continue;
      if (entries.length === limit) return { entries, next: cursorAt(place) };
      entries.push(entry);
      place = candidates[index]?.order ?? place;
    }
    // Whether the reader may see any of the others is for the next page to find out.
    if (entries.length === limit && at + chunk < sorted.length) return { entries, next: cursorAt(place) };
  }
  return { entries, next: null };
}

function cursorAt(place: string): string {
  return Buffer.from(`>${place}`).toString('base64url');
}

function placeIn(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const [, place] = /^>([0-9 #]{0,60})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (place !== undefined) return place;
  throw new Problem(
    400,
    'This cursor is none that a page has given: leave it out to begin with the first page.',
  );
}

/** Where those begin that are sorted after a place, by bisection. */
function firstAfter(sorted: readonly Sorted[], place: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.order ?? '') > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
