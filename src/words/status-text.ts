import { currentIteration, isCiSkipped } from '../steering/iterations/iteration.ts';
import { spentBefore } from '../steering/iterations/spending.ts';
import { shortSha } from '../steering/phrases/phrases.ts';
import type { Progress, RecentCall, Trial, VerifierProgress } from '../steering/shapes/agent-progress.ts';
import type { FileChange, VerifierOutput } from '../steering/shapes/attempt-result.ts';
import { riskOf } from '../steering/shapes/gate-rules.ts';
import { promptSummary } from '../steering/shapes/people.ts';
import { isLeased, shownPhase } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { costText, counted, durationText } from '../text/amounts.ts';
import { parkedText } from './parts/asking-texts.ts';
import {
  commandList,
  fileStatusLine,
  iterationText,
  ofStage,
  pullLink,
  scoreText,
  supersededText,
} from './parts/common-phrases.ts';
import { decisionText } from './parts/confidence.ts';
import { linksText } from './parts/resolution-texts.ts';
import { reviewLines } from './parts/risk.ts';
import { code, fenced, literal, type Part, said } from './parts/sanitize.ts';
import { type FlakyBefore, verdictLine } from './parts/tests.ts';
import { questionLines } from './phases/awaiting-answer.ts';
import { recordedWords } from './phases/index.ts';

/** Data that replies show but the state does not hold; undefined when it is not available. */
export interface Sources {
  /** It is the repository's address, such as `https://github.com/acme/api`. */
  readonly web: string;
  /** The changes of the run, or of one path, folder or glob; bodies are cut unless `full`. */
  diff(path: string | null, full: boolean): Promise<DiffText | undefined>;
  /** The last output of the verifiers, for when the state no longer has it. */
  outputs(): Promise<LastOutputs | undefined>;
  /** Which verifiers were flaky in the last runs; absent where nobody can prove what they came to. */
  flakyBefore?(): Promise<FlakyBefore | undefined>;
  /** Tells what is being done, as far as this process knows. */
  progress(): AtWork;
}

/** What the verifiers printed, and on which commit. */
export interface LastOutputs {
  readonly head: string;
  readonly verifiers: readonly VerifierOutput[];
}

export interface AtWork {
  /** Undefined if this process does not do the work. */
  readonly progress: Progress | undefined;
  readonly now: Date;
}

/** A diff as replies show it. */
export interface DiffText {
  readonly files: readonly (FileChange & { readonly diff: string })[];
  readonly summary: string;
  readonly truncated: boolean;
}

const maxFiles = 100;

/** Says in plain text how a run stands, the same for a reply and for a terminal. */
export function statusText(state: State, at?: AtWork): string {
  return said([
    `Status: ${shownPhase(state)}`,
    `Run: ${state.run.id}, ${iterationText(state)}`,
    taskLine(state),
    linksText(state),
    ...steerLines(state),
    `Head: ${shortSha(state.head)}${isCiSkipped(state) ? ' (CI has not run)' : ''}`,
    ...questionLines(state),
    ...recordedWords(state).status(state),
    !isLeased(state.standing) && parkedText(state, literal),
    ...progressLines(state, at),
    costLine(state),
    state.restored && `Started over by: ${state.restored.by}; the ledger was lost`,
    state.queue.length > 0 && `Queued steers: ${state.queue.length}`,
    ...state.queue.map(({ author, prompt }) => `  ${author}: ${promptSummary(prompt)}`),
    ...shownLines(state),
  ]).join('\n');
}

/** Says what the task is besides its words. */
function taskLine({ task: { kind, component } }: State): Part {
  const parts = said([kind !== 'build' && kind, component !== '' && `component ${component}`]);
  return parts.length > 0 && `Task: ${parts.join(', ')}`;
}

/** Says what the current iteration was steered to. */
function steerLines(state: State): readonly Part[] {
  const { steers } = currentIteration(state);
  return steers.map(({ author, prompt }) => `Steered by ${author}: ${promptSummary(prompt)}`);
}

export function statusReply(state: State, { web, progress }: Sources): string {
  const links = `[Files](${pullLink(web, state, 'files')}), [checks](${pullLink(web, state, 'checks')}).`;
  return [fenced(statusText(state, progress()), 'text'), links, commandList(state)].join('\n\n');
}

/** Says what is being done, as far as whoever answers sees it: another process may be at work. */
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

function costLine(state: State): Part {
  const cost = costText(spentBefore(state));
  // What an agent at work costs is counted when it ends.
  const label = state.standing.phase === 'working' ? 'Cost before this attempt' : 'Cost';
  return cost && `${label}: ${cost}`;
}

