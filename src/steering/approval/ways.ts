import type { CommandName } from '../commands/index.ts';
import { approvalWays } from '../shapes/approval-ways.ts';
import type { ApprovalSettings, ApprovalWay } from '../shapes/settings.ts';
import type { Source } from '../shapes/source.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';

/**
 * Who holds a person's token can write comments and reviews as that person. A click on a button is sent by
 * GitHub alone, for somebody who is signed in at its website.
 */

/** In which way an approval from there was given; undefined if in none. */
export function wayOf({ from }: Pick<Source, 'from'>): ApprovalWay | undefined {
  if (from === 'dispatch') return undefined;
  return from === 'click' ? 'button' : from;
}

/** Whether an approval in this way counts under these settings. */
export function countsInWay({ how }: Pick<ApprovalSettings, 'how'>, way: ApprovalWay | undefined): boolean {
  return way !== undefined && (how ?? approvalWays).includes(way);
}

/** The ways in which this run can be approved; only an App has buttons. */
export function waysIn({ settings: { approval }, run }: Pick<State, 'settings' | 'run'>) {
  return approvalWays.filter(
    (way) => countsInWay(approval, way) && (way !== 'button' || run.presenter === 'app'),
  );
}

/** Why it does not count as an approval if people use a command in this way. */
export function objectionToWay(
  state: Pick<State, 'settings' | 'run'>,
  name: CommandName,
  way: ApprovalWay | undefined,
): Refusal | undefined {
  if (name !== 'approve' || countsInWay(state.settings.approval, way)) return undefined;
  return { why: 'other_way', way: way ?? 'comment', how: waysIn(state), number: state.run.number };
}
