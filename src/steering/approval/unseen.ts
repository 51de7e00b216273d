import { interactionsOf } from '../iterations/interactions.ts';
import { notRecorded } from '../phrases/sentences.ts';
import type { FinishFacts, Voiding } from '../shapes/finish-facts.ts';
import { byTime, wholeSecond } from '../shapes/time.ts';
import type { State } from '../state/state.ts';
import { approvedAt } from './policy-finish.ts';

/**
 * What GitHub says happened while a run was on show, and the ledger does not know because it was undone
 * before we heard of it: another base or another head for a while. Somebody may have read that instead.
 */

/** Why an approval cannot be trusted because of it. */
export function unseenReasons(state: State, facts: FinishFacts): readonly string[] {
  const base = unseenBaseChange(state, facts);
  const head = unseenReturn(state, facts);
  return [
    ...(base === undefined ? [] : [`the base was changed at ${base}, perhaps temporarily`]),
    ...(head === undefined ? [] : [`the branch had another head until ${head}`]),
  ];
}

/** Why an approval is void although nothing is known against it. */
export function voidReasons(state: State, { voids = [] }: FinishFacts): readonly string[] {
  const oldest = Math.min(...approvedAt(state).map(({ at }) => Date.parse(at)));
  const { words_deleted_at: at } = state;
  const all = at === undefined ? voids : [...voids, { why: 'words_deleted', at } as const];
  const voiding = all.filter((each) => oldest <= Date.parse(each.at));
  // One text for each kind, with the time after which approvals count again.
  const last = new Map(voiding.toSorted(byTime).map((each) => [each.why, each.at]));
  return [...last].map(([why, at]) => voidTexts[why](at));
}

const voidTexts: { readonly [W in Voiding['why']]: (at: string) => string } = {
  ledger_lost: (at) => `the ledger was lost at ${at}, which voids every approval before that`,
  words_deleted: (at) =>
    `what somebody had said here was deleted at ${at}, so approvals from before that do not count`,
  unrecorded: (at) => `something ${notRecorded}, so approvals from before ${at} do not count`,
};

/** The state that knows of it. */
export function withUnseen(state: State, facts: FinishFacts): State {
  const base_at = unseenBaseChange(state, facts);
  return {
    ...state,
    ...(unseenReturn(state, facts) !== undefined && { pushed_while_shown: true }),
    ...(base_at !== undefined && { base_at, base_left_while_shown: true }),
  };
}

/**
 * When the base was changed after the run was first shown, if we did not hear of it: somebody may have looked
 * at the difference from another base. A run from before this was recorded has no such time.
 */
function unseenBaseChange(state: State, { base_changed_at: at }: FinishFacts): string | undefined {
  const { base_at } = state;
  if (base_at !== undefined && Date.parse(at ?? '') <= Date.parse(base_at)) return undefined;
  return whileShown(state, at);
}

/** The same for a head that somebody pushed and took back. */
function unseenReturn(state: State, { returned_at }: FinishFacts): string | undefined {
  return state.pushed_while_shown ? undefined : whileShown(state, returned_at);
}

/** The time, if the run had been shown by then. */
function whileShown(state: State, at: string | null | undefined): string | undefined {
  const [first] = interactionsOf(state);
  if (at === undefined || at === null || first === undefined) return undefined;
  return Date.parse(at) >= wholeSecond(first.opened_at) ? at : undefined;
}
