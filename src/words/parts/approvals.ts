import { missing, type Need, needsOf } from '../../steering/approval/approval-needs.ts';
import { inWords } from '../../steering/approval/approvers.ts';
import { waysIn } from '../../steering/approval/ways.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import { possibleIn } from '../../steering/phases/table.ts';
import { either } from '../../steering/phrases/either.ts';
import { unnamedOwner } from '../../steering/phrases/sentences.ts';
import type { ApprovalSettings, Approver } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { type Format, markdown, paragraphs, said, under } from './sanitize.ts';

/** Who may answer an agent, at least with one of the options that it offers. */
export function answerersOf({ answers }: State['settings']): readonly Approver[] {
  return answers?.by ?? [{ role: 'write' }];
}

/** How the run can be approved, where a comment is not enough: `a click on Approve`. */
export function approvingText(state: Pick<State, 'settings' | 'run'>): string {
  const ways = waysIn(state);
  if (ways.includes('comment')) return '';
  return either(ways.map((way) => (way === 'button' ? 'a click on Approve' : 'an approving review')));
}

/** Who may approve the commit under review, for which files, and who still has to. */
export function approvalsText(state: State): string {
  const needs = needsOf(state).map((need) => `- ${needLine(need)}`);
  const problems = (state.shown?.authority?.problems ?? []).map((each) => `- ${markdown.text(each)}`);
  return paragraphs([
    under('**Approvals**', needs),
    under('These parts of CODEOWNERS could not be used:', problems),
  ]);
}

/** `1 of 2 from people with write access; approved by ada`. */
function needLine(need: Need): string {
  const { have, required } = need;
  const people = have.map((login) => markdown.text(login)).join(', ');
  const approved = have.length === 0 ? '' : `; approved by ${people}`;
  return `${Math.min(have.length, required)} of ${required} from ${whoText(need.by, markdown, whom(required))}${filesText(need, markdown)}${approved}`;
}

/** What is missing: `one approval from @acme/core for infra/**`; none if nothing is. */
export function missingApprovals(
  state: Pick<State, 'settings' | 'shown' | 'approvals' | 'run'>,
  format: Format,
): readonly string[] {
  const by = approvingText(state) === '' ? '' : `, by ${approvingText(state)}`;
  return missing(needsOf(state)).map((need) => {
    const count = need.missing === 1 ? 'one approval' : `${need.missing} approvals`;
    return `${count} from ${whoText(need.by, format, whom(need.missing))}${filesText(need, format)}${by}`;
  });
}

const maxApprovers = 20;

/** One person gives one approval. */
function whom(count: number): Whom {
  return count === 1 ? 'someone' : 'people';
}

type Whom = 'someone' | 'anyone' | 'people';

/** `someone with write access or @grace` */
export function whoText(by: readonly Approver[], format: Format, whom: Whom = 'someone'): string {
  if (by.length === 0) return unnamedOwner;
  const named = by.slice(0, maxApprovers).map((approver) => format.text(approverText(approver, whom)));
  return either(by.length > maxApprovers ? [...named, `${by.length - maxApprovers} others`] : named);
}

function approverText(approver: Approver, whom: Whom): string {
  return 'role' in approver ? `${whom} with ${approver.role} access` : inWords(approver);
}

const maxPaths = 3;

function filesText({ of, files }: Need, format: Format): string {
  if (files === undefined) return '';
  const { paths, count } = files;
  const shown = paths.slice(0, maxPaths).map((path) => format.name(path));
  const all = of === 'protected' ? paths.length : count;
  return ` for ${said([...shown, all > shown.length && `${all - shown.length} more`]).join(', ')}`;
}

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
  const how = approvingText(state);
  const approving = how === '' || red.length > 0 ? name(`/approve${options}`) : how;
  const who = red.length === 0 ? '' : ' by someone with maintain access';
  const isOneOfSeveral = settings.approval.required > 1 || needsOf(state).length > 1;
  const others = isOneOfSeveral ? ', together with the other approvals it needs' : '';
  return `${approving}${who} ${finishTexts[settings.approval.finish]} as it stands${others}`;
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

/** Anyone with the role may, which needs no naming. */
export function isOpenToRoles(by: State['settings']['approval']['by']): boolean {
  return by.every((each) => 'role' in each);
}
