import type { CommandName } from '../commands/index.ts';
import type { AskedCall, FileChange, GateHit, VerifierOutput } from '../shapes/attempt-result.ts';
import type { Severity } from '../shapes/gate-rules.ts';
import { usualQuestions } from '../shapes/question.ts';
import {
  type AskingHuman,
  type AwaitingResolution,
  type HeldWork,
  type Interaction,
  type Interrupt,
  isAskingHuman,
  type PauseAsked,
  type SettledInteraction,
} from '../shapes/standing.ts';
import { secondsAfter } from '../shapes/time.ts';
import type { Event } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { SetAside, State } from '../state/state.ts';

/** The interaction that waits for a human, if any. */
export function openInteraction({ standing, questions = [] }: State): Interaction | null {
  if (isAskingHuman(standing)) return standing.interaction;
  if (standing.phase === 'working') return standing.asking?.interaction ?? questions[0]?.interaction ?? null;
  return standing.phase === 'timed_out' ? standing.before.interaction : null;
}

/** The interrupt that waits for people, who may be late. */
export function interruptIn({ standing }: State): Interrupt | undefined {
  const asking = standing.phase === 'timed_out' ? standing.before : standing;
  return asking.phase === 'awaiting_resolution' ? asking.interrupt : undefined;
}

/** Whether a command decides about a task that failed. */
export function isResolution(command: string): command is 'retry' | 'spawn' | 'abandon' {
  return command === 'retry' || command === 'spawn' || command === 'abandon';
}

/** What somebody has decided about the task before, for whoever says a command about it now. */
export function alreadyResolved(state: State, command: CommandName): Refusal | undefined {
  const { phase } = state.standing;
  const spawning = spawningIn(state);
  if (spawning !== undefined)
    return { why: 'already_resolved', by: spawning.by.login, how: 'replaced', phase };
  if (!isResolution(command)) return undefined;
  const last = lastAsked(state);
  // Where the work is under review since, it is no longer about the interrupt.
  if (last?.kind !== 'interrupt' || openInteraction(state)?.kind === 'approval') return undefined;
  return { why: 'already_resolved', ...endOf(state, last), phase };
}

/**
 * Who replaces the task just now, if somebody does: until that has come to something, nobody else decides.
 */
export function spawningIn({ standing }: Pick<State, 'standing'>): AwaitingResolution['spawning'] {
  return standing.phase === 'awaiting_resolution' ? standing.spawning : undefined;
}

/** The last interrupt or approval that is settled. */
function lastAsked(state: State): SettledInteraction | undefined {
  return ownInteractions(state).findLast(({ kind }) => kind === 'interrupt' || kind === 'approval');
}

/** How an interaction ended, for whoever comes too late. */
export function endOf({ head: to }: State, { by, how, settled_at: at, head_sha: from }: SettledInteraction) {
  return { by, how, at, ...(from !== to && { moved: { from, to } }) };
}

/** Every interaction of this run so far, including the open one, oldest first. */
export function interactionsOf(state: State): readonly Interaction[] {
  const open = openInteraction(state);
  const settled = ownInteractions(state);
  return open === null ? settled : [...settled, open];
}

/** The interactions that were settled in this run: what it has inherited, nobody has seen here. */
export function ownInteractions({ interactions, run }: State): State['interactions'] {
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

/**
 * All interactions, with the open one settled; but a question of an agent stays open, because an answer to it
 * counts whatever comes between.
 */
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

/**
 * What is left of a run that ends: nothing is asked or waits any more. Only a run that passed the final check
 * ends with approvals.
 */
export function endedBy(state: State, event: Pick<Event, 'at'>, end: End): Partial<State> {
  return { ...settledBy(state, event, end), ...settingAside(state), queue: [], approvals: [] };
}

/** When the time of people to say something is over, after one of them did at `at`. */
export function deadlineAfter(state: State, at: string, asked?: AskingHuman): string {
  return secondsAfter(at, timeoutOf(state, asked));
}

/** How long people are waited for, in seconds: a question has a time of its own. */
export function timeoutOf({ settings }: Pick<State, 'settings'>, asked?: AskingHuman): number {
  if (asked?.phase !== 'awaiting_answer') return settings.steering.review_timeout_s;
  return (settings.questions ?? usualQuestions).timeout_s;
}

/** A wait for people whose timer starts anew, and so without the reminders that were sent. */
export function waitingAnew<S extends AskingHuman>({ reminded: _, ...standing }: S, deadline: string): S {
  return { ...standing, deadline } as unknown as S; // the same but for what every wait has
}

/** The held work of a run, whether it waits for permission, for an engine or for a person who is late. */
export function heldWork({ standing }: Pick<State, 'standing'>): HeldWork | undefined {
  if (standing.phase === 'timed_out') return heldWork({ standing: standing.before });
  if (standing.phase === 'paused') return standing.asked && heldAt(standing.asked.stood);
  return 'held' in standing ? standing.held : undefined;
}

/** The tool call that people are asked about, whether the agent is held before it or was stopped. */
export function askedCall({ standing }: Pick<State, 'standing'>): AskedCall | undefined {
  if (standing.phase === 'working') return standing.asking?.call;
  if (standing.phase === 'timed_out') return askedCall({ standing: standing.before });
  return 'call' in standing ? standing.call : undefined;
}

function heldAt(stood: PauseAsked['stood']): HeldWork | undefined {
  if ('asking' in stood) return heldWork({ standing: stood.asking });
  return 'due' in stood && stood.due.work === 'land' ? stood.due.held : undefined;
}

/** Held work that is not put on the branch after all; the ref that keeps it stays. */
export function settingAside(state: State, denied?: SetAside['denied']): Pick<State, 'set_aside'> {
  const held = heldWork(state);
  if (held === undefined) return {};
  return { set_aside: { ...asSetAside(held), ...(denied !== undefined && { denied }) } };
}

/** Held work as it is recorded once it is set aside. */
export function asSetAside({ work, hits, kept }: HeldWork): SetAside {
  return { work, hits, kept };
}

/** What people are asked in a phase, for programs. */
export interface Asked {
  readonly reason: string;
  /** What happens if they agree. */
  readonly proposed_action: string;
  /** The worst of what the rules found; the confidence has no part in it. */
  readonly risk_level: Severity;
  readonly details: RequestDetails;
}

/** What is known of what people are asked about: of each list at most 50, and each text in it is cut. */
export interface RequestDetails {
  /** At most 2,000 characters: of a question its context and options. */
  readonly summary: string;
  readonly files: readonly Pick<FileChange, 'path' | 'status' | 'additions' | 'deletions'>[];
  /** What the agent asks to run; at most 20. */
  readonly commands: readonly string[];
  readonly verifiers: readonly Pick<VerifierOutput, 'name' | 'success' | 'required'>[];
  readonly gates: readonly Pick<GateHit, 'rule' | 'severity' | 'evidence'>[];
}
