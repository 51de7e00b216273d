import type { Role } from '../../steering/person.ts';
import type { LedgerLoss } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { command, unprovenText } from './phrases.ts';
import { code } from './sanitize.ts';

/**
 * Why a run cannot continue from its ledger. `too_new`: intact, but written by a newer Coxswain.
 * `unknown_key`: perhaps intact, but sealed with a key that this App does not have.
 */
export type Loss = LedgerLoss | 'too_new' | 'unknown_key';

/** Posted on the pull request of a run whose ledger is lost: what is wrong, and the next step. */
export function lostText(loss: Loss, number: number): string {
  if (loss === 'too_new') {
    return (
      `The ledger of this run, ${code(open(number))}, was written by a newer version of Coxswain than the one installed here. ` +
      'The run waits until Coxswain is upgraded; after that, send the command again.'
    );
  }
  return (
    `${wrong[loss](number)} The run is paused and its approvals are void; ` +
    `someone with the role maintain can use ${command('resume')} to rebuild the ledger from this pull request.`
  );
}

/** The same for someone who used /resume without the required permission. */
export function mayNotRestoreText(loss: Loss, number: number, has: Role): string {
  return `Rebuilding a ledger requires maintain on this repository, but your role is ${has}. ${lostText(loss, number)}`;
}

/** The reply to the person who had a ledger rebuilt. */
export function restoredText(lost: LedgerLoss, { run, iteration, restored }: State): string {
  const aside = lost === 'vanished' ? '' : ` The old one is kept under ${code(kept(run.number))}.`;
  const doubt = restored?.unproven ? ` Note that ${unprovenText}.` : '';
  return (
    `${had[lost]}, so a new one was built from this pull request, up to iteration ${iteration}. ` +
    `Earlier approvals no longer count, and the head is being verified again.${doubt}${aside}`
  );
}

const wrong: { readonly [L in Exclude<Loss, 'too_new'>]: (number: number) => string } = {
  vanished: (number) =>
    `The ledger of this run is missing: neither ${code(open(number))} nor ${code(closed(number))} exists.`,
  unreadable: (number) => `The ledger of this run, ${code(open(number))}, is not a valid Coxswain ledger.`,
  put_back: (number) =>
    `The ledger of this run, ${code(open(number))}, is older than what this pull request shows: ` +
    'someone reset it to an earlier commit.',
  unsealed: (number) =>
    `The ledger of this run, ${code(open(number))}, is not sealed: someone else wrote it, or an older version of Coxswain.`,
  unknown_key: (number) =>
    `The ledger of this run, ${code(open(number))}, is sealed with a key that this App does not have.`,
};

const had: { readonly [L in LedgerLoss]: string } = {
  vanished: "The run's ledger was missing",
  unreadable: "The run's ledger was not a valid Coxswain ledger",
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
