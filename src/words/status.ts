import { currentIteration, isCiSkipped } from '../steering/iterations/iterations.ts';
import { spentBefore } from '../steering/iterations/spending.ts';
import { shortSha } from '../steering/phrases/short-sha.ts';
import { riskOf } from '../steering/shapes/gate-rules.ts';
import { summaryOf } from '../steering/shapes/queued-steer.ts';
import { isLeased, shownPhase } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { costText } from '../text/amounts.ts';
import {
  type AtWork,
  callsText,
  elapsedText,
  notSeen,
  type Sources,
  stageText,
  verifierStateText,
} from './at-work.ts';
import { decisionText } from './parts/confidence.ts';
import {
  commandList,
  fileStatusLine,
  iterationText,
  pullLink,
  scoreText,
  supersededText,
} from './parts/phrases.ts';
import { linksText } from './parts/resolving.ts';
import { reviewLines } from './parts/review.ts';
import { fenced, literal, type Part, said } from './parts/sanitize.ts';
import { parkedText } from './parts/stopped.ts';
import { verdictLine } from './parts/tests.ts';
import { questionLines } from './phases/awaiting-answer.ts';
import { recordedWords } from './phases/index.ts';

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
    ...recordedWords(state).status(state),
    !isLeased(state.standing) && parkedText(state, literal),
    ...progressLines(state, at),
    costLine(state),
    state.restored && `Started over by: ${state.restored.by}; the ledger was lost`,
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

function costLine(state: State): Part {
  const cost = costText(spentBefore(state));
  // What an agent at work costs is counted when it ends.
  const label = state.standing.phase === 'working' ? 'Cost before this attempt' : 'Cost';
  return cost && `${label}: ${cost}`;
}

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
    ...shown.verifiers.map((each) => verdictLine(each)),
  ];
}
