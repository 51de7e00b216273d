import { type Account, isSame } from '../shapes/person.ts';
import type { Steer } from '../shapes/queued-steer.ts';
import type { State } from '../state/state.ts';

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

/** An agent may hear what we could not record any more, so whoever said it has perhaps shaped the work. */
export function withPerhapsHeard<S extends State>(state: S, steers: readonly Steer[]): S {
  const authors = steers.map(({ author: login, author_id: id = 0 }) => ({ login, id }));
  return { ...state, ...withContributors(state, authors) };
}
