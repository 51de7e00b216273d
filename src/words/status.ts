import { approvedBy } from '../steering/approval/policy-finish.ts';
import type { AskedCall, GateHit } from '../steering/attempt-result.ts';
import { riskOf } from '../steering/gate-rules.ts';
import { currentIteration, isCiSkipped } from '../steering/iterations.ts';
import { shortSha } from '../steering/phrases/short-sha.ts';
import { spentBefore } from '../steering/spending/spending.ts';
import {
  type AwaitingApproval,
  type DueWork,
  type HeldWork,
  isAwaitingChecks,
  isLeased,
  type Lease,
  shownPhase,
} from '../steering/standing.ts';
import type { State } from '../steering/state.ts';
import { summaryOf } from '../steering/steers/queued-steer.ts';
import { costText, counted } from '../text/amounts.ts';
import {
  type AtWork,
  callsText,
  elapsedText,
  notSeen,
  type Sources,
  stageText,
  verifierStateText,
} from './at-work.ts';
import { asItStands } from './missing.ts';
import {
  awaitedLines,
  commandList,
  fileStatusLine,
  iterationText,
  pauseText,
  pullLink,
  scoreText,
  supersededText,
  verdictLine,
} from './phrases.ts';
import { questionLines } from './question.ts';
import { dependencyParts, linksText } from './resolving.ts';
import { reviewLines } from './review.ts';
import { fenced, literal, type Part, said } from './sanitize.ts';
import { nextStageText } from './stages.ts';
import { goesOn, parkedText, unansweredText } from './stopped.ts';
import { decisionText } from './why.ts';

const maxFiles = 100;

/** Plain text, the same for a reply and for a terminal. */
export function statusText(state: State, at?: AtWork): string {
  return said([
    `Status: ${shownPhase(state)}`,
    `Run: ${state.run.id}, ${iterationText(state)}`,
    taskLine(state),
    linksText(state),
    ...steerLines(state),
    `Head: ${shortSha(state.head)}${isCiSkipped(state) ? ' (CI has not run)' : ''}`,
    ...questionLines(state),
    ...standingLines(state),
    !isLeased(state.standing) && parkedText(state, literal),
    ...progressLines(state, at),
    costLine(state),
    state.restored && `Begun anew by: ${state.restored.by}; the ledger was lost`,
    state.queue.length > 0 && `Queued steers: ${state.queue.length}`,
    ...state.queue.map(({ author, prompt }) => `  ${author}: ${summaryOf(prompt)}`),
    ...shownLines(state),
  ]).join('\n');
}

/** What a task says of itself besides its words. */
function taskLine({ task: { kind, component } }: State): Part {
  const parts = said([kind !== 'build' && kind, component !== '' && `component ${component}`]);
  return parts.length > 0 && `Task: ${parts.join(', ')}`;
}

/** What the current iteration was steered to. */
function steerLines(state: State): readonly Part[] {
  const { steers } = currentIteration(state);
  return steers.map(({ author, prompt }) => `Steered by ${author}: ${summaryOf(prompt)}`);
}

export function statusReply(state: State, { web, progress }: Sources): string {
  const links = `[Files](${pullLink(web, state, 'files')}), [checks](${pullLink(web, state, 'checks')}).`;
  return [fenced(statusText(state, progress()), 'text'), links, commandList(state)].join('\n\n');
}

/** What is being done, as far as whoever answers sees it: another process may be at work. */
function progressLines(state: State, at: AtWork | undefined): readonly Part[] {
  if (!isLeased(state.standing)) return [];
  if (at?.progress === undefined) return [`Progress: ${notSeen}`];
  const { progress, now } = at;
  const { stage, since, calls, cost, verifiers = [] } = progress;
  const spent = costText(cost);
  const longest = Math.max(...verifiers.map(({ name }) => name.length));
  return [
    `Stage: ${stageText(progress)}, ${elapsedText(since, now)} since the work began`,
    calls.total > 0 && `Calls: ${callsText(calls)}`,
    stage !== 'verifiers' && spent && `Cost of this attempt: ${spent}`,
    ...(stage === 'verifiers'
      ? verifiers.map((one) => `  ${one.name.padEnd(longest)}  ${verifierStateText(one, now)}`)
      : []),
  ];
}

