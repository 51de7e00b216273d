/** A check run of the repository's own CI as GitHub says: the newest of its name by its App on a commit. */
export interface CheckReport {
  /** The verifier that it is, by the name in the configuration. */
  readonly name: string;
  /** GitHub's id of the check run. */
  readonly id: number;
  /** GitHub's word, such as `queued`, `in_progress` or `completed`. */
  readonly status: string;
  /** GitHub's word once it is completed, such as `success` or `skipped`; null before. */
  readonly conclusion: string | null;
  /** ISO 8601; null where GitHub names none. */
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** What it says of itself; redacted, at most 10,000 characters. */
  readonly text: string;
  /** Where people read it. */
  readonly url: string;
  /** The same check is red on this commit of the base, too; absent if it is not, or nobody asked. */
  readonly red_on_base?: string;
}

/**
 * What a check says about the commit. `not_run`: it has ended without a verdict, so no other commit would
 * change that.
 */
type CheckVerdict = 'green' | 'red' | 'not_run' | 'unfinished' | 'absent';

/** Conclusions that say that something is wrong with the commit. */
const red = ['failure', 'timed_out', 'startup_failure'];

/** Skipped and neutral are not green: nothing was found out. */
export function verdictOf(report: CheckReport | undefined): CheckVerdict {
  if (report === undefined) return 'absent';
  if (report.status !== 'completed' || report.conclusion === null) return 'unfinished';
  if (report.conclusion === 'success') return 'green';
  return red.includes(report.conclusion) ? 'red' : 'not_run';
}

/** Whether it is completed, whatever with. */
export function hasEnded(report: CheckReport | undefined): boolean {
  const verdict = verdictOf(report);
  return verdict !== 'absent' && verdict !== 'unfinished';
}

/** Whether two lists of reports say the same. */
export function isSameNews(one: readonly CheckReport[], other: readonly CheckReport[]): boolean {
  return changingParts(one) === changingParts(other);
}

/** What of them can change: what is run again keeps its id, or a new check run takes its place. */
export function changingParts(reports: readonly CheckReport[]): string {
  return JSON.stringify(
    reports.map(({ name, id, status, conclusion, completed_at }) => [
      ...[name, id, status, conclusion, completed_at],
    ]),
  );
}
