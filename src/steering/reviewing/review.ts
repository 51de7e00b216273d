import type { FoundConcern, FoundReview } from '../attempt-result.ts';
import type { Settings } from '../settings.ts';
import type { Concern, Review, State } from '../state.ts';

/** A second opinion, which converges: what it is concerned about keeps its id until that is settled. */

const severities = ['low', 'medium', 'high'] as const;

/** Settled ones are only kept so that they do not come back. */
const maxConcerns = 100;

/** The opinion on a head, with what became of the concerns of the one before. */
export function reviewed(before: Review | undefined, head: string, found: FoundReview): Review {
  const { by, confidence, problem, omitted } = found;
  const known = before?.concerns ?? [];
  const given = {
    head,
    by,
    confidence,
    ...(problem !== undefined && { problem }),
    ...(omitted && { omitted }),
  };
  if (confidence === null) return { ...given, concerns: known };
  const kept = known.map((concern) => updated(concern, found));
  const fresh = found.concerns.filter(({ id }) => !known.some((concern) => concern.id === id));
  const isDismissed = ({ file, text }: FoundConcern) =>
    known.some((each) => each.state === 'dismissed' && each.file === file && each.text === text);
  const added = fresh
    .filter((concern) => !isDismissed(concern))
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

/** The highest number of a concern so far. */
function countOf(known: readonly Concern[]): number {
  return Math.max(0, ...known.map(({ id }) => Number(id.slice(1))));
}

/** An open concern as the reviewer sees it now; a severity only rises where its lines have changed. */
function updated(concern: Concern, { concerns, resolved, withdrawn, touched }: FoundReview): Concern {
  const { id, severity } = concern;
  if (concern.state !== 'open') return concern;
  if (resolved.includes(id)) return { ...concern, state: 'resolved' };
  if (withdrawn.includes(id)) return { ...concern, state: 'withdrawn' };
  const now = concerns.find((each) => each.id === id);
  if (now === undefined) return concern;
  const isWorse = severities.indexOf(now.severity) > severities.indexOf(severity);
  return { ...concern, ...now, id, severity: isWorse && !touched.includes(id) ? severity : now.severity };
}

/** All that are open, and the newest of the others. */
function worthKeeping(all: readonly Concern[]): (concern: Concern) => boolean {
  const settled = all.filter(({ state }) => state !== 'open').slice(-maxConcerns);
  return (concern) => concern.state === 'open' || settled.includes(concern);
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
