import { usualQuestions } from '../shapes/question.ts';
import {
  type AskingHuman,
  type Interaction,
  type Interrupt,
  isAskingHuman,
  type SettledInteraction,
} from '../shapes/standing.ts';
import type { Event } from '../state/event.ts';
import type { State } from '../state/state.ts';

/** The interaction that waits for a human, if any. */
export function openInteraction({
  standing,
  questions = [],
}: Pick<State, 'standing' | 'questions'>): Interaction | null {
  if (isAskingHuman(standing)) return standing.interaction;
  if (standing.phase === 'working') return standing.asking?.interaction ?? questions[0]?.interaction ?? null;
  return standing.phase === 'timed_out' ? standing.before.interaction : null;
}

/** The interrupt that waits for people, who may be late. */
export function interruptIn({ standing }: Pick<State, 'standing'>): Interrupt | undefined {
  const asking = standing.phase === 'timed_out' ? standing.before : standing;
  return asking.phase === 'awaiting_resolution' ? asking.interrupt : undefined;
}

/** Every interaction of this run so far, including the open one, oldest first. */
export function interactionsOf(state: State): readonly Interaction[] {
  const open = openInteraction(state);
  const settled = ownInteractions(state);
  return open === null ? settled : [...settled, open];
}

/** Those that were settled in this run: what it has inherited, nobody has seen here. */
export function ownInteractions({
  interactions,
  run,
}: Pick<State, 'interactions' | 'run'>): State['interactions'] {
  return interactions.filter(({ id }) => id.split(':')[1] === String(run.number));
}

/** Opens an interaction; its id contains the number of the next ledger commit. */
export function openingOf(state: State, kind: Interaction['kind'], at: string): Interaction {
  return { id: `${kind}:${state.run.number}:${state.seq + 1}`, kind, opened_at: at, head_sha: state.head };
}

type End = Pick<SettledInteraction, 'by' | 'how' | 'asked' | 'answer' | 'reason'>;

/** All interactions, with the open one settled, and whatever agents wanted to know. */
export function settledBy(
  state: State,
  event: Pick<Event, 'at'>,
  end: End,
): Pick<State, 'interactions' | 'questions'> {
  return withoutQuestions({ ...state, ...settledButQuestions(state, event, end) }, event, end);
}

/** All interactions, where nobody answers any more what agents wanted to know. */
export function withoutQuestions(
  { interactions, questions = [] }: State,
  { at }: Pick<Event, 'at'>,
  { by, how }: Pick<End, 'by' | 'how'>,
): Pick<State, 'interactions' | 'questions'> {
  if (questions.length === 0) return { interactions };
  const withdrawn = questions.map(({ interaction, asked: question }) => {
    return { ...interaction, settled_at: at, by, how, question };
  });
  return { interactions: [...interactions, ...withdrawn], questions: [] };
}

/** The same, but a question of an agent stays open: an answer to it counts whatever comes between. */
export function settledButQuestions(
  state: State,
  { at }: Pick<Event, 'at'>,
  end: End,
): Pick<State, 'interactions'> {
  const open = openInteraction(state);
  if (open === null || open.kind === 'question') return { interactions: state.interactions };
  const settled: SettledInteraction = { ...open, settled_at: at, ...end };
  return { interactions: [...state.interactions, settled] };
}

/** When the time of people to say something is over, after one of them did at `at`. */
export function deadlineAfter(state: Pick<State, 'settings'>, at: string, asked?: AskingHuman): string {
  return new Date(Date.parse(at) + timeoutOf(state, asked) * 1000).toISOString();
}

/** How long people are waited for, in seconds: a question has a time of its own. */
export function timeoutOf({ settings }: Pick<State, 'settings'>, asked?: AskingHuman): number {
  if (asked?.phase !== 'awaiting_answer') return settings.steering.review_timeout_s;
  return (settings.questions ?? usualQuestions).timeout_s;
}

/** The same wait with its review timer started anew, and so without its reminders. */
export function waitingAnew<S extends AskingHuman>({ reminded: _, ...standing }: S, deadline: string): S {
  return { ...standing, deadline } as unknown as S; // the same but for what every wait has
}
