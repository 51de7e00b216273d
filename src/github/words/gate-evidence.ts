import type { GateHit } from '../../steering/attempt-result.ts';

/** A hit as it is shown beside its place: the place itself is said once. */
export interface ShownHit {
  /** `src/a.ts:3`; absent if the hit is not about a file. */
  readonly place?: string;
  /** Between the place and the text, where the evidence begins with the place. */
  readonly joint?: ': ' | ' ';
  readonly text: string;
}

/**
 * Evidence is also read where nothing stands beside it, so it mostly begins with its place; a line that links
 * to the place would say it twice.
 */
export function shownHit({ evidence, path, line }: GateHit): ShownHit {
  if (path === undefined) return { text: evidence };
  const place = line === undefined ? path : `${path}:${line}`;
  const rest = evidence.startsWith(place) ? evidence.slice(place.length) : '';
  if (rest.startsWith(': ')) return { place, joint: ': ', text: rest.slice(2) };
  return rest.startsWith(' ') ? { place, joint: ' ', text: rest.slice(1) } : { place, text: evidence };
}
