import { approvedBy, groundOf } from '../steering/approval/policy-finish.ts';
import type { VerifierOutput } from '../steering/attempt-result.ts';
import { askedCall } from '../steering/permission/held-work.ts';
import { either } from '../steering/phrases/either.ts';
import { shortSha } from '../steering/phrases/short-sha.ts';
import { graveConcerns, reviewOf } from '../steering/reviewing/review.ts';
import { type AwaitingResolution, isAwaitingChecks, shownPhase } from '../steering/standing.ts';
import type { Evaluation, State } from '../steering/state.ts';
import { possibleIn } from '../steering/table.ts';
import { counted, durationText } from '../text/amounts.ts';
import { beginningOf } from '../text/cut.ts';
import { attemptsText, failureText } from './attempts.ts';
import { blockedText, noticesText } from './blocked.ts';
import { budgetText, costLine } from './budget.ts';
import { outputText } from './diff-and-logs.ts';
import { gateName, gatesText, worstFirst } from './gates.ts';
import { dueText } from './merging.ts';
import { approvalsText, asItStands } from './missing.ts';
import { callSummary, callTitle, callWait, permissionSummary } from './permission.ts';
import {
  acting,
  awaitedLines,
  ciText,
  command,
  commandList,
  commit,
  keptText,
  pauseText,
  pullLink,
  sandboxText,
  scoreText,
  supersededText,
} from './phrases.ts';
import { policyText, ruleText } from './policy.ts';
import { redBefore } from './proof.ts';
import { questionSummary, questionTitle } from './question.ts';
import {
  abandonedTitle,
  dependenciesText,
  dependenciesTitle,
  linksText,
  spawningText,
  spawningTitle,
} from './resolving.ts';
import { reviewText } from './review.ts';
import {
  code,
  cut,
  fenced,
  markdown,
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
import { breakdown, confidenceLine } from './why.ts';

/** The text of a check run. GitHub limits summary and text to 65,535 each. */
export interface CheckText {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

const maxCheckText = 60_000;

/**
 * The check run `Coxswain`: where the run stands, and how its confidence came about; not beside held work or a
 * stopped agent, of which it says nothing.
 */
export function decisionCheck(state: State, web: string): CheckText {
  const shown = saysNothingOf(state.standing) ? null : state.shown;
  const { title, summary } = standingText(state, web);
  const parts = [
    ...summary,
    shown !== null && supersededText(state),
    shown !== null && confidenceLine(state),
    shown !== null && gatesText(shown, { state, web }),
    shown !== null && reviewText(state, 'check'),
    costLine(state),
    ciText(state),
    sandboxText(state),
    blockedText(state),
    budgetText(state),
    rulesText(state),
    undoneText(state),
    attemptsText(state),
    keptText(state),
    commandsText(state, web),
    noticesText(state),
  ];
  return {
    title: cut(title, 200),
    summary: bounded(paragraphs(parts)),
    text: shown === null ? '' : bounded(breakdown(state, shown)),
  };
}

/** The commands available now by their names alone: what each does is told where people write them. */
function commandsText(state: State, web: string): string {
  const where = `Comment a command on [the pull request](${pullLink(web, state)})`;
  const names = acting(possibleIn(state)).map(command);
  if (names.length === 0) return `${commandList(state)} ${where}.`;
  return `${where}: ${names.join(', ')}; ${command('help')} says what each does.`;
}

function saysNothingOf({ phase }: State['standing']): boolean {
  return phase === 'awaiting_permission' || phase === 'awaiting_answer' || phase === 'awaiting_stage';
}

/** What people do not find on the pull request, and why. */
function undoneText({ undone = [] }: State): string {
  const lines = undone.map(({ do: what, reason }) => {
    return `- ${what === 'react' ? 'a reaction to a comment' : 'a reply'}: ${plain(reason)}`;
  });
  const reasons = [...new Set(lines)];
  return under('GitHub refused something that was to be said here:', reasons);
}

/** What is special about the settings: branches that share the check, and what of the task is ignored. */
function rulesText({ settings: { shared_by, ignored = [] } }: State): string {
  const left = ignored.map((each) => `- ${plain(each)}`);
  return paragraphs([
    shared_by &&
      `Approved for one branch of ${either(shared_by.map((glob) => code(glob)))} is approved for all of them.`,
    under("Of the task's own settings, these no longer fit:", left),
  ]);
}

/** The check run `Coxswain / <verifier>`. */
export function verifierCheck(output: VerifierOutput, shown: Pick<Evaluation, 'baseline'>): CheckText {
  const { name, success, exit_code, timed_out, required, duration_s } = output;
  const verdict = success ? 'Passed' : timed_out ? 'Timed out' : `Failed (exit code ${exit_code})`;
  const wasRed = !success && redBefore(shown).includes(name);
  const before = wasRed ? ' It was red before this change, too.' : '';
  return {
    title: said([verdict, !required && 'not required', wasRed && 'red before this change']).join(', '),
    summary: `${verdict} after ${durationText(duration_s)}. This verifier is ${required ? '' : 'not '}required.${before}`,
    text: bounded(outputText(output, 40_000)),
  };
}

interface StandingText {
  readonly title: string;
  readonly summary: readonly Part[];
}

function standingText(state: State, web: string): StandingText {
  const { standing, iteration } = state;
  const asked = askedText(state);
  if (asked !== undefined) return asked;
  switch (standing.phase) {
    case 'working':
      return inProgressText(iteration);
    case 'verifying':
      return isAwaitingChecks(standing) ? waitingForCi(state) : inProgressText(iteration);
    case 'queued':
      return inProgressText(iteration);
    case 'blocked':
      return { title: dependenciesTitle(standing), summary: [dependenciesText(standing)] };
    case 'awaiting_approval':
      return {
        title: `Waiting for approval${riskText(state)}${concernsText(state)}${confidenceText(state)}`,
        summary: [policyText(state), approvalsText(state)],
      };
    case 'awaiting_answer':
    case 'awaiting_stage':
    case 'awaiting_permission':
      return {
        title: 'Waiting for permission to push',
        summary: 'held' in standing ? permissionSummary(state, standing.held, web) : [],
      };
    case 'awaiting_resolution':
      return resolutionText(state, standing);
    case 'paused':
      return {
        title:
          standing.until === undefined ? 'Paused' : `Waiting for the model until ${timeText(standing.until)}`,
        summary: [
          plain(pauseText(standing, state), 2000),
          standing.until === undefined
            ? `Use ${command('resume')} to continue.`
            : `${command('resume')} tries at once.`,
          parkedText(state),
        ],
      };
    case 'approved':
      return approvedText(state, standing.finish);
    case 'done':
      return {
        title: standing.merged ? 'Merged' : 'Closed',
        summary: approversAtEnd(state, standing.merged),
      };
    case 'rejected':
    case 'cancelled':
    case 'abandoned':
    case 'timed_out':
    case 'failed':
      return endedText(standing);
  }
}

function resolutionText(state: State, waiting: AwaitingResolution): StandingText {
  const { spawning } = waiting;
  if (spawning !== undefined) return { title: spawningTitle, summary: [spawningText(spawning, state)] };
  const why = fenced(cut(failureText(state, waiting), 8000), 'text');
  return { title: 'Task Requires Human Review', summary: [why, sentence(asItStands(state, markdown))] };
}

/** What an agent asks, whether it is held or was stopped; undefined if it asks nothing. */
function askedText(state: State): StandingText | undefined {
  const phase = shownPhase(state);
  if (phase === 'awaiting_answer') return { title: questionTitle(state), summary: questionSummary(state) };
  if (phase === 'awaiting_stage') return { title: stageTitle(state), summary: stageSummary(state, 'check') };
  const call = askedCall(state);
  if (phase !== 'awaiting_permission' || call === undefined) return undefined;
  return { title: callTitle(call), summary: [...callSummary(call, callWait(state)), parkedText(state)] };
}

/** One text for all three phases: a label tells them apart, so the check need not be rewritten for each. */
function inProgressText(iteration: number): StandingText {
  return {
    title: `Iteration ${iteration} is in progress`,
    summary: [
      'The agent or the verifiers are at work, or are about to be. There is no commit to approve yet.',
    ],
  };
}

function waitingForCi(state: State): StandingText {
  return {
    title: `Iteration ${state.iteration} waits for CI`,
    summary: awaitedLines(state).map((line) => `It ${plain(line)}.`),
  };
}

type Ended = Extract<
  State['standing'],
  { phase: 'rejected' | 'cancelled' | 'abandoned' | 'timed_out' | 'failed' }
>;

function endedText(standing: Ended): StandingText {
  switch (standing.phase) {
    case 'rejected':
      return { title: `Rejected by ${standing.by}`, summary: [quoted(standing.reason)] };
    case 'cancelled': {
      const by = standing.by === null ? '' : ` by ${standing.by}`;
      return { title: `Cancelled${by}`, summary: [quoted(standing.reason)] };
    }
    case 'abandoned':
      return {
        title: abandonedTitle(standing),
        summary: [linksText(standing), standing.reason !== '' && quoted(standing.reason)],
      };
    case 'timed_out':
      return {
        title: 'Timed out waiting for a human',
        summary: [
          `The deadline was ${standing.before.deadline}. Use ${command('resume')} to continue.`,
          standing.before.phase === 'awaiting_answer' &&
            `The agent still wants to know what it asked: ${command('answer')} lets it go on, too.`,
        ],
      };
    case 'failed':
      return failedText(standing);
  }
}

function failedText({ what, because, reference }: Extract<Ended, { phase: 'failed' }>): StandingText {
  if (because === 'configuration')
    return {
      title: 'Stopped: the configuration cannot be used',
      summary: [`${plain(what, 3000)}.`, `Fix it on the default branch, then use ${command('retry')}.`],
    };
  return {
    title: 'Stopped by an internal error in Coxswain',
    summary: [`${plain(what)} Reference: ${code(reference)}.`, `Use ${command('retry')} to continue.`],
  };
}

function approvedText(state: State, finish: 'checking' | 'finished'): StandingText {
  const names = approvedBy(state);
  return finish === 'checking'
    ? {
        title: `Approved by ${names}; running the final check`,
        summary: ['Coxswain checks the approval against GitHub once more before it takes effect.'],
      }
    : {
        title: `Approved by ${names}${dueText(state) && '; not merged yet'}`,
        summary: [dueText(state), ...approvers(state)],
      };
}

/** Also where somebody approved, but the check did not permit merging at that moment. */
function approversAtEnd(state: State, merged: boolean): readonly string[] {
  return merged && approvedBy(state) === ''
    ? ['No approval was in force when it was merged.']
    : approvers(state);
}

function approvers(state: State): readonly string[] {
  const ground = groundOf(state);
  const byPeople = state.approvals.map(({ by, head_sha, at, despite }) => {
    const exception = despite.length === 0 ? '' : `, despite ${despite.map((name) => code(name)).join(', ')}`;
    return `- ${plain(by.login)} (${by.role}) approved ${commit(head_sha)} at ${at}${exception}`;
  });
  const lines = said([...byPeople, ground && `- approved by policy: ${ruleText(state, ground)}`]);
  return [lines.join('\n') || 'Nobody approved it.'];
}

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

/** Counts bytes, which is the strictest reading of GitHub's limit. */
function bounded(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxCheckText));
  return read === text.length ? text : `${beginningOf(text, read)}…`;
}