function standingLines(state: State): readonly Part[] {
  const { standing } = state;
  switch (standing.phase) {
    case 'blocked':
      return dependencyParts(standing).map((part) => `Waiting for: ${part}`);
    case 'queued':
      return [`Waiting for: ${waitingFor[standing.work]}${state.parked ? `, ${goesOn}` : ''}`];
    case 'working':
      return [...callLines(standing.asking), ...leaseLines(standing.hold)];
    case 'awaiting_answer':
      return [`Deadline: ${standing.deadline}; then ${unansweredText(state)}`];
    case 'awaiting_stage':
      return [nextStageText(state), `Deadline: ${standing.deadline}`];
    case 'verifying':
      return isAwaitingChecks(standing)
        ? awaitedLines(state).map((line) => `CI: ${line}`)
        : leaseLines(standing.hold);
    case 'awaiting_approval':
      return approvalLines(state, standing);
    case 'awaiting_permission':
      return [
        ...('call' in standing ? callLines(standing) : heldLines(standing.held)),
        `Deadline: ${standing.deadline}`,
      ];
    case 'awaiting_resolution':
      return [
        `Why: ${standing.interrupt.failure_reason}`,
        standing.spawning && `Being replaced by: ${counted(standing.spawning.tasks.length, 'new task')}`,
        ...said([asItStands(state, literal)]).map((way) => `Or: ${way}`),
        `Deadline: ${standing.deadline}`,
      ];
    case 'paused':
      return [`Why: ${pauseText(standing, state)}`];
    case 'approved':
      return [
        `Approved by: ${approvedBy(state)}`,
        `Final check: ${standing.finish === 'checking' ? 'in progress' : 'passed'}`,
      ];
    case 'done':
      return [`Merged: ${standing.merged ? 'yes' : 'no'}`];
    case 'rejected':
      return [`Rejected by: ${standing.by}`, `Reason: ${standing.reason}`];
    case 'cancelled':
      return [standing.by !== null && `Cancelled by: ${standing.by}`, `Reason: ${standing.reason}`];
    case 'abandoned':
      return [`Abandoned by: ${standing.by}`, standing.reason !== '' && `Reason: ${standing.reason}`];
    case 'timed_out':
      return [`Was: ${standing.before.phase}`, `Deadline was: ${standing.before.deadline}`];
    case 'failed':
      return [`Why: ${standing.what}`, `Reference: ${standing.reference}`];
  }
}

function approvalLines(
  { approvals, settings }: State,
  { proceeds, deadline }: AwaitingApproval,
): readonly Part[] {
  return [
    `Approvals: ${approvals.length} of ${settings.approval.required}`,
    proceeds && `Unless somebody says something: ${proceeds.on_timeout} at ${proceeds.at}`,
    `Deadline: ${deadline}`,
  ];
}

function costLine(state: State): Part {
  const cost = costText(spentBefore(state));
  // What an agent at work costs is counted when it ends.
  const label = state.standing.phase === 'working' ? 'Cost before this attempt' : 'Cost';
  return cost && `${label}: ${cost}`;
}

function callLines({ call, until }: { call?: AskedCall; until?: string } = {}): readonly string[] {
  if (call === undefined) return [];
  const lines = [`The agent asks: ${call.command ?? call.title}`, ...hitLines(call.hits)];
  return until === undefined ? lines : [...lines, `It waits until: ${until}`];
}

function heldLines({ work, hits }: HeldWork): readonly string[] {
  return [`Held: ${shortSha(work.head)}, ${work.changes.summary}`, ...hitLines(hits)];
}

function hitLines(hits: readonly GateHit[]): readonly string[] {
  return hits.slice(0, maxFiles).map(({ rule, evidence }) => `Because: ${rule}: ${evidence}`);
}

/** Who does the work, since when, and when another process may take it. */
function leaseLines({ job, since, until }: Lease): readonly Part[] {
  return [
    job && `Workflow run: ${job.run_id}, attempt ${job.run_attempt}`,
    since && `Working since: ${since}`,
    `Lease until: ${until}`,
  ];
}

const waitingFor: { readonly [W in DueWork['work']]: string } = {
  attempt: 'room for an attempt',
  verify_attempt: 'room for the verifiers',
  verify_head: 'room for the verifiers',
  land: 'room to push the allowed work',
};

/** What is known of the head; not beside held work, for which people would take it. */
function shownLines(state: State): readonly Part[] {
  const { shown, run, standing } = state;
  if (standing.phase === 'awaiting_permission' && 'held' in standing) return [];
  if (shown === null) return ['Changes: this head has not been verified yet'];
  const { files, omitted = 0, summary } = shown.changes;
  const { score, band } = shown.confidence;
  const decision = decisionText(state, literal);
  const rest = Math.max(files.length - maxFiles, 0) + omitted;
  return [
    supersededText(state),
    `Confidence: ${scoreText(score)} (${band})${decision && `. ${decision}`}`,
    `Risk: ${riskOf(shown.gates)}`,
    ...reviewLines(state),
    `Repository: ${run.repo}`,
    `  Summary: ${summary}`,
    ...files.slice(0, maxFiles).map((file) => `  ${fileStatusLine(file)}`),
    rest > 0 && `  and ${rest} more`,
    ...shown.verifiers.map(verdictLine),
  ];
}
