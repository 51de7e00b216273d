import { generallyAdmitted, needsOf } from '../steering/approval/approval-needs.ts';
import type { AskedCall } from '../steering/attempt-result.ts';
import { askedCall } from '../steering/permission/held-work.ts';
import {
  type AwaitingResolution,
  type HeldWork,
  type Interrupt,
  isAskingHuman,
  type SettledInteraction,
  shownPhase,
} from '../steering/standing.ts';
import type { Evaluation, State } from '../steering/state.ts';
import { attemptsText, failureText, tellsReport } from './attempts.ts';
import { blockedText } from './blocked.ts';
import { budgetText } from './budget.ts';
import { gatesText } from './gates.ts';
import { approvalsText, asItStands, whoText } from './missing.ts';
import { callSummary, callWait, permissionSummary } from './permission.ts';
import {
  approveAgain,
  changesText,
  ciText,
  command,
  commandList,
  commit,
  compareLink,
  endLink,
  keptText,
  pullLink,
  ruleRemedy,
  sandboxText,
  supersededText,
} from './phrases.ts';
import { mergeText, policyText, remindedText } from './policy.ts';
import { proofText, redBefore } from './proof.ts';
import { questionSummary } from './question.ts';
import {
  askedPeople,
  editableTask,
  requestedText,
  spawningText,
  spawningTitle,
  waysText,
} from './resolving.ts';
import { reviewText } from './review.ts';
import {
  code,
  cut,
  fenced,
  firstLines,
  lengthOf,
  markdown,
  maxBody,
  type Part,
  paragraphs,
  plain,
  quoted,
  said,
  sentence,
  timeText,
  under,
} from './sanitize.ts';
import { stageSummary, stageTitle } from './stages.ts';
import { parkedText } from './stopped.ts';
import { confidenceLine } from './why.ts';

const maxVerifiers = 50;

/** The one comment that asks a human to decide; empty while no decision is needed. */
export function askText(state: State, web: string): string {
  const { standing } = state;
  const call = askedCall(state);
  const phase = shownPhase(state);
  if (phase === 'awaiting_permission' && call !== undefined) return callText(state, call, web);
  if (phase === 'awaiting_answer') return answerText(state, web);
  if (phase === 'awaiting_stage') return stageText(state, web);
  if (standing.phase === 'awaiting_approval') return approvalText(state, web);
  if (standing.phase === 'awaiting_permission' && 'held' in standing)
    return permissionText(state, standing.held, web);
  return standing.phase === 'awaiting_resolution' ? resolutionText(state, standing, web) : '';
}

/** The same comment once it is settled: how it ended, with the original request folded away. Idempotent. */
export function settledAsk(asked: string, settled: SettledInteraction): string {
  const { kind, how, by, head_sha, reply } = settled;
  if (asked.startsWith(settledMark)) return asked;
  // What was allowed, denied or answered is not the head.
  const at = kind === 'approval' || kind === 'interrupt' ? `, at ${commit(head_sha)}` : '';
  // What nobody did is no person's deed.
  const who = by === 'coxswain' ? '' : ` by ${plain(by)}`;
  const answer = reply === undefined ? '' : `: ${plain(reply, 1000)}`;
  // Only a reference of ours is a link.
  const what = /^replaced by #\d+(?:, #\d+)*$/.test(how) ? how : plain(how);
  const ending = `${settledMark} ${what}${who}${at}${answer}.`;
  return `${ending}\n\n<details><summary>Original request</summary>\n\n${asked}\n\n</details>`;
}

const settledMark = '**Settled:**';

function approvalText(state: State, web: string): string {
  return fitting(state, web, evidenceOf(state, web), (evidence) => [
    `### ${approvalTitle(state)}`,
    supersededText(state),
    summaryOf(state),
    questionText(state),
    ...evidence,
    ...whoDecides(state),
    commandList(state),
    namedText(state),
    ...closing(state, web),
  ]);
}

/** Evidence gives way to what people need to decide, where a comment has no room for both. */
function fitting(
  state: State,
  web: string,
  evidence: readonly Part[],
  write: (evidence: readonly Part[]) => readonly Part[],
): string {
  const whole = paragraphs(write(evidence));
  if (lengthOf(whole) <= maxAsk) return whole;
  const rest = `What is known of the work is in [its checks](${pullLink(web, state, 'checks')}).`;
  return paragraphs(write([rest]));
}

/** There has to be room for how it was settled. */
const maxAsk = maxBody - 4000;