/** The check run of a commit that is no longer the head. */
export function supersededCheck(head: string): CheckText {
  const title = `Superseded by ${shortSha(head)}`;
  return { title, summary: `${commit(head)} is now the head and has its own check.`, text: '' };
}

/** The check run for a base that the pull request no longer has. */
export function otherBaseCheck(base: string): CheckText {
  const summary = `The base of this pull request is now ${code(base)}, which has a check of its own.`;
  return { title: cut(`The base is now ${base}`, 200), summary, text: '' };
}

/** The check run of a run whose ledger is lost. */
export function lostCheck(): CheckText {
  const summary = 'Its approvals do not count. A comment on the pull request says how to continue.';
  return { title: 'The ledger of this run is lost', summary, text: '' };
}

/** The check run of an approved run about which something cannot be recorded. */
export function withheldCheck(): CheckText {
  const summary =
    'Something that was said or done here could not be recorded, and it may concern the approval. ' +
    'It is tried again; the check passes again as soon as it is recorded, if the approval still holds.';
  return { title: 'Approved, but not everything is recorded', summary, text: '' };
}

/** The check run of a pull request that is not a run; or that it was one after all. */
export function notARunCheck(passes: boolean): CheckText {
  if (!passes)
    return { title: 'This is a run now', summary: 'A run has a check of its own, which decides.', text: '' };
  const summary =
    `No agent works on this pull request, and ${code('others: pass')} in the configuration lets it through. ` +
    `Someone with write access can use ${command('run')} to let an agent work on it.`;
  return { title: 'Not a run', summary, text: '' };
}
