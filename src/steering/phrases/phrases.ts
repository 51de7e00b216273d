/** Somebody wrote when something had only just come; `then` is what to do once they know it. */
export function justCame(what: string, then: string): string {
  return `${what} just before you commented, so you may not have seen it. Once you have ${then}`;
}

/** Somebody's role does not suffice for something, such as `Starting a run`. */
export function lacksRole(what: string, needs: string, has: string): string {
  return `${what} requires ${needs} access to this repository, but your role is ${has}.`;
}

/** Another base may let more be merged; what it is compared with follows. `base` is as it is shown. */
export function otherBase(base: string): string {
  return `The base was changed to ${base} while this was under review, so there may be more to merge than`;
}

export const startedOver = 'run was started over after its ledger was lost';

export const branchIsKept = 'and close the pull request; the branch is kept.';

export const closedAndTold = 'pull request is closed, and runs that depend on it are told.';

export const notExplicit = 'the configuration does not set on_timeout: proceed explicitly';

export const unnamedOwner = 'a code owner whose account CODEOWNERS does not name';

export const notRecorded = 'that was said or done here could not be recorded';

export const testsChange = 'changes, and its tests change with it';

/** Where people grant an App what it lacks. */
export const inAppSettings =
  'to the App under "Permissions & events" in its settings (and accept it for the installation)';

/** At most so many characters; a text that was cut ends in an ellipsis. */
export function bounded(text: string, max = 2000): string {
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** A text up to its first line break. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** `: the tests are slow`, in one short line at the end of a subject; empty where no reason is given. */
export function because(reason: string): string {
  return reason === '' ? '' : `: ${[...firstLine(reason)].slice(0, 100).join('')}`;
}

/** What people call a commit: as many digits as Git and GitHub show. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

/** Lists words of which one will do: `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
