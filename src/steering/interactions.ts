import type { Event } from './event.ts';
import type { Interaction, SettledInteraction } from './standing.ts';
import type { State } from './state.ts';

/** What is open and on show, if anything is. */
export function openInteraction(state: Pick<State, 'standing'>): Interaction | null {
  const { standing } = state;
  if (standing.phase === 'awaiting_approval' || standing.phase === 'awaiting_resolution')
    return standing.interaction;
  return standing.phase === 'timed_out' ? standing.before.interaction : null;
}

/** Opens what a human must settle; the next commit's number makes its id. */
export function openingOf(state: State, kind: Interaction['kind'], at: string): Interaction {
  return { id: `${kind}:${state.run.number}:${state.seq + 1}`, kind, opened_at: at, head_sha: state.head };
}

/** The interactions with the open one, if there is one, settled. */
export function settledBy(state: State, event: Event, by: string, how: string): Pick<State, 'interactions'> {
  const open = openInteraction(state);
  if (open === null) return { interactions: state.interactions };
  const settled: SettledInteraction = { ...open, settled_at: event.at, by, how };
  return { interactions: [...state.interactions, settled] };
}

/** When the review timer fires for something that a person touched at `at`. */
export function deadlineAfter(state: State, at: string): string {
  return new Date(Date.parse(at) + state.settings.steering.review_timeout_s * 1000).toISOString();
}

/** When the review timer of what is on show fires, ISO 8601; null when nobody is asked. */
export function reviewDeadline({ standing }: Pick<State, 'standing'>): string | null {
  const asking = standing.phase === 'awaiting_approval' || standing.phase === 'awaiting_resolution';
  return asking ? standing.deadline : null;
}
