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
