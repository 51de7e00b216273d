import type { ActionCommand, CommandName, CommandOf } from '../commands/index.ts';
import { somebody } from '../shapes/people.ts';
import {
  isLeased,
  type Leased,
  type LeaseId,
  type Phase,
  type SettledInteraction,
} from '../shapes/standing.ts';
import { later } from '../shapes/time.ts';
import type { Event, EventOf, EventType } from '../state/event.ts';
import type { PendingEffect, Refusal, ReplyContent } from '../state/pending-effect.ts';
import type { Reaction } from '../state/ports.ts';
import type { In, State } from '../state/state.ts';
import type { Asked } from './interactions.ts';

/** What a handler returns: the state after the event, a refusal of the command, or nothing. */
export type Step = 'nothing' | Next | Refused;

export interface Refused {
  readonly refused: Refusal;
}

export interface Next {
  readonly state: State;
  /** The ledger commit's subject. */
  readonly subject: string;
  /** The commits that come with the event are pushed: to the branch, or to where held work is kept. */
  readonly takes_code?: true;
  /** The event was a command, and this only says why it is refused. */
  readonly refuses?: true;
  readonly reaction?: Reaction;
}

/** A command, the only kind of event whose author expects an answer. */
export type CommandEvent = EventOf<'said'>;

/** The changed state, with the subject of its ledger commit. */
export function next(state: State, changed: Partial<State>, subject: string): Next {
  return { state: { ...state, ...changed }, subject };
}

export const nothing = 'nothing';

/** Refuses a command; `decide` turns this into a reply that lists the available commands. */
export function refuse(refused: Refusal): Refused {
  return { refused };
}

/** The step with one more effect that the run owes. */
export function withEffect(step: Next, effect: PendingEffect): Next {
  return { ...step, state: { ...step.state, owed: [...step.state.owed, effect] } };
}

/** Closes the pull request with the run, which may have been reopened after this was said. */
export function closingPull(step: Next, { id, at }: Event): Next {
  return withEffect(step, { id: `${id}:close`, do: 'close', at: later(step.state.updated_at, at) });
}

/** Adds a reply to the person who caused the event, if it is known who that was. */
export function withReply(step: Next, event: Event, words: ReplyContent): Next {
  const by = actorOf(event);
  return withEffect(step, { id: `${event.id}:reply`, do: 'reply', words, to: by === somebody ? null : by });
}

/** The login of whoever caused the event; null if it was no person. */
export function actorOf(event: Event): string | null {
  if (!('by' in event)) return null;
  return typeof event.by === 'string' ? event.by : event.by.login;
}

/** Adds a rocket reaction to the comment of an accepted command. */
export function accepted(step: Next, event: CommandEvent): Next {
  return withReaction(step, event, 'rocket');
}

/** Adds a reaction. Only issue comments take reactions; a review or a click is answered by its effect. */
export function withReaction(step: Next, { source }: Pick<CommandEvent, 'source'>, as: Reaction['as']): Next {
  return source.from === 'comment' ? { ...step, reaction: { comment_id: source.comment_id, as } } : step;
}

/** Events that every phase must handle, if only with `ignored`. */
export type PhaseEvent = Exclude<EventType, 'run_started' | 'said' | 'spoke' | 'settled' | 'sealed'>;

/** A command event whose command is known. */
export type CommandEventOf<N extends CommandName> = CommandEvent & { readonly command: CommandOf<N> };

/**
 * What the run is about, if that is no longer the evaluation of its head: an attempt or a verification that
 * is due or under way, what a stage came to, an agent that was stopped until people answer it, work that is
 * held and not on the branch, or an iteration that has put no commit there.
 */
export type Superseding = 'attempt' | 'stage' | 'stopped_agent' | 'verification' | 'held_work' | 'no_commit';

/**
 * What a run does in a phase. `asks_midway`: people are asked while the work of an iteration is not done;
 * `asks`: they are asked about its result, or how to go on at all. `stopped`: it waits for something else.
 */
export type PhaseKind = 'in_progress' | 'asks_midway' | 'asks' | 'stopped' | 'approved' | 'over';

/**
 * One phase: what it is, the commands available in it, and how it handles every event.
 * A command without an entry is refused; an event without one does not compile.
 */
export interface Row<P extends Phase> {
  readonly kind: PhaseKind;
  /** What the run is about in it; absent where that is what is known of the head. */
  readonly about?: Superseding | ((standing: In<P>['standing']) => Superseding | undefined);
  readonly commands: { readonly [N in ActionCommand]?: (state: In<P>, event: CommandEventOf<N>) => Step };
  readonly events: { readonly [F in PhaseEvent]: (state: In<P>, event: EventOf<F>) => Step };
}

/** A phase in which people are asked. */
export interface AskingRow<P extends Phase> extends Row<P> {
  /** What they are asked to agree to, for programs. */
  readonly request: (state: State) => Asked;
  /** What they were asked, as the agent is told of it later. */
  readonly asked: (settled: SettledInteraction) => string;
}

/** The event changes nothing here and makes no commit. */
export const ignored = (): Step => 'nothing';

/** Whether this lease is the current one: fences off results from any other. */
export function holdsLease(
  state: State | undefined,
  { holder, attempt, iteration }: LeaseId,
): state is State & { readonly standing: Leased } {
  if (state === undefined || !isLeased(state.standing)) return false;
  const { hold } = state.standing;
  return hold.holder === holder && hold.attempt === attempt && hold.iteration === iteration;
}
