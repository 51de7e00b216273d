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

/** What an agent said of its commit holds again when that commit becomes the head again. */
export function reportAt(state: State, head: string): Pick<State, 'report' | 'reported'> {
  const reported = state.report === null ? state.reported : { head: state.head, report: state.report };
  if (reported === undefined) return { report: null };
  return { reported, report: reported.head === head ? reported.report : null };
}
