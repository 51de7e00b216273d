import type { LedgerLoss } from '../../steering/beginning/restoration.ts';
import type { Role } from '../../steering/person.ts';
import type { State } from '../../steering/state.ts';
import { command, unprovenText } from './phrases.ts';
import { code } from './sanitize.ts';

/**
 * Why a run cannot continue from its ledger. `too_new`: intact, but written by a newer Coxswain.
 * `unknown_key`: perhaps intact, but sealed with a key that this App does not have. `retired_key`: sealed with
 * one that it accepts only for ended runs. `lost_key`: sealed with one that anybody may have.
 */
export type Loss = LedgerLoss | 'too_new' | 'unknown_key' | 'retired_key' | 'lost_key';

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
  return `${what} The run is paused and its approvals are void${undo[loss] ?? ';'} ${rebuild}`;
}

/** The same for someone who used /resume without the required permission. */
export function mayNotRestoreText(found: FoundLoss, number: number, has: Role): string {
  return `Rebuilding a ledger requires maintain on this repository, but your role is ${has}. ${lostText(found, number)}`;
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

const wrong: { readonly [L in Exclude<Loss, 'too_new'>]: (where: Where) => string } = {
  vanished: ({ number }) =>
    `The ledger of this run is missing: neither ${code(open(number))} nor ${code(closed(number))} exists.`,
  unreadable: ({ ledger }) => `${ledger} is not a valid Coxswain ledger.`,
  put_back: ({ ledger }) =>
    `${ledger} is older than what this pull request shows: someone reset it to an earlier commit.`,
  unsealed: ({ ledger }) =>
    `${ledger} is not sealed: someone else wrote it, or an older version of Coxswain.`,
  unknown_key: ({ ledger, key }) => `${ledger} is sealed with the key ${key}, which this App does not have.`,
  retired_key: ({ ledger, key }) =>
    `${ledger} is sealed with the key ${key}, which this App accepts only for ended runs.`,
  lost_key: ({ ledger, key }) =>
    `${ledger} is sealed with the key ${key}, which its operator has declared lost.`,
};

interface Where {
  readonly number: number;
  readonly ledger: string;
  readonly key: string;
}

const rebuild =
  `someone with the role maintain can use ${command('resume')} ` +
  'to rebuild the ledger from this pull request.';

/** Where the ledger may become readable as it is: how its operator sees to that. */
const undo: { readonly [L in Loss]?: string } = {
  unsealed: `. If it is from before an upgrade, the operator can seal it with ${code('coxswain seal')}; otherwise,`,
  unknown_key: '. If its operator adds the key, the run continues without them; if the key is gone,',
  retired_key:
    '. If its operator accepts the key for open runs again, the run continues without them; otherwise,',
};

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
