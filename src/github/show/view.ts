import { verifierCheck as verifierCheckName } from '../../config/check-names.ts';
import { approvedBy } from '../../steering/approval/policy-finish.ts';
import type { AskedCall } from '../../steering/attempt-result.ts';
import type { CommandName } from '../../steering/commands/index.ts';
import { openInteraction } from '../../steering/interactions/interactions.ts';
import { askedCall, rulesToAllow } from '../../steering/permission/held-work.ts';
import { rulesOf } from '../../steering/permission/tool-calls.ts';
import { type OpenQuestion, type SettledInteraction, shownPhase } from '../../steering/standing.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import { askText, type CheckText, decisionCheck, optionLabel, verifierCheck } from '../../words/index.ts';
import { ourLabel } from '../names.ts';
import type { PullState } from '../write/draft.ts';
import {
  type Annotation,
  annotationsOf,
  concernAnnotations,
  gateAnnotations,
  maxAnnotations,
} from './annotations.ts';

/** How the pull request should look, except for its body; computed from the state alone. */
export interface View {
  readonly pull: PullState;
  /** Only our own labels; all others are left alone. */
  readonly labels: readonly string[];
  readonly checks: readonly CheckView[];
  readonly ask: Ask | null;
  /** Settled interactions, newest first; their comments show how they ended. */
  readonly settled: readonly SettledInteraction[];
}

export type CheckView = CheckText & {
  readonly name: string;
  readonly head_sha: string;
  readonly external_id: string;
  readonly result: CheckResult;
  readonly actions: readonly Button[];
  readonly annotations: readonly Annotation[];
};

/** `in_progress`, or how it was completed. */
export type CheckResult = 'in_progress' | Conclusion;
export type Conclusion = 'success' | 'failure' | 'neutral' | 'cancelled' | 'timed_out' | 'action_required';

export interface Ask {
  readonly interaction: string;
  readonly text: string;
}

const maxVerifiers = 50;

/** `web` is the repository's web address, such as `https://github.com/acme/api`. */
export function viewOf(state: State, web: string): View {
  return {
    pull: pullOf(state),
    labels: [ourLabel, `${ourLabel}:${shownPhase(state)}`],
    checks: [decisionView(state, web), ...verifierViews(state)],
    ask: askOf(state, web),
    settled: state.interactions.slice(-3).reverse(),
  };
}

function pullOf({ standing }: State): PullState {
  switch (standing.phase) {
    case 'approved':
      return standing.finish === 'finished' ? 'ready' : 'draft';
    case 'rejected':
    case 'cancelled':
    case 'abandoned':
    case 'done':
      return 'untouched';
    case 'paused':
      return standing.why === 'branch_deleted' ? 'untouched' : 'draft';
    case 'blocked':
    case 'queued':
    case 'working':
    case 'verifying':
    case 'awaiting_approval':
    case 'awaiting_answer':
    case 'awaiting_stage':
    case 'awaiting_permission':
    case 'awaiting_resolution':
    case 'timed_out':
    case 'failed':
      return 'draft';
  }
}

/** Belongs to the head, so that a branch rule that requires it controls merging. */
function decisionView(state: State, web: string): CheckView {
  return {
    ...decisionCheck(state, web),
    name: state.settings.check,
    head_sha: state.head,
    external_id: decisionId(state),
    result: resultOf(state),
    actions: buttonsOf(state),
    annotations: annotationsIn(state),
  };
}

function annotationsIn(state: State): readonly Annotation[] {
  return [...gateAnnotations(state.shown?.gates ?? []), ...concernAnnotations(state)].slice(
    0,
    maxAnnotations,
  );
}

/**
 * Each button counts once for each person, so what was clicked and came to the same end needs a new one. A
 * run may stop again before it was drawn at work.
 */
function decisionId(state: State): string {
  const { standing, run } = state;
  if (standing.phase === 'failed' && standing.seq !== undefined)
    return `failed:${run.number}:${standing.seq}`;
  return openInteraction(state)?.id ?? `work:${run.number}:${state.iteration}`;
}

/**
 * Only an approved run succeeds. `neutral` and `skipped` also satisfy a required check, so a run that still
 * waits for a human must not end in either.
 */
function resultOf(state: State): CheckResult {
  const { standing } = state;
  switch (standing.phase) {
    case 'blocked':
    case 'queued':
    case 'working':
    case 'verifying':
      return 'in_progress';
    case 'awaiting_approval':
    case 'awaiting_answer':
    case 'awaiting_stage':
    case 'awaiting_permission':
    case 'awaiting_resolution':
    case 'paused':
      return 'action_required';
    case 'approved':
      return standing.finish === 'finished' ? 'success' : 'in_progress';
    case 'done':
      return standing.merged && approvedBy(state) !== '' ? 'success' : 'cancelled';
    case 'rejected':
    case 'failed':
      return 'failure';
    case 'cancelled':
    case 'abandoned':
      return 'cancelled';
    case 'timed_out':
      return 'timed_out';
  }
}

