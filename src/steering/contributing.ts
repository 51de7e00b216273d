import { type Account, isSame } from './person.ts';
import type { State } from './state.ts';

/** Adds people to those who shaped the work, each of them once. */
export function withContributors(
  { contributors = [] }: Pick<State, 'contributors'>,
  people: readonly Account[],
): Pick<State, 'contributors'> {
  const all = [...contributors];
  for (const { login, id } of people) {
    if (!all.some((known) => isSame(known, { login, id }))) all.push({ login, id });
  }
  return all.length === 0 ? {} : { contributors: all };
}
