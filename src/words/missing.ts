import {
  everyoneIn,
  generallyAdmitted,
  missing,
  type Need,
  needsOf,
  rulesOf,
} from '../steering/approval/approval-needs.ts';
import { inWords } from '../steering/approval/approvers.ts';
import type { GateHit } from '../steering/attempt-result.ts';
import { awaitedChecks } from '../steering/ci/awaited-checks.ts';
import { failedRequired } from '../steering/confidence/evaluation.ts';
import { attemptDue } from '../steering/iterations.ts';
import { isCritical } from '../steering/permission/held-work.ts';
import { either } from '../steering/phrases/either.ts';
import { shortSha } from '../steering/phrases/short-sha.ts';
import type { ApprovalSettings, Approver, OnTimeout } from '../steering/settings.ts';
import { stageOf } from '../steering/stages/stage.ts';
import {
  type AskedPermission,
  type AwaitingApproval,
  type AwaitingPermission,
  type AwaitingStage,
  type DueWork,
  isAwaitingChecks,
  type Standing,
  shownPhase,
} from '../steering/standing.ts';
import type { State } from '../steering/state.ts';
import { possibleIn } from '../steering/table.ts';
import { acting, pauseText } from './phrases.ts';
import { peopleReasons } from './policy.ts';
import { beginningText, dependencyParts } from './resolving.ts';
import { type Format, markdown, paragraphs, said, timeText, under } from './sanitize.ts';
import { ofStage } from './stages.ts';
import { goesOn, parkedText, unansweredText } from './stopped.ts';

/** The first line of `/why`: what the next step of the run waits for, and whether it could come by itself. */
export function missingText(state: State): string {
  const parts = missingParts(state, markdown);
  return parts.length === 0 ? 'Nothing is missing: the run has ended.' : `Missing: ${parts.join('; ')}.`;
}

/** The same in parts of a sentence; none once the run has ended. */
export function missingParts(state: State, format: Format): readonly string[] {
  const { standing } = state;
  switch (standing.phase) {
    case 'blocked':
      return [...dependencyParts(standing), beginningText(format)];
    case 'queued':
      return [dueText(standing, state), ...said([parkedText(state, format).replace(/\.$/, '')])];
    case 'working':
      return [workingText(state, standing, format)];
    case 'verifying':
      return verifyingParts(state, format);
    case 'awaiting_approval':
      return approvalParts(state, standing, format);
    case 'awaiting_answer':
      return [
        `${answering(state, format)}, until ${timeText(standing.deadline)}; then ${unansweredText(state)}`,
      ];
    case 'awaiting_stage':
      return stageParts(state, standing, format);
    case 'awaiting_permission':
      return permissionParts(state, standing, format);
    case 'awaiting_resolution':
      if (standing.spawning !== undefined)
        return ['the runs of the new tasks, which are being started; this one then ends by itself'];
      return [
        `a person's word: ${wordsText(state, format)}`,
        ...said([asItStands(state, format)]),
        'nothing proceeds by itself until then',
      ];
    case 'paused':
      if (standing.until !== undefined)
        return [
          `the model, which ${standing.why === 'rate_limit' ? 'answers' : 'is asked'} again at ${timeText(standing.until)}`,
          `it then goes on by itself, and ${format.name('/resume')} tries at once`,
        ];
      return [`${format.name('/resume')}: ${format.text(pauseText(standing, state).replace(/\.$/, ''))}`];
    case 'timed_out':
      return [
        `${either([format.name('/resume'), ...(state.questions?.length ? [format.name('/answer')] : [])])}, because nobody answered until ${timeText(standing.before.deadline)}`,
      ];
    case 'failed':
      return [`${format.name('/retry')}, once what stopped it is mended: ${format.text(standing.what)}`];
    case 'approved':
      return [approvedText(state, standing)];
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'abandoned':
      return [];
  }
}

function stageParts(state: State, { deadline }: AwaitingStage, format: Format): readonly string[] {
  const who = whoText(generallyAdmitted(state.settings.approval.by), format);
  return [
    `${format.name('/approve')} by ${who}, or a steer, until ${timeText(deadline)}`,
    `the stage ${stageOf(state).name} is on show, and the next one begins when it is approved`,
  ];
}

function permissionParts(state: State, standing: AwaitingPermission, format: Format): readonly string[] {
  const isCall = 'call' in standing;
  const { hits } = isCall ? standing.call : standing.held;
  return [
    `${answerText(format)} by ${whoMay(state, hits, format)}, until ${timeText(standing.deadline)}`,
    isCall
      ? 'the agent was stopped before a tool call, and goes on with the decision'
      : 'without it the held work stays off the branch',
  ];
}

/** What a person can say, with the verifiers that an approval has to name. */
function wordsText(state: State, { name }: Format): string {
  const red = unexcused(state).map((each) => ` --despite ${each}`);
  return either(
    acting(possibleIn(state)).map((each) => name(`/${each}${each === 'approve' ? red.join('') : ''}`)),
  );
}

function dueText({ work }: DueWork, state: State): string {
  const { iteration, head, parked } = state;
  switch (work) {
    case 'attempt':
      return `room for attempt ${attemptDue(state)} of iteration ${iteration}${ofStage(state)}, ${parked === undefined ? 'which then begins by itself' : goesOn}`;
    case 'verify_attempt':
    case 'verify_head':
      return `room for the verifiers of ${shortSha(head)}, which then begin by themselves`;
    case 'land':
      return 'room to put the allowed work on the branch, which then happens by itself';
  }
}

type Working = Extract<Standing, { phase: 'working' }>;

