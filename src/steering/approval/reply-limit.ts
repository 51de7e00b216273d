import type { CommandEvent, Next } from '../iterations/step.ts';
import { type Account, type Answered, covers, isSame, type Role } from '../shapes/people.ts';
import type { PendingEffect } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';
import { maySpeak } from './authorization.ts';

/** On a public repository anyone can comment, and each answer costs a commit, a comment and a reaction. */
const maxAnswers = { toOne: 10, toAll: 30 } as const;

const withinMs = 3_600_000;

/** Whether people with this role are always answered; others only a limited number of times per hour. */
export function isAlwaysAnswered(role: Role): boolean {
  return covers(role, 'write');
}

/** Whether the limit for people without write access has been reached. */
export function isOverLimit(state: State, event: CommandEvent): boolean {
  if (!isLimited(state, event)) return false;
  const { by, at } = event;
  return isAnsweredOut(answeredLately(state.answered, at), by);
}

/** Whether people without write access, or this one, got all the answers of an hour. */
export function isAnsweredOut(lately: readonly Answered[], by: Account): boolean {
  const toThem = lately.filter(({ login, id = 0 }) => isSame({ login, id }, by));
  return lately.length >= maxAnswers.toAll || toThem.length >= maxAnswers.toOne;
}

/** Counts an answer towards the limit, and lets it come last. */
export function countReply(step: Next, event: CommandEvent): Next {
  if (!isLimited(step.state, event)) return step;
  const { by, at, id } = event;
  const answered = [...answeredLately(step.state.answered, at), { login: by.login, id: by.id, at }];
  const owed = step.state.owed.map((effect) => (effect.id.startsWith(`${id}:`) ? asLast(effect) : effect));
  const reaction = step.reaction && { reaction: { ...step.reaction, last: true as const } };
  return { ...step, ...reaction, state: { ...step.state, answered, owed } };
}

function asLast(effect: PendingEffect): PendingEffect {
  return effect.do === 'reply' ? { ...effect, last: true } : effect;
}

/** An App that writes for a person could answer every answer. */
function isLimited({ settings }: State, { by, via_app }: CommandEvent): boolean {
  if (!isAlwaysAnswered(by.role)) return true;
  return via_app !== undefined && !maySpeak(settings.approval, via_app);
}

/** The answers within the hour before a time. */
export function answeredLately(answered: readonly Answered[] = [], at: string): readonly Answered[] {
  return answered.filter((each) => Date.parse(each.at) > Date.parse(at) - withinMs);
}