/** Says what is known of the head; not beside held work, for which people would take it. */
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
    ...shown.verifiers.map((each) => verdictLine(each)),
  ];
}

/** Says what the programs of an attempt are doing, as the pull request's body says it in one line. */
export function atWorkText(state: State, progress: Progress, now: Date): string | undefined {
  const { stage, since, cost, calls, last, near, trial } = progress;
  const [agent, setup] = beginnings(state);
  const begins = stage === 'setup' ? (setup ?? agent) : agent;
  if (begins === undefined) return undefined;
  const minutes = Math.floor((now.getTime() - Date.parse(since)) / 60_000);
  const facts = said([
    minutes < 1 ? 'under a minute' : `${minutes} min`,
    calls.total > 0 && callsText(calls),
    costText(cost),
    trial && trialTexts[trial],
  ]);
  const newest = stage === 'verifiers' ? undefined : last.at(-1);
  const call = newest === undefined ? '' : `; the last one: ${callText(newest)}`;
  const each = stage === 'verifiers' ? (progress.verifiers ?? []) : [];
  const verifiers = each.map((one) => `${code(one.name, 60)} ${verifierStateText(one, now)}`).join(', ');
  const limits = near.map((limit) => ` ${limit}`).join('');
  return `${begins} ${facts.join(', ')}${call}${verifiers && `; ${verifiers}`}.${limits} <sub>${now.toISOString().slice(11, 16)} UTC</sub>`;
}

/** The line in a block that was drawn earlier. */
export function atWorkIn(block: string): string | undefined {
  return /^\*\*(?:Setting up|The (?:agent is|verifiers are) at work)\*\* .*$/m.exec(block)?.[0];
}

/** Whether a line that was drawn earlier is about what this state is doing. */
export function isAtWorkOn(line: string, state: State): boolean {
  return beginnings(state).some((begins) => line.startsWith(begins));
}

/**
 * Lists what the line may begin with, which tells what it is about; for an attempt also while it is set up.
 * Nothing if nothing is at work: the agent waits for people, who are asked in a comment, or its work is only
 * pushed.
 */
function beginnings(state: State): readonly string[] {
  const { standing, iteration, attempt } = state;
  const which = `iteration ${iteration}, attempt ${attempt}`;
  if (standing.phase === 'verifying') return [`**The verifiers are at work** (${which}):`];
  if (shownPhase(state) !== 'working' || ('held' in standing && standing.held !== undefined)) return [];
  const where = `(${which}${ofStage(state)}):`;
  return [`**The agent is at work** ${where}`, `**Setting up** ${where}`];
}

/** `12 tool calls (1 failed, 2 denied)` */
export function callsText({ total, failed, denied }: Progress['calls']): string {
  const bad = said([failed > 0 && `${failed} failed`, denied > 0 && `${denied} denied`]).join(', ');
  return `${counted(total, 'tool call')}${bad && ` (${bad})`}`;
}

function callText({ title, command, outcome }: RecentCall): string {
  const ending = outcome === undefined || outcome === 'unknown' ? '' : ` (${outcome})`;
  return `${code(command ?? title, 200)}${ending}`;
}

const stageTexts: { readonly [S in Progress['stage']]: string } = {
  setup: 'setting up',
  agent: 'the agent',
  verifiers: 'the verifiers',
};

/** What the verifiers run on, where that is not the change, or what follows them. */
const trialTexts: { readonly [T in Trial]: string } = {
  old_tests: 'once more with the old tests',
  without_change: 'once more with the new tests, without the change',
  baseline: 'once more on the base, without the change',
  review: 'and a second agent is now reviewing the change',
};

/** Says what an attempt is doing, beside other facts. */
export function stageText({ stage, trial }: Pick<Progress, 'stage' | 'trial'>): string {
  if (trial === 'review') return 'the second opinion';
  return trial === undefined ? stageTexts[stage] : `${stageTexts[stage]} ${trialTexts[trial]}`;
}

/** It is said where the process that answers is not the one that works. */
export const notSeen = 'not visible from here because another process is doing the work';

/** Says how far a verifier is, in a few words: `passed after 2.0 s`, `running for 12 s`, `to come`. */
export function verifierStateText({ required, since, again, result }: VerifierProgress, now: Date): string {
  if (result !== undefined) {
    const verdict = result.success ? 'passed' : `failed${required ? '' : ' (not required)'}`;
    return `${verdict} after ${durationText(result.duration_s)}`;
  }
  return since === undefined
    ? 'not started'
    : `${again ? 'failed, running again' : 'running'} for ${elapsedText(since, now)}`;
}

/** `3 min 20 s` since then; clocks differ, so never less than nothing. */
export function elapsedText(since: string, now: Date): string {
  return durationText(Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000)));
}
