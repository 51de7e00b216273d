import type { Event, EventOf } from './event.ts';
import type { PendingEffect, Refusal, Words } from './pending-effect.ts';
import type { State } from './state.ts';

/** What a row answers: the state after the event, a no to the person who asked, or nothing at all. */
export type Step = 'nothing' | Next | Refused;

export interface Refused {
  readonly refused: Refusal;
}

export interface Next {
  readonly state: State;
  /** The ledger commit's subject. */
  readonly subject: string;
  /** The commits that came with the event belong on the branch. */
  readonly takes_code?: true;
}

/** A command: the one kind of event that a person waits for an answer to. */
export type CommandEvent = EventOf<'said'>;

/** The state with something changed, and the sentence that the ledger keeps of it. */
export function next(state: State, changed: Partial<State>, subject: string): Next {
  return { state: { ...state, ...changed }, subject };
}

export const nothing = 'nothing';

/** Says no; `decide` makes a kind reply of it, with what can be said now. */
export function refuse(refused: Refusal): Refused {
  return { refused };
}

/** Owes one more effect. */
export function owing(step: Next, owed: PendingEffect): Next {
  return { ...step, state: { ...step.state, owed: [...step.state.owed, owed] } };
}

/** Owes a comment to whoever caused the event. */
export function replying(step: Next, event: Event, words: Words): Next {
  const to = 'by' in event ? (typeof event.by === 'string' ? event.by : event.by.login) : null;
  return owing(step, { id: `${event.id}:reply`, do: 'reply', words, to });
}

/** A command that is carried out: a rocket on the comment that said it. */
export function accepted(step: Next, said: CommandEvent): Next {
  return reacting(step, said, 'rocket');
}

/** Only issue comments take reactions; a review or a click is answered by its effect. */
export function reacting(
  step: Next,
  { id, source }: Pick<CommandEvent, 'id' | 'source'>,
  as: 'rocket' | 'confused',
): Next {
  if (source.from !== 'comment') return step;
  return owing(step, { id: `${id}:react`, do: 'react', to: { comment_id: source.comment_id }, as });
}
