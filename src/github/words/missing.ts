import { everyoneIn, rulesOf } from '../../steering/approval/approval-needs.ts';
import type { GateHit } from '../../steering/attempt-result.ts';
import { awaitedChecks } from '../../steering/ci/awaited-checks.ts';
import { isCritical } from '../../steering/permission/held-work.ts';
import type { OnTimeout } from '../../steering/settings.ts';
import {
  type AskedPermission,
  type AwaitingApproval,
  type DueWork,
  isAwaitingChecks,
  type Standing,
} from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import { either } from '../../steering/words/either.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { missingApprovals, whoText } from './approvals.ts';
import { asItStands, unexcused } from './as-it-stands.ts';
import { acting, pauseText } from './phrases.ts';
import { peopleReasons } from './policy.ts';
import { type Format, markdown, said, timeText } from './sanitize.ts';

/** The first line of `/why`: what the next step of the run waits for, and whether it could come by itself. */
export function missingText(state: State): string {
  const parts = missingParts(state, markdown);
  return parts.length === 0 ? 'Nothing is missing: the run has ended.' : `Missing: ${parts.join('; ')}.`;
}

/** The same in parts of a sentence; none once the run has ended. */
export function missingParts(state: State, format: Format): readonly string[] {
  const { standing } = state;
  switch (standing.phase) {
    case 'queued':
      return [dueText(standing, state)];
    case 'working':
      return [workingText(state, standing, format)];
    case 'verifying':
      return verifyingParts(state, format);
    case 'awaiting_approval':
      return approvalParts(state, standing, format);
    case 'awaiting_permission':
      return [
        `${answerText(format)} by ${whoMay(state, standing.held.hits, format)}, until ${timeText(standing.deadline)}`,
        'without it the held work stays off the branch',
      ];
    case 'awaiting_resolution':
      return [
        `a person's word: ${wordsText(state, format)}`,
        ...said([asItStands(state, format)]),
        'nothing proceeds by itself until then',
      ];
    case 'paused':
      return [`${format.name('/resume')}: ${format.text(pauseText(standing).replace(/\.$/, ''))}`];
    case 'timed_out':
      return [
        `${format.name('/resume')}, because nobody answered until ${timeText(standing.before.deadline)}`,
      ];
    case 'failed':
      return [`${format.name('/retry')}, once what stopped it is mended: ${format.text(standing.what)}`];
    case 'approved':
      return [approvedText(state, standing)];
    case 'done':
    case 'rejected':
    case 'cancelled':
      return [];
  }
}

/** What a person can say, with the verifiers that an approval has to name. */
function wordsText(state: State, { name }: Format): string {
  const red = unexcused(state).map((each) => ` --despite ${each}`);
  return either(
    acting(possibleIn(state)).map((each) => name(`/${each}${each === 'approve' ? red.join('') : ''}`)),
  );
}

function dueText({ work }: DueWork, { iteration, attempt, head }: State): string {
  switch (work) {
    case 'attempt':
      return `room for attempt ${attempt + 1} of iteration ${iteration}, which then begins by itself`;
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
  if (held !== undefined) return 'the allowed work on the branch, where it is being put';
  return `the result of the agent, which is at work on attempt ${state.attempt} of iteration ${state.iteration}`;
}

function askingText(state: State, { call, until }: AskedPermission, format: Format): string {
  const who = whoMay(state, call.hits, format);
  return `${answerText(format)} by ${who}, until ${timeText(until)}; then the agent goes on without`;
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
