import { needsOf } from '../../steering/approval/approval-needs.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import type { ApprovalSettings } from '../../steering/settings.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import type { Format } from './sanitize.ts';

/**
 * Which approval would finish an interrupted run without another attempt: ``/approve --despite lint`, by
 * somebody with maintain, merges it as it stands`. Empty where there is nothing to approve.
 */
export function asItStands(state: State, { name }: Format): string {
  const { standing, shown, settings } = state;
  if (standing.phase !== 'awaiting_resolution' || shown === null) return '';
  if (!possibleIn(state).includes('approve')) return '';
  const red = unexcused(state);
  const options = red.map((each) => ` --despite ${each}`).join('');
  const who = red.length === 0 ? '' : ', by somebody with maintain,';
  const isOneOfSeveral = settings.approval.required > 1 || needsOf(state).length > 1;
  const others = isOneOfSeveral ? ', together with the other approvals that it takes' : '';
  return `${name(`/approve${options}`)}${who} ${finishTexts[settings.approval.finish]} as it stands${others}`;
}

/** The required verifiers that failed, and that no approval has named so far. */
export function unexcused({ shown, approvals }: State): readonly string[] {
  const excused = approvals.flatMap(({ despite }) => despite);
  return failedRequired(shown?.verifiers ?? []).filter((each) => !excused.includes(each));
}

const finishTexts: { readonly [F in ApprovalSettings['finish']]: string } = {
  ready: 'marks it as ready to merge',
  merge: 'merges it',
  'auto-merge': 'lets GitHub merge it',
};
