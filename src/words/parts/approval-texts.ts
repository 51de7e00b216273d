import { inWords, missing, type Need, needsOf } from '../../steering/approval/approval-needs.ts';
import { waysIn } from '../../steering/approval/authorization.ts';
import { newGroundOf } from '../../steering/approval/auto-approval.ts';
import { proceedingReasons } from '../../steering/approval/waiting-reasons.ts';
import { type Audience, isAsked } from '../../steering/audience.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import { possibleIn } from '../../steering/phases/table.ts';
import { either, notExplicit, unnamedOwner } from '../../steering/phrases/phrases.ts';
import type { NewGround, PolicyGround } from '../../steering/shapes/finishing.ts';
import { covers, isSame, type Person } from '../../steering/shapes/people.ts';
import type { ApprovalSettings, Approver, OnTimeout } from '../../steering/shapes/settings.ts';
import { isAskingHuman } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { counted, setDurationText } from '../../text/amounts.ts';
import {
  code,
  type Format,
  literal,
  markdown,
  paragraphs,
  plain,
  said,
  timeText,
  under,
} from './sanitize.ts';

/** Says who may answer an agent, at least with one of the options that it offers. */
export function answerersOf({ answers }: State['settings']): readonly Approver[] {
  return answers?.by ?? [{ role: 'write' }];
}

/** Says how the run can be approved, where a comment is not enough: `a click on Approve`. */
export function approvingText(state: Pick<State, 'settings' | 'run'>): string {
  const ways = waysIn(state);
  if (ways.includes('comment')) return '';
  return either(ways.map((way) => (way === 'button' ? 'a click on Approve' : 'an approving review')));
}

/** Says who may approve the commit under review, for which files, and who still has to. */
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

/** Says what is missing: `one approval from @acme/core for infra/**`; none if nothing is. */
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

/**
 * Says whom a run waits for, to somebody who may be among them: `you, or someone with write access`. Null:
 * whoever reads it.
 */
export function askedText(audience: Audience, reader: Person | null, format: Format = literal): string {
  const asked = reader === null ? 'no' : isAsked(audience, reader);
  const others = approversIn(audience).filter(
    (each) => !('login' in each && reader !== null && isSame({ ...each, id: 0 }, reader)),
  );
  const who = others.length === 0 ? '' : whoText(others, format);
  if (asked === 'yes') return who === '' ? 'you' : `you, or ${who}`;
  if (who === '') return 'nobody whom Coxswain can name';
  return asked === 'perhaps' ? `${who}; perhaps you` : who;
}

