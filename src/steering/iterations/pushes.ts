import type { State } from '../state/state.ts';

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

const maxReports = 20;

/** What agents said of their commits, with what is known of the head. */
export function withReport({ reports = [], report, head }: State): Pick<State, 'reports'> {
  if (report === null) return { reports };
  return { reports: [...reports.filter((each) => each.head !== head), { head, report }].slice(-maxReports) };
}

/** What an agent said of its commit holds again when that commit becomes the head again. */
export function reportAt(state: State, head: string): Pick<State, 'report' | 'reports'> {
  const { reports = [] } = withReport(state);
  if (reports.length === 0) return { report: null };
  return { reports, report: reports.find((each) => each.head === head)?.report ?? null };
}
