import type { PendingEffect, Refusal, ReplyContent } from './effects/pending-effect.ts';
import type { Event, EventOf } from './event.ts';
import { somebody } from './person.ts';
import type { State } from './state.ts';
import { later } from './time.ts';

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

/** Adds a pending effect. */
export function withEffect(step: Next, effect: PendingEffect): Next {
  return { ...step, state: { ...step.state, owed: [...step.state.owed, effect] } };
}

/** Closes the pull request with the run, which may have been reopened after this was said. */
export function closing(step: Next, { id, at }: Event): Next {
  return withEffect(step, { id: `${id}:close`, do: 'close', at: later(step.state.updated_at, at) });
}

/** Adds a reply to the person who caused the event, if it is known who that was. */
export function withReply(step: Next, event: Event, words: ReplyContent): Next {
  const by = 'by' in event ? (typeof event.by === 'string' ? event.by : event.by.login) : null;
  return withEffect(step, { id: `${event.id}:reply`, do: 'reply', words, to: by === somebody ? null : by });
}

/** Adds a rocket reaction to the comment of an accepted command. */
export function accepted(step: Next, event: CommandEvent): Next {
  return withReaction(step, event, 'rocket');
}

/** Adds a reaction. Only issue comments take reactions; a review or a click is answered by its effect. */
export function withReaction(
  step: Next,
  { id, source }: Pick<CommandEvent, 'id' | 'source'>,
  as: 'rocket' | 'confused',
): Next {
  if (source.from !== 'comment') return step;
  return withEffect(step, { id: `${id}:react`, do: 'react', to: { comment_id: source.comment_id }, as });
}
