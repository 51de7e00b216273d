import type { FoundConcern, FoundReview } from '../shapes/attempt-result.ts';
import type { Settings } from '../shapes/settings.ts';
import type { Concern, Review, State } from '../state/state.ts';

/** A second opinion, which converges: what it is concerned about keeps its id until that is settled. */

const severities = ['low', 'medium', 'high'] as const;
type Severity = (typeof severities)[number];

/** Settled ones are only kept so that they do not come back. */
const maxConcerns = 100;

/** The opinion on a head, with what became of the concerns of the one before. */
export function reviewed(before: Review | undefined, head: string, found: FoundReview): Review {
  const { by, confidence, problem, omitted, partial } = found;
  const known = (before?.concerns ?? []).map((concern) => movedBy(concern, found));
  const given = {
    head,
    by,
    confidence,
    ...(problem !== undefined && { problem }),
    ...(omitted && { omitted }),
    ...(partial && { partial }),
  };
  if (confidence === null) return { ...given, concerns: known };
  const kept = known.map((concern) => updated(concern, found));
  // A reviewer may number its concerns itself: an id that is settled is no other one's.
  const fresh = found.concerns.filter(
    ({ id }) => !openConcerns({ concerns: known }).some((each) => each.id === id),
  );
  const added = fresh
    .filter((concern) => !known.some((each) => isOverruled(each, concern)))
    .map(
      ({ id: _, ...concern }, index): Concern => ({
        ...concern,
        ...{ id: `c${countOf(known) + index + 1}`, state: 'open' },
      }),
    );
  const all = [...kept, ...added];
  const isKept = worthKeeping(all);
  return { ...given, concerns: all.filter(isKept) };
}

/** Whether people have dismissed just that, and it was no milder then. */
function isOverruled({ state, file, text, severity }: Concern, again: FoundConcern): boolean {
  const isSame = state === 'dismissed' && file === again.file && text === again.text;
  return isSame && !isWorse(again.severity, severity);
}

function isWorse(now: Severity, before: Severity): boolean {
  return severities.indexOf(now) > severities.indexOf(before);
}

/** What is before its line may have grown since. */
function movedBy(concern: Concern, { lines = {} }: FoundReview): Concern {
  const line = lines[concern.id];
  return line === undefined ? concern : { ...concern, line };
}

/** The highest number of a concern so far. */
function countOf(known: readonly Concern[]): number {
  return Math.max(0, ...known.map(({ id }) => Number(id.slice(1))));
}

/**
 * An open concern as the reviewer sees it now: what it names again is not settled, whatever else it says. A
 * severity only rises where its lines have changed.
 */
function updated(concern: Concern, { concerns, resolved, withdrawn, touched }: FoundReview): Concern {
  const { id, severity } = concern;
  if (concern.state !== 'open') return concern;
  const now = concerns.find((each) => each.id === id);
  if (now === undefined) {
    if (resolved.includes(id)) return { ...concern, state: 'resolved' };
    return withdrawn.includes(id) ? { ...concern, state: 'withdrawn' } : concern;
  }
  const mayRise = touched.includes(id) || !isWorse(now.severity, severity);
  return { ...concern, ...now, id, severity: mayRise ? now.severity : severity };
}

/** All because of which people may decide, and the newest of the others. */
function worthKeeping(all: readonly Concern[]): (concern: Concern) => boolean {
  const settled = all.filter(({ state }) => state !== 'open').slice(-maxConcerns);
  const overruled = overruledConcerns({ concerns: all });
  return (concern) => concern.state === 'open' || settled.includes(concern) || overruled.includes(concern);
}

/** The opinion on the head, where the configuration wants one; undefined if there is none. */
export function reviewOf(
  { settings, review }: Pick<State, 'review'> & { readonly settings: Pick<Settings, 'review'> },
  head: string,
): Review | undefined {
  return settings.review !== undefined && review?.head === head ? review : undefined;
}

/** What it is concerned about and nobody has settled, the worst first. */
export function openConcerns({ concerns }: Pick<Review, 'concerns'>): readonly Concern[] {
  const open = concerns.filter(({ state }) => state === 'open');
  return open.toSorted((one, other) => severities.indexOf(other.severity) - severities.indexOf(one.severity));
}

/** Those because of which people decide in any mode. */
export function graveConcerns(review: Pick<Review, 'concerns'> | undefined): readonly Concern[] {
  return review === undefined ? [] : openConcerns(review).filter(({ severity }) => severity === 'high');
}

/** Grave ones that people dismissed: then people decide about the rest of the run, too. */
export function overruledConcerns({ concerns }: Pick<Review, 'concerns'>): readonly Concern[] {
  return concerns.filter(({ state, severity }) => state === 'dismissed' && severity === 'high');
}
