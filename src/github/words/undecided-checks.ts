import { shortSha } from '../../steering/words/short-sha.ts';
import type { CheckText } from './checks.ts';
import { commit } from './links.ts';
import { command } from './phrases.ts';
import { code, cut } from './sanitize.ts';

/** The check run of a commit that is no longer the head. */
export function supersededCheck(head: string): CheckText {
  const title = `Superseded by ${shortSha(head)}`;
  return { title, summary: `${commit(head)} is now the head and has its own check.`, text: '' };
}

/** The check run for a base that the pull request no longer has. */
export function otherBaseCheck(base: string): CheckText {
  const summary = `The base of this pull request is now ${code(base)}, which has a check of its own.`;
  return { title: cut(`The base is now ${base}`, 200), summary, text: '' };
}

/** The check run of a run whose ledger is lost. */
export function lostCheck(): CheckText {
  const summary = 'Its approvals do not count. A comment on the pull request says how to continue.';
  return { title: 'The ledger of this run is lost', summary, text: '' };
}

/** The check run of an approved run about which something cannot be recorded. */
export function withheldCheck(): CheckText {
  const summary =
    'Something that was said or done here could not be recorded, and it may concern the approval. ' +
    'It is tried again; the check passes again as soon as it is recorded, if the approval still holds.';
  return { title: 'Approved, but not everything is recorded', summary, text: '' };
}

/** The check run of a pull request that is not a run; or that it was one after all. */
export function notARunCheck(passes: boolean): CheckText {
  if (!passes)
    return { title: 'This is a run now', summary: 'A run has a check of its own, which decides.', text: '' };
  const summary =
    `No agent works on this pull request, and ${code('others: pass')} in the configuration lets it through. ` +
    `Someone with write access can use ${command('run')} to let an agent work on it.`;
  return { title: 'Not a run', summary, text: '' };
}
