import type { Role } from '../../steering/person.ts';
import type { LedgerLoss } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { command } from './phrases.ts';
import { code } from './sanitize.ts';

/** Why a run's ledger cannot be gone on with. `too_new`: whole, but beyond this Coxswain. */
export type Loss = LedgerLoss | 'too_new';

/** What is said on the pull request of a run whose ledger is lost: what is wrong, and the next step. */
export function lostText(loss: Loss, number: number): string {
  if (loss === 'too_new') {
    return (
      `The ledger of this run, ${code(open(number))}, was written by a newer Coxswain than the one that answers here. ` +
      'Nothing is done until whoever runs it has upgraded it; then say it again.'
    );
  }
  return (
    `${wrong[loss](number)} The run is paused and its approvals are void; ` +
    `${command('resume')}, said with write access, starts a new ledger from what this pull request remembers.`
  );
}

/** The same to somebody who said /resume without the right to. */
export function mayNotRestoreText(loss: Loss, number: number, has: Role): string {
  return `${command('resume')} takes write on this repository, and you have ${has}. ${lostText(loss, number)}`;
}

/** The reply to whoever had a ledger begun anew. */
export function restoredText(lost: LedgerLoss, { run, iteration }: State): string {
  const aside = lost === 'vanished' ? '' : ` What stood there is kept under ${code(kept(run.number))}.`;
  return (
    `${had[lost]}, so a new one is begun from what this pull request remembers, up to iteration ${iteration}. ` +
    `No approval given before counts, and the head is verified anew.${aside}`
  );
}

const wrong: { readonly [L in LedgerLoss]: (number: number) => string } = {
  vanished: (number) =>
    `The ledger of this run is gone: neither ${code(open(number))} nor ${code(closed(number))} is there.`,
  unreadable: (number) => `The ledger of this run, ${code(open(number))}, is not what Coxswain wrote.`,
  put_back: (number) =>
    `The ledger of this run, ${code(open(number))}, is older than what this pull request shows: ` +
    'somebody put an earlier commit back.',
};

const had: { readonly [L in LedgerLoss]: string } = {
  vanished: "The run's ledger was gone",
  unreadable: "The run's ledger was not what Coxswain wrote",
  put_back: "The run's ledger had been put back to an earlier commit",
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
