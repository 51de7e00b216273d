import { createHash } from 'node:crypto';

/**
 * The check run that decides about merging into the default branch. For any other branch its name differs,
 * so what was earned for one branch never satisfies the rule of another, however fast a pull request is
 * retargeted. GitHub may compare names without regard to case, so no two differ only in that.
 */
export const plainCheck = 'Coxswain';

/** `Coxswain (release)`: the check of all branches of an entry of `bases`. */
export function sharedCheck(check: string): string {
  return `${plainCheck} (${check})`;
}

/** `Coxswain (release/1.2)`: the check of one branch of an entry with `per_branch`. */
export function branchCheck(branch: string): string {
  return `${plainCheck} (${shownBranch(branch, maxLength - `${plainCheck} ()`.length)})`;
}

/** `Coxswain (unlisted: easy)`: the check of a branch that the configuration does not mention. */
export function unlistedCheck(branch: string): string {
  return `${plainCheck} (unlisted: ${shownBranch(branch, maxLength - `${plainCheck} (unlisted: )`.length)})`;
}

/** `Coxswain / test`. Neither a verifier nor a branch can contain a blank, so the two parts are certain. */
export function verifierCheck(check: string, verifier: string): string {
  return `${check} / ${verifier}`;
}

/** Longer names are hard to read where GitHub lists them. */
const maxLength = 100;

/** What is shown as it is: text that differs from every other even without regard to case. */
const distinct = /^[a-z0-9._/-]+$/;

/** 64 bits: nobody can find a second branch with the hash of a given one. */
const hashLength = 16;

/** The branch, or as much of it as fits and its hash. No branch contains the tilde in front of the hash. */
function shownBranch(branch: string, max: number): string {
  if (branch.length <= max && distinct.test(branch)) return branch;
  const hash = createHash('sha256').update(branch).digest('hex').slice(0, hashLength);
  const readable = branch.replace(/[^\w./-]+/g, '_').slice(0, max - hashLength - 1);
  return `${readable}~${hash}`;
}
