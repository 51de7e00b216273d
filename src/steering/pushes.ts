import type { State } from './state.ts';

const maxPushes = 20;

/** What others pushed, with one more. */
export function withPush(
  { pushes = [], iteration }: Pick<State, 'pushes' | 'iteration'>,
  push: { readonly head: string; readonly by: string },
): NonNullable<State['pushes']> {
  return [...pushes, { ...push, iteration }].slice(-maxPushes);
}

/** Whether somebody else than us has moved the branch, be it to merge the base. */
export function haveOthersPushed({
  pushes = [],
  others_pushed,
}: Pick<State, 'pushes' | 'others_pushed'>): boolean {
  return pushes.length > 0 || others_pushed === true;
}
