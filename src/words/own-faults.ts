import { lacksRole } from '../steering/phrases/phrases.ts';
import type { Role } from '../steering/shapes/people.ts';
import type { LedgerLoss } from '../steering/shapes/task.ts';
import type { State } from '../steering/state/state.ts';
import { command } from './parts/common-phrases.ts';
import { code } from './parts/sanitize.ts';
import { quotedIssue } from './start-texts.ts';

/**
 * Why a run cannot continue from its ledger. `too_new`: intact, but written by a newer Coxswain. `lost_key`:
 * sealed with a key that anybody may have.
 */
type Loss = LedgerLoss | 'too_new' | 'lost_key';

/** A loss, and the key in the ledger's seal if that is what is wrong. Anybody may have written the id. */
export interface FoundLoss {
  readonly loss: Loss;
  readonly key?: string | undefined;
}

/** Posted on the pull request of a run whose ledger is lost: what is wrong, and the next step. */
export function lostText(found: FoundLoss, number: number): string {
  const { loss } = found;
  const ledger = `The ledger of this run, ${code(open(number))},`;
  if (loss === 'too_new') {
    return (
      `${ledger} was written by a newer version of Coxswain than the one installed here. ` +
      'The run waits until Coxswain is upgraded; after that, send the command again.'
    );
  }
  const what = wrong[loss]({ number, ledger, key: code(found.key ?? '', 40) });
  const undo = loss === 'unsealed' ? sealing : ';';
  return `${what} The run is paused and its approvals are void${undo} ${adoptAnew}`;
}

/** Answers someone who used /resume without the required permission. */
export function mayNotAdoptText(found: FoundLoss, number: number, has: Role): string {
  return `${lacksRole('Starting a run over', 'maintain', has)} ${lostText(found, number)}`;
}

/** The reply to the person who had the run begun anew: it quotes the task, which anybody may have changed. */
export function restoredText(lost: LedgerLoss, { run, task }: State): string {
  const aside = lost === 'vanished' ? '' : ` The old one is kept under ${code(kept(run.number))}.`;
  return (
    `${had[lost]}, so the run starts over ${anew}. ` +
    `Earlier approvals no longer count, and the head is being verified.${aside} ` +
    `The task is now:\n\n${quotedIssue({ title: task.title, body: task.description })}\n\n` +
    `If the task should be different, say so with ${command('steer')}.`
  );
}

const wrong: {
  readonly [L in Exclude<Loss, 'too_new'>]: (
    where: Record<'ledger' | 'key', string> & { readonly number: number },
  ) => string;
} = {
  vanished: ({ number }) =>
    `The ledger of this run is missing: neither ${code(open(number))} nor ${code(closed(number))} exists.`,
  unreadable: ({ ledger }) => `${ledger} is not a valid Coxswain ledger.`,
  put_back: ({ ledger }) =>
    `${ledger} is older than what this pull request shows: someone reset it to an earlier commit.`,
  unsealed: ({ ledger }) =>
    `${ledger} is not sealed: it was written by someone else or by an older version of Coxswain.`,
  lost_key: ({ ledger, key }) =>
    `${ledger} is sealed with the key ${key}, which the operator has declared lost.`,
};

const anew = 'from what is on this branch';
const adoptAnew = `someone with the maintain role can use ${command('resume')} to start it over ${anew}.`;

/** Such a ledger may become readable as it is. */
const sealing = `. If it is from before an upgrade, the operator can seal it with ${code('coxswain seal')}; otherwise,`;

const had: { readonly [L in LedgerLoss]: string } = {
  vanished: "The run's ledger was missing",
  unreadable: "The run's ledger could not be verified",
  put_back: "The run's ledger had been reset to an earlier commit",
  unsealed: "The run's ledger was not sealed",
};

function open(number: number): string {
  return `refs/coxswain/open/${number}`;
}

function closed(number: number): string {
  return `refs/coxswain/closed/${number}`;
}

function kept(number: number): string {
  return `refs/coxswain/broken/${number}-*`;
}

/**
 * Posted on a run when something could not be recorded because of the machine: `why` is a part of a sentence.
 */
export function cannotWriteText(why: string): string {
  return (
    `Coxswain cannot write to its disk right now: ${why}. Nothing is lost: what was said here stays ` +
    'where it is, and Coxswain keeps trying until its operator has fixed the problem.'
  );
}

/** Posted on a pull request we may not update: `message` names the permission and where to grant it. */
export function missingPermissionText(message: string, presenter: State['run']['presenter']): string {
  const soon = presenter === 'app' ? 'a few minutes after' : 'at the next run of the workflow after';
  return (
    `Coxswain cannot update this pull request: ${message}.\n\n` +
    `The run continues, and the pull request is updated ${soon} the permission is granted.`
  );
}
