import { plainCheck } from '../config/check-names.ts';

/**
 * The names by which people, branch rules and we ourselves recognize what is ours on GitHub. Others rely on
 * them, so they never change (docs/decisions/0009).
 */

/** The label of every run's pull request. The label of its phase follows it: `coxswain:working`. */
export const ourLabel = 'coxswain';

/** The prefix of every branch that we create. */
export const branchPrefix = 'coxswain/';

/** What the names of all our check runs begin with; `settings.check` is the whole name for a base. */
export const checkPrefix = plainCheck;

/** Whether a label is one of ours, which we may remove. */
export function isOurLabel(name: string): boolean {
  return sameLabel(name, ourLabel) || name.toLowerCase().startsWith(`${ourLabel}:`);
}

/** Whether two names are of one label: a repository has no two that differ only in case. */
export function sameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a label is among those of an issue or a pull request. */
export function hasLabel(labels: readonly string[], wanted: string): boolean {
  return labels.some((label) => sameLabel(label, wanted));
}

/**
 * What our check runs are for. Their names tell the base and are read by people and by branch rules; we tell
 * them apart by the App that made them and by these `external_id`s, because a branch or a verifier could be
 * named like anything.
 */

/**
 * The decision about a run: `approval:7:12`, `interrupt:7:12`, `question:7:12`, `failed:7:12`, `work:7:0`; 7 is
 * the pull request, and 12 the ledger commit that asked or stopped.
 */
export function isDecisionOn(number: number, external_id: string | null | undefined): boolean {
  const [, kind, pull] = /^([a-z_]+):(\d+):\d+$/.exec(external_id ?? '') ?? [];
  return kind !== undefined && kind !== 'verifier' && pull === String(number);
}

/** A pull request that is not a run; nothing of a run has this form. */
export function otherPullId(number: number): string {
  return `other:${number}`;
}

/** A merge group; its head and the check's name tell which, and nothing of a run has this form. */
export const groupCheckId = 'merge-group';

/** Whether it belongs to a run, or to that of one pull request: its decision, a verifier or a click. */
export function isOfRun(external_id: string | null | undefined, number?: number): boolean {
  const [, pull] = /^[a-z_]+:(\d+):/.exec(external_id ?? '') ?? [];
  return pull !== undefined && (number === undefined || pull === String(number));
}

/** The record of a click, which says on which button and by whom: `click:7:31:approve:5`. */
export const clickPrefix = 'click:';
