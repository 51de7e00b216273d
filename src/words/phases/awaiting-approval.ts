import { needsOf } from '../../steering/approval/approval-needs.ts';
import { waysIn } from '../../steering/approval/authorization.ts';
import { graveConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { type OnTimeout, takesClick } from '../../steering/shapes/settings.ts';
import type { In, State } from '../../steering/state/state.ts';
import { counted } from '../../text/amounts.ts';
import {
  approvalsText,
  isOpenToRoles,
  mergeText,
  missingApprovals,
  peopleReasons,
  policyText,
  unexcused,
} from '../parts/approval-texts.ts';
import { closing, fitting, namedText } from '../parts/asking-texts.ts';
import { command, commandList, scoreText, supersededText } from '../parts/common-phrases.ts';
import { evidenceOf, questionText, summaryOf } from '../parts/evidence-texts.ts';
import { gateName, worstFirst } from '../parts/risk.ts';
import { cut, type Format, markdown, type Part, said, timeText } from '../parts/sanitize.ts';
import { approveIt, button, type PhaseWords, reject } from './row.ts';

/** What people read of a commit that they are asked about. */
export const awaitingApproval: PhaseWords<'awaiting_approval'> = {
  title: (state) => `Waiting for approval${riskText(state)}${concernsText(state)}${confidenceText(state)}`,
  summary: (state) => [policyText(state), approvalsText(state)],
  status: ({ approvals, settings, standing: { proceeds, deadline } }) => [
    `Approvals: ${approvals.length} of ${settings.approval.required}`,
    proceeds && `Unless someone responds: ${proceeds.on_timeout} at ${timeText(proceeds.at)}`,
    `Deadline: ${timeText(deadline)}`,
  ],
  missing: (state, format) => [
    ...missingApprovals(state, format),
    ...redText(state, format),
    silenceText(state, format),
  ],
  ask: (state, web) =>
    fitting(state, web, evidenceOf(state, web), (evidence) => [
      `### ${askTitle(state)}`,
      supersededText(state),
      summaryOf(state),
      questionText(state),
      splitText(state),
      ...evidence,
      ...whoDecides(state),
      commandList(state),
      namedText(state),
      ...closing(state, web),
    ]),
  result: () => 'action_required',
  buttons: () => [approveIt, reject, button('retry', 'Try again', 'Another attempt at this iteration')],
  awaits: 'approve',
  tone: 'warning',
};

/** The worst gate: whoever reads only this is not to take the confidence for the whole of it. */
function riskText({ shown }: State): string {
  const [worst, ...others] = worstFirst(shown?.gates ?? []);
  if (worst === undefined) return '';
  const more = others.length > 0 && `and ${others.length} more`;
  return ` at ${worst.severity} risk: ${said([cut(gateName(worst), 120), more]).join(', ')}`;
}

/** No score speaks for a commit beside what another agent finds grave. */
function concernsText(state: State): string {
  const grave = graveConcerns(reviewOf(state, state.head)).length;
  if (grave === 0) return '';
  return `${riskText(state) === '' ? '' : ';'} with ${counted(grave, 'grave concern')}`;
}

function confidenceText(state: State): string {
  const { shown } = state;
  if (shown === null) return '';
  const { score, band } = shown.confidence;
  return `${riskText(state) + concernsText(state) === '' ? ':' : ';'} confidence ${scoreText(score)}, ${band}`;
}

/** What is too large to be reviewed at once need not be taken as a whole. */
function splitText({ shown }: State): string {
  if (!shown?.gates.some(({ rule }) => rule === 'large-change')) return '';
  return `If that is too much to review at once: ${command('spawn')} shows a block in which you split the task into smaller ones, whose runs then take the place of this one.`;
}

/** Red ones are approved only by name. */
function redText(state: State, { name }: Format): readonly string[] {
  const red = unexcused(state);
  if (red.length === 0) return [];
  const green = `green from ${red.map((each) => name(each)).join(', ')}`;
  if (takesClick(waysIn(state))) return [green];
  const options = red.map((each) => name(`--despite ${each}`)).join(' ');
  return [`${green}, or ${options} by someone with maintain access`];
}

/** Says what becomes of it if nobody says anything. */
function silenceText(state: In<'awaiting_approval'>, { text }: Format): string {
  const { proceeds } = state.standing;
  if (proceeds !== undefined) return silenceTexts[proceeds.on_timeout](timeText(proceeds.at));
  const reasons = peopleReasons(state);
  const why = reasons.length > 0 ? reasons.join(', and ') : modeReason(state.settings.approval.mode);
  return `nothing proceeds automatically because ${text(why)}`;
}

const silenceTexts: { readonly [T in OnTimeout]: (at: string) => string } = {
  proceed: (at) => `or no response by ${at}, after which it proceeds without an approval`,
  hold: (at) => `nothing proceeds automatically: from ${at} on, people decide`,
  deny: (at) => `without a response by ${at}, it is rejected`,
};

function modeReason(mode: State['settings']['approval']['mode']): string {
  return mode === 'manual' ? 'the configuration requires people to approve' : 'a person was asked';
}

/** Says what has come to an end, and is now put before people. */
export function askTitle(state: State, { text }: Format = markdown): string {
  const { shown, iteration, task, attempts, pushed_while_shown, restored } = state;
  const isOurs = attempts.some(({ head }) => head === shown?.head_sha);
  if (pushed_while_shown && !isOurs && !restored) return 'The pushed commit is verified';
  return iteration === 0
    ? `Coxswain finished ${text(task.title)}`
    : `Steering iteration ${iteration} complete`;
}

/** The question is to the people who may answer it, so it says who they are where that is not the rule. */
function whoDecides(state: State): readonly Part[] {
  const { approval } = state.settings;
  const isUsual = needsOf(state).length === 1 && approval.required === 1 && isOpenToRoles(approval.by);
  return [
    mergeText(state),
    !isUsual && approvalsText(state),
    approval.mode !== 'manual' && policyText(state),
  ];
}