function verifierViews(state: State): readonly CheckView[] {
  const { shown, settings } = state;
  if (shown === null) return [];
  // What is a check of the repository's own CI is on the commit already, with its log.
  const ours = shown.verifiers.filter(({ check }) => check === undefined);
  return ours.slice(0, maxVerifiers).map((output) => ({
    ...verifierCheck(output, shown),
    name: verifierCheckName(settings.check, output.name),
    head_sha: shown.head_sha,
    external_id: `verifier:${state.run.number}:${state.iteration}`,
    result: verifierResult(output),
    actions: [],
    annotations: annotationsOf(output, shown.changes.files),
  }));
}

function verifierResult({ success, timed_out }: Evaluation['verifiers'][number]): Conclusion {
  if (success) return 'success';
  return timed_out ? 'timed_out' : 'failure';
}

function askOf(state: State, web: string): Ask | null {
  const open = state.standing.phase === 'timed_out' ? null : openInteraction(state);
  return open === null ? null : { interaction: open.id, text: askText(state, web) };
}

/** A button on a check run. GitHub allows 20 characters for label and identifier, 40 for description. */
interface Button {
  readonly label: string;
  readonly description: string;
  readonly identifier: ButtonName;
}

/** A command without arguments, `/allow` with one, or an answer by the number of an option. */
export type ButtonName = CommandName | 'allow_once' | 'allow_always' | (typeof answerNames)[number];

const answerNames = ['answer_1', 'answer_2', 'answer_3'] as const;

/** At most three, all for commands available now. Only an App receives clicks. */
function buttonsOf(state: State): readonly Button[] {
  if (state.run.presenter !== 'app') return [];
  const possible = possibleIn(state);
  return wanted(state).filter(({ identifier }) => possible.includes(commandOf(identifier)));
}

function commandOf(name: ButtonName): CommandName {
  if (name === 'allow_once' || name === 'allow_always') return 'allow';
  return isAnswer(name) ? 'answer' : name;
}

function isAnswer(name: ButtonName): name is (typeof answerNames)[number] {
  return answerNames.some((each) => each === name);
}

function button(identifier: ButtonName, label: string, description: string): Button {
  return { label, description, identifier };
}

const approve = button('approve', 'Approve', 'Approve the commit under review');
const reject = button('reject', 'Reject', 'Asks you why, in a comment');
const again = button('retry', 'Try again', 'Another attempt at this iteration');
const retry = button('retry', 'Retry', 'Try again with a fresh budget');
const spawn = button('spawn', 'New task', 'Replace the failed task');
const abandon = button('abandon', 'Abandon', 'Give the task up and close');
const cancel = button('cancel', 'Cancel', 'Stop the run and close it');
const allowOnce = button('allow_once', 'Allow once', 'Push this work to the branch');
const allowAlways = button('allow_always', 'Always', 'Push it, and do not ask this again');
const deny = button('deny', 'Deny', 'Keep it off the branch');

/** For an agent that waits before a tool call, or was stopped there. */
function decisions(call: AskedCall): readonly Button[] {
  const once = { ...allowOnce, description: 'Let the agent do this' };
  const always = { ...allowAlways, description: 'And do not ask this again' };
  const no = { ...deny, description: 'The agent goes on without' };
  return rulesOf(call).length > 0 ? [once, always, no] : [once, no];
}

/** The first options of the question that is shown. */
function choices([open]: readonly OpenQuestion[]): readonly Button[] {
  const { options = [], multiple, default: preferred } = open?.asked ?? {};
  return answerNames.flatMap((name, nth) => {
    const option = options[nth];
    if (option === undefined) return [];
    const how = multiple ? 'Answer with this option only' : 'Answer with this option';
    const description = option === preferred ? 'The agent would choose this, too' : how;
    return [button(name, optionLabel(option, nth + 1), description)];
  });
}

function wanted(state: State): readonly Button[] {
  const { standing, questions = [] } = state;
  const phase = shownPhase(state);
  if (phase === 'awaiting_answer') return choices(questions);
  const call = askedCall(state);
  if (phase === 'awaiting_permission' && call !== undefined) return decisions(call);
  return buttonsIn(standing);
}

function buttonsIn(standing: State['standing']): readonly Button[] {
  switch (standing.phase) {
    case 'blocked':
    case 'working':
    case 'queued':
    case 'verifying':
      return [cancel];
    case 'awaiting_approval':
      return [approve, reject, again];
    case 'awaiting_stage':
      return [{ ...approve, description: 'Let the next stage begin' }, reject];
    case 'awaiting_permission':
      if (!('held' in standing)) return [];
      return rulesToAllow(standing.held).length > 0 ? [allowOnce, allowAlways, deny] : [allowOnce, deny];
    case 'awaiting_resolution':
      return standing.spawning === undefined ? [retry, spawn, abandon] : [];
    case 'failed':
      return [retry];
    case 'awaiting_answer':
    case 'paused':
    case 'approved':
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'abandoned':
    case 'timed_out':
      return [];
  }
}