/** Whoever has the least role, then those of whom less is asked. */
function approversIn({ anyone: { from, teams = {} }, people }: Audience): readonly Approver[] {
  // Of the same login, the first is who has it.
  const each = people.filter((one, at) => people.findIndex((other) => isSame(other, one)) === at);
  const named = each.filter((one) => one.from && !(from && covers(one.from, from)));
  return [
    ...(from === undefined ? [] : [{ role: from }]),
    ...Object.keys(teams).map((team) => ({ team })),
    ...named.map(({ login }) => ({ login })),
  ];
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

/** Says what the configuration lets happen without people, and what it would do with this commit, and why. */
export function policyText(state: State): string {
  const { approval } = state.settings;
  const mode = `**Policy** ${markdown.name(approval.mode)}: ${modeText(approval)}.`;
  return said([mode, groundText(state), proceedsText(state)]).join(' ');
}

/** Says what an approval would let happen where that is more than leaving draft; empty elsewhere. */
export function mergeText({ settings, run }: State): string {
  const { finish, merge_method: method } = settings.approval;
  if (finish === 'ready') return '';
  return finish === 'merge'
    ? `Once approved, Coxswain merges it into ${code(run.base, 200)} (${method}, unless a merge queue decides).`
    : `Once approved, it is merged into ${code(run.base, 200)} (${method}, unless a merge queue decides) as soon as GitHub's rules allow it.`;
}

const byItself = 'it proceeds automatically at a';

/** Says what a mode does, as part of a sentence. */
function modeText(approval: ApprovalSettings): string {
  switch (approval.mode) {
    case 'manual':
      return 'people approve every commit, regardless of the confidence';
    case 'auto':
      return `${byItself} high confidence; at a medium one, ${timedText(approval)}`;
    case 'confidence_threshold':
      return `${byItself} confidence of at least ${approval.threshold}`;
  }
}

/** Says how much history the agent has here; empty where nothing depends on it. */
function groundText({ settings: { approval }, shown }: Pick<State, 'settings' | 'shown'>): string {
  const ground = shown === null ? undefined : newGroundOf(approval, shown);
  return ground === undefined ? '' : newGroundText(ground, approval);
}

function newGroundText({ merged_runs, needed }: NewGround, approval: ApprovalSettings): string {
  const runs = `New ground: ${merged_runs} of ${counted(needed, 'merged run')} of this agent`;
  return isProceedWritten(approval)
    ? `${runs}, so where it would proceed at once, people have ${timeFor(approval)}.`
    : `${runs}, and ${notExplicit}, so people decide.`;
}

/** A timed merge has to be asked for. */
function timedText(approval: ApprovalSettings): string {
  const isMerged = approval.finish !== 'ready';
  return isMerged && !isProceedWritten(approval) ? 'people decide' : `people have ${timeFor(approval)}`;
}

function isProceedWritten({ on_timeout, on_timeout_written }: ApprovalSettings): boolean {
  return on_timeout === 'proceed' && on_timeout_written === true;
}

/** `10 min to respond, and then it proceeds`. */
function timeFor({ auto_proceed_after_s = 600, on_timeout = 'proceed' }: ApprovalSettings): string {
  return `${setDurationText(auto_proceed_after_s)} to respond, and then it ${thenTexts[on_timeout]}`;
}

const thenTexts: { readonly [T in OnTimeout]: string } = {
  proceed: 'proceeds',
  hold: 'waits for an approval',
  deny: 'is rejected',
};

/** Says why a run waits for people where the configuration could do without, and when it no longer does. */
function proceedsText(state: State): string {
  const { standing, settings } = state;
  if (standing.phase !== 'awaiting_approval' || settings.approval.mode === 'manual') return '';
  const { proceeds } = standing;
  if (proceeds !== undefined)
    return `**${timedTexts[proceeds.on_timeout]} at ${timeText(proceeds.at)}**, unless someone responds first.`;
  const why = peopleReasons(state);
  if (why.length === 0) return '';
  return `People decide although the mode is ${code(settings.approval.mode)}: ${plain(why.join('; '), 1000)}.`;
}

/** Says why people decide: what has happened since the decision, or else what it rests on. */
export function peopleReasons({ left_to_people: left, head, shown }: State): readonly string[] {
  if (left?.head_sha === head) return proceedingReasons({ how: 'wait', because: [left.because] });
  return shown?.proceeding === undefined ? [] : proceedingReasons(shown.proceeding, shown.gates);
}

const timedTexts = {
  proceed: 'It proceeds without an approval',
  hold: 'The countdown ends and it waits for people',
  deny: 'It is rejected',
};

/** `auto: the confidence is high`. */
export function ruleText({ settings: { approval } }: State, { rule, at }: PolicyGround): string {
  const texts = {
    auto: 'the confidence is high',
    confidence_threshold: `the confidence reaches the threshold of ${approval.threshold}`,
    auto_proceed_after: `nobody responded within ${setDurationText(approval.auto_proceed_after_s ?? 600)}`,
  };
  return `${code(rule)}, ${texts[rule]}, at ${timeText(at)}`;
}

/** The reminder in the comment that asks; empty until people are reminded. */
export function remindedText(state: State): string {
  const text = timePassedText(state, markdown);
  return text && `**Reminder**: ${text}`;
}

/**
 * Says how much of the time to answer has passed, and what happens at its end; empty until people are
 * reminded.
 */
export function timePassedText({ standing }: State, { name }: Format): string {
  if (!isAskingHuman(standing) || standing.reminded === undefined) return '';
  return (
    `${standing.reminded.percent}% of the time to answer has passed. Without an answer by ` +
    `${timeText(standing.deadline)} the run times out and stays as it is; ${name('/resume')} continues it then.`
  );
}
