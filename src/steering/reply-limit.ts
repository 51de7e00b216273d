import type { Role } from './person.ts';
import { covers } from './person.ts';
import type { Answered, State } from './state.ts';
import type { CommandEvent, Next } from './step.ts';

/** On a public repository everybody can speak, and each answer costs a commit, a comment and a reaction. */
const mostAnswers = { toOne: 10, toAll: 30 } as const;
const withinMs = 3_600_000;

/** Whether somebody is always answered; others are, so many times an hour. */
export function isAlwaysAnswered(role: Role): boolean {
  return covers(role, 'write');
}

/** Whether enough was said to people like this one lately, so that no more is said now. */
export function isOverLimit(state: State, { by, at }: CommandEvent): boolean {
  if (isAlwaysAnswered(by.role)) return false;
  const lately = answeredLately(state, at);
  const toThem = lately.filter(({ login }) => login === by.login);
  return lately.length >= mostAnswers.toAll || toThem.length >= mostAnswers.toOne;
}

/** Notes an answer that counts. */
export function countReply(step: Next, { by, at }: CommandEvent): Next {
  if (isAlwaysAnswered(by.role)) return step;
  const answered = [...answeredLately(step.state, at), { login: by.login, at }];
  return { ...step, state: { ...step.state, answered } };
}

function answeredLately({ answered = [] }: State, at: string): readonly Answered[] {
  return answered.filter((each) => Date.parse(each.at) > Date.parse(at) - withinMs);
}