/** What is known of the work, as both questions about it say it. */
function evidenceOf(state: State, web: string): readonly Part[] {
  const { shown } = state;
  return [
    ...(shown === null
      ? []
      : [
          ...[changesText(state, shown.changes), verifiersText(shown), proofText(shown)],
          ...[confidenceLine(state), gatesText(shown, { state, web, on: 'comment' })],
          reviewText(state, 'comment'),
        ]),
    ciText(state),
    sandboxText(state),
    blockedText(state),
    keptText(state),
    sinceText(state, web),
  ];
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

/** Anyone with the role may, which needs no naming. */
function isOpenToRoles(by: State['settings']['approval']['by']): boolean {
  return by.every((each) => 'role' in each);
}

function approvalTitle({ shown, iteration, task, attempts, pushed_while_shown, restored }: State): string {
  const isOurs = attempts.some(({ head }) => head === shown?.head_sha);
  if (pushed_while_shown && !isOurs && !restored) return 'The pushed commit is verified';
  return iteration === 0
    ? `Coxswain finished ${plain(task.title)}`
    : `Steering iteration ${iteration} complete`;
}

/** Asks how a failed task is to go on, or says that others are taking its place. */
function resolutionText(state: State, waiting: AwaitingResolution, web: string): string {
  const { spawning } = waiting;
  if (spawning === undefined) return interruptText(state, waiting, web);
  return paragraphs([`### ${spawningTitle}`, spawningText(spawning, state), askedPeople(state)]);
}

function interruptText(state: State, waiting: AwaitingResolution, web: string): string {
  const { interrupt } = waiting;
  const asking = [
    '### Task Requires Human Review',
    `Task ${plain(state.task.id)} ${stoppedText(state, interrupt)}`,
    fenced(cut(failureText(state, waiting), 8000), 'text'),
    wayOnText(state, interrupt),
    remedyText(state),
    sentence(asItStands(state, markdown)),
    budgetText(state),
    // Whoever has changed nothing in one attempt has said above what there is to say.
    (interrupt.type !== 'nothing_changed' || state.attempts.length > 1) && attemptsText(state),
    waysText(state),
    editableTask(state),
  ];
  const known = [
    supersededText(state),
    // The reason or the table is what the agent says.
    interrupt.type !== 'nothing_changed' && !tellsReport(state) && summaryOf(state),
    questionText(state),
    parkedText(state),
    ...evidenceOf(state, web),
  ];
  return fitting(state, web, known, (evidence) => [
    ...asking,
    ...evidence,
    namedText(state),
    ...closing(state, web),
  ]);
}

function stoppedText(state: State, interrupt: Interrupt): string {
  if (interrupt.type === 'manual_interrupt')
    return `was interrupted${interrupt.by === undefined ? '' : ` by ${plain(interrupt.by, 60)}`}`;
  if (interrupt.type === 'budget_exceeded') return 'stopped because its budget is used up';
  if (interrupt.type === 'agent_unusable') return 'stopped because its agent cannot work here';
  if (interrupt.type === 'red_before') return 'stopped because what fails was red before this change';
  if (interrupt.type === 'conflict') return 'stopped because it conflicts with its base';
  if (interrupt.type === 'nothing_changed')
    return 'stopped because its agent finished without a change, and says';
  if (interrupt.type === 'unanswered') return 'stopped because nobody answered its agent in time';
  if (hasUsedRetries(state, interrupt)) return `exceeded max retries (${interrupt.retry_count})`;
  return 'stopped because it cannot make progress without a human';
}

/** What a person can say, where the commands alone do not tell what they would come to here. */
function wayOnText({ standing }: State, { type }: Interrupt): string {
  if (type === 'unanswered')
    return `${command('steer')} tells the agent how to go on, and ${command('retry')} lets it try without an answer.`;
  if (type !== 'nothing_changed' || !isAskingHuman(standing)) return '';
  return `If nobody has said anything by ${timeText(standing.deadline)}, this is closed with those words.`;
}

/** Asks what an agent wants to know. */
function answerText(state: State, web: string): string {
  const count = state.questions?.length ?? 0;
  return paragraphs([
    `### The agent asks ${count > 1 ? `${count} questions` : 'a question'}`,
    ...questionSummary(state),
    commandList(state),
    ...closing(state, web),
  ]);
}

/** Asks whether the next stage may begin. */
function stageText(state: State, web: string): string {
  const { by } = state.settings.approval;
  return paragraphs([
    `### ${stageTitle(state)}`,
    ...stageSummary(state, 'comment'),
    !isOpenToRoles(by) && `It can be approved by ${whoText(generallyAdmitted(by), markdown)}.`,
    commandList(state),
    ...closing(state, web),
  ]);
}

/** Asks whether held work may be pushed. */
function permissionText(state: State, held: HeldWork, web: string): string {
  return paragraphs([
    '### Permission needed before this is pushed',
    summaryOf(held.work),
    ...permissionSummary(state, held, web),
    sandboxText(state),
    blockedText(state),
    commandList(state),
    ...closing(state, web),
  ]);
}

/** Asks whether an agent may make a tool call, before which it is held or was stopped. */
function callText(state: State, call: AskedCall, web: string): string {
  return paragraphs([
    '### The agent asks for permission',
    ...callSummary(call, callWait(state)),
    parkedText(state),
    commandList(state),
    ...closing(state, web),
  ]);
}

/** A push can be refused by a rule, which is not the agent's to change. */
function remedyText({ attempts, run }: State): string {
  const isRefused = attempts.at(-1)?.failure?.kind === 'push_refused' && !run.adopted;
  return isRefused ? `If a rule of the repository forbids the push itself: ${ruleRemedy}` : '';
}

/** What changed while this was under review, so that whoever approves has to say which commit they mean. */
function namedText(state: State): string {
  const { pushed_while_shown, base_left_while_shown, restored, run, head } = state;
  const how = `${approveAgain(state, head)}.`;
  if (base_left_while_shown)
    return (
      `The base was changed to ${code(run.base)} while this was under review, ` +
      `so there may be more to merge than before: ${how}`
    );
  if (!pushed_while_shown) return '';
  return `${restored ? 'This run was begun anew after its ledger was lost' : 'Someone pushed while this was under review'}: ${how}`;
}

/**
 * Whether the last attempt failed with no retry left. The same interrupt is raised for a pushed head that
 * fails, for verifiers that could not run and for lost work.
 */
function hasUsedRetries(
  { attempt, attempts, attempts_used, settings }: State,
  interrupt: Interrupt,
): boolean {
  const last = attempts.at(-1);
  const hasFailed = last?.attempt === attempt && last.outcome !== 'green';
  const isUsedUp = attempts_used >= settings.attempts.max;
  return interrupt.type === 'task_exceeded_retries' && hasFailed && isUsedUp;
}

function summaryOf({ report }: { readonly report: State['report'] }): string {
  const summary = report?.summary.trim() ?? '';
  return summary === '' ? '' : `The agent says of its work:\n\n${quoted(summary)}`;
}

/** What the agent wanted to know although nobody can be asked: a steer can say it. */
function questionText({ report }: State): string {
  const question = report?.question?.trim() ?? '';
  if (question === '') return '';
  return `**The agent asks**\n\n${quoted(question)}`;
}

function verifiersText(shown: Evaluation): string {
  const { verifiers } = shown;
  if (verifiers.length === 0) return '**Verifiers**: none configured.';
  const known = redBefore(shown);
  const lines = verifiers.slice(0, maxVerifiers).map((output) => {
    const { success, name, verifier, timed_out, required } = output;
    const notes = said([
      endLink(output),
      timed_out && 'timed out',
      !required && 'not required',
      !success && known.includes(name) && 'red before this change',
    ]);
    return `- ${success ? 'pass' : '**fail**'} ${code(verifier)} (${notes.join(', ')})`;
  });
  return `**Verifiers**\n\n${lines.join('\n')}`;
}

function sinceText({ iteration, iterations, shown, head }: State, web: string): string {
  const now = shown?.head_sha ?? head;
  const before = iterations.at(-1)?.head_before;
  if (iteration === 0 || before === undefined) return '';
  if (before === now) return 'Nothing has changed since the last iteration.';
  const link = compareLink(web, before, now);
  const { count = 0, newest = [] } = shown?.commits ?? {};
  if (count === 0) return `[Changes since the last iteration](${link})`;
  const line = ({ sha, subject }: (typeof newest)[number]) => `- ${commit(sha)} ${plain(subject, 200)}`;
  return under(
    `[${count === 1 ? '1 commit' : `${count} commits`} since the last iteration](${link})`,
    firstLines(newest, newest.length, line, Math.max(count - newest.length, 0)),
  );
}

function closing(state: State, web: string): readonly Part[] {
  const checks = pullLink(web, state, 'checks');
  const [open] = state.questions ?? [];
  // An answer in words of one's own needs a comment.
  const hasButtons = shownPhase(state) !== 'awaiting_answer' || open?.asked.options !== undefined;
  const isClickable = state.run.presenter === 'app' && hasButtons;
  const buttons = isClickable ? ` There are buttons on the [Checks tab](${checks}).` : '';
  const people = state.standing.phase === 'awaiting_resolution' ? askedPeople(state) : requestedText(state);
  return [remindedText(state), `${people}${buttons}`];
}