function workingText(state: State, { asking, held }: Working, format: Format): string {
  if (asking !== undefined) return askingText(state, asking, format);
  if (shownPhase(state) === 'awaiting_answer') return `${answering(state, format)}; the agent waits for it`;
  if (held !== undefined) return 'the allowed work on the branch, where it is being put';
  return `the result of the agent, which is at work on attempt ${state.attempt} of iteration ${state.iteration}${ofStage(state)}`;
}

function askingText(state: State, { call, until }: AskedPermission, format: Format): string {
  const who = whoMay(state, call.hits, format);
  return `${answerText(format)} by ${who}, until ${timeText(until)}; then the agent is stopped until somebody decides`;
}

function answering({ settings }: State, format: Format): string {
  return `${format.name('/answer')} by ${whoText(answerersOf(settings), format)}`;
}

/** Who may answer an agent, at least with one of the options that it offers. */
export function answerersOf({ answers }: State['settings']): readonly Approver[] {
  return answers?.by ?? [{ role: 'write' }];
}

function answerText({ name }: Format): string {
  return either([name('/allow'), name('/deny')]);
}

function whoMay(state: State, hits: readonly GateHit[], format: Format): string {
  return hits.some(isCritical) ? 'anyone with maintain' : whoText(everyoneIn(rulesOf(state)), format);
}

/** Checks of the repository's own CI come after the verifiers, and are waited for until a time. */
function verifyingParts(state: State, { name, text }: Format): readonly string[] {
  const { settings, head, standing } = state;
  if (isAwaitingChecks(standing))
    return awaitedChecks(state).map(
      ({ spec, until }) =>
        `the verifier ${name(spec.name)}, which waits for ${name(spec.check)} of ${text(spec.app)} until ${timeText(until)}`,
    );
  const names = settings.verifiers.map((verifier) => name(verifier.name));
  const of = standing.phase === 'verifying' && standing.starts_ci ? 'a new head' : shortSha(head);
  return names.length === 0
    ? [`the verification of ${of}`]
    : [`the results for ${of} of the ${plural('verifier', names.length)} ${names.join(', ')}`];
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

function approvalParts(state: State, { proceeds }: AwaitingApproval, format: Format): readonly string[] {
  const needed = missingApprovals(state, format);
  const red = redText(state, format);
  if (proceeds === undefined) return [...needed, ...red, byItselfText(state, format)];
  return [...needed, ...red, silenceTexts[proceeds.on_timeout](timeText(proceeds.at))];
}

/** What becomes of it if nobody says anything. */
const silenceTexts: { readonly [T in OnTimeout]: (at: string) => string } = {
  proceed: (at) => `or silence until ${at}, after which it goes on without an approval`,
  hold: (at) => `nothing proceeds by itself: from ${at} on it is left to people`,
  deny: (at) => `without a word until ${at}, it is rejected`,
};

/** Red ones are approved only by name. */
function redText(state: State, { name }: Format): readonly string[] {
  const red = unexcused(state);
  if (red.length === 0) return [];
  const options = red.map((each) => name(`--despite ${each}`)).join(' ');
  return [`green from ${red.map((each) => name(each)).join(', ')}, or ${options} by somebody with maintain`];
}

function byItselfText(state: State, { text }: Format): string {
  const reasons = peopleReasons(state);
  const why = reasons.length > 0 ? reasons.join(', and ') : modeReason(state.settings.approval.mode);
  return `nothing proceeds by itself because ${text(why)}`;
}

function modeReason(mode: State['settings']['approval']['mode']): string {
  return mode === 'manual' ? 'the configuration says that people approve' : 'a person was asked';
}

function approvedText(
  { settings, owed }: State,
  { finish }: Extract<Standing, { phase: 'approved' }>,
): string {
  if (finish === 'checking') return 'the final check, which compares the approval with GitHub once more';
  const { finish: how } = settings.approval;
  if (how === 'ready') return 'a merge on GitHub, by anyone who may';
  const isDue = owed.some((effect) => effect.do === 'merge');
  return isDue
    ? 'the merge, which Coxswain asks GitHub for'
    : 'the merge, which GitHub does once its rules allow it';
}

/** Who may approve the commit under review, for which files, and who still has to. */
export function approvalsText(state: State): string {
  const needs = needsOf(state).map((need) => `- ${needLine(need, markdown)}`);
  const problems = (state.shown?.authority?.problems ?? []).map((each) => `- ${markdown.text(each)}`);
  return paragraphs([under('**Approvals**', needs), under('Of CODEOWNERS could not be used:', problems)]);
}

/** `1 of 2 by anyone with write; ada has approved`. */
export function needLine(need: Need, format: Format): string {
  const { have, required } = need;
  const people = have.map((login) => format.text(login)).join(', ');
  const approved = have.length === 0 ? '' : `; approved by ${people}`;
  return `${Math.min(have.length, required)} of ${required} by ${whoText(need.by, format)}${filesText(need, format)}${approved}`;
}

/** What is missing: `one approval by @acme/core for infra/**`; none if nothing is. */
export function missingApprovals(
  state: Pick<State, 'settings' | 'shown' | 'approvals'>,
  format: Format,
): readonly string[] {
  return missing(needsOf(state)).map((need) => {
    const count = need.missing === 1 ? 'one approval' : `${need.missing} approvals`;
    return `${count} by ${whoText(need.by, format)}${filesText(need, format)}`;
  });
}

const maxApprovers = 20;

/** `anyone with write or @grace` */
export function whoText(by: readonly Approver[], format: Format): string {
  if (by.length === 0) return 'somebody whom CODEOWNERS does not name by account';
  const named = by.slice(0, maxApprovers).map((approver) => format.text(approverText(approver)));
  return either(by.length > maxApprovers ? [...named, `${by.length - maxApprovers} others`] : named);
}

function approverText(approver: Approver): string {
  return 'role' in approver ? `anyone with ${approver.role}` : inWords(approver);
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
