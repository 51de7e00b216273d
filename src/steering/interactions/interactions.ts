import type { Event } from '../event.ts';
import { type AskingHuman, type Interaction, isAskingHuman, type SettledInteraction } from '../standing.ts';
import type { State } from '../state.ts';

/** The interaction that waits for a human, if any. */
export function openInteraction(state: Pick<State, 'standing'>): Interaction | null {
  const { standing } = state;
  if (isAskingHuman(standing)) return standing.interaction;
  if (standing.phase === 'working') return standing.asking?.interaction ?? null;
  return standing.phase === 'timed_out' ? standing.before.interaction : null;
}

/** Every interaction so far, including the open one, oldest first. */
export function interactionsOf(state: State): readonly Interaction[] {
  const open = openInteraction(state);
  return open === null ? state.interactions : [...state.interactions, open];
}

/** Opens an interaction; its id contains the number of the next ledger commit. */
export function openingOf(state: State, kind: Interaction['kind'], at: string): Interaction {
  return { id: `${kind}:${state.run.number}:${state.seq + 1}`, kind, opened_at: at, head_sha: state.head };
}

/** All interactions, with the open one settled. */
export function settledBy(
  state: State,
  { at }: Pick<Event, 'at'>,
  end: Pick<SettledInteraction, 'by' | 'how' | 'asked' | 'answer'>,
): Pick<State, 'interactions'> {
  const open = openInteraction(state);
  if (open === null) return { interactions: state.interactions };
  const settled: SettledInteraction = { ...open, settled_at: at, ...end };
  return { interactions: [...state.interactions, settled] };
}

/** When the review timer fires after a human interaction at `at`. */
export function deadlineAfter(state: State, at: string): string {
  return new Date(Date.parse(at) + state.settings.steering.review_timeout_s * 1000).toISOString();
}

/** The same wait with its review timer started anew, and so without its reminders. */
export function waitingAnew<S extends AskingHuman>({ reminded: _, ...standing }: S, deadline: string): S {
  return { ...standing, deadline } as unknown as S; // the same but for what every wait has
}
