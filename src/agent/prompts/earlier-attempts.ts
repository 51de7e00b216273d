import { callIn } from '../../steering/permission/permitted-calls.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Parked } from '../../steering/shapes/agent-progress.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { SettledInteraction } from '../../steering/shapes/standing.ts';
import type { AttemptRecord, State } from '../../steering/state/state.ts';
import { costPhrase, durationText } from '../../text/amounts.ts';
import { actionsIn } from '../port/agent-activity.ts';
import type { Given } from './given.ts';
import { delimited, newest, oneLine, paragraphs, quoted, section } from './text.ts';

const maxWords = 500;

const advice: Readonly<Record<Failure['kind'], string>> = {
  exit: 'The program failed: find out from its last output why, and avoid it.',
  timeout: 'It took too long: work in smaller steps and avoid commands that do not end.',
  not_found: 'Something needed was missing.',
  agent_unusable: 'The agent could not be started: nothing is wrong with the task.',
  model_key: 'The key of the model was missing or refused: nothing is wrong with the task.',
  model_unavailable: 'The model did not answer: continue where the last attempt stopped.',
  crash: 'The program crashed: use less memory and fewer processes at a time.',
  setup: 'The setup commands must succeed on your changes: check manifests and lock files.',
  sandbox: 'It tried something that the sandbox forbids: stay inside the working tree.',
  budget: 'The budget was used up: do what is left in fewer steps.',
  resources: 'It used too much memory, disk or processes: work on less at a time.',
  worktree: 'Git could not take the files as they were: leave out what is named.',
  incoherent_report: 'The report must be JSON with summary, status and tool_calls.',
  stage_check: 'Its stage was not done: see to it that the check passes.',
  cannot: 'The agent gave up: try another approach.',
  branch_moved: 'Someone else changed the branch in the meantime: start from what is there now.',
  conflict: 'The branch conflicts with its base: no marker of a conflict may stay.',
  push_refused: 'The repository rejected the change: leave out what its rules forbid.',
  denied: 'A person did not allow the change: do without it.',
  nothing_changed: 'It changed no file: find out what the task asks for, or ask.',
  lost: 'The attempt was interrupted from outside: it may well have been correct.',
};

/** The start of the prompt: each failed attempt of this iteration, in at most 500 words each; else null. */
export function earlierAttempts({ attempts }: State): string | null {
  const failed = attempts.filter(({ outcome }) => outcome !== 'green');
  return section('## Earlier Attempts', paragraphs(...failed.map(summaryOf)));
}

/** What is known of an attempt; no model is asked. What matters least comes last, for a long one is cut. */
function summaryOf(record: AttemptRecord): string {
  const { gates = [], stage } = record;
  const lines = [
    `Attempt ${record.attempt}${stage === undefined ? '' : `, at '${stage}',`} ${record.outcome === 'red' ? 'did not pass verifiers' : 'produced no result'}${spent(record)}.`,
    `Files: ${filesOf(record)}`,
    `What worked: ${verifiersOf(record, true)}`,
    `What failed: ${whatFailed(record)}`,
    ...record.verifiers.flatMap(firstLines),
    ...(gates.length > 0 ? [`Rules that matched: ${gates.join(', ')}`] : []),
    ...(record.failure === null ? lastWords(record) : []),
    `Advice: ${adviceFor(record)}`,
  ];
  return shortened(lines.join('\n'));
}

/** How long it took and what it cost, as far as that is known. */
function spent({ duration_s, cost = {} }: AttemptRecord): string {
  const amounts = costPhrase(cost);
  return `, in ${durationText(duration_s)}${amounts && `, for ${amounts}`}`;
}

function filesOf({ files, head, outcome }: AttemptRecord): string {
  const listed = files && oneLine(newest(files.join(', '), 1_000));
  if (outcome === 'failed')
    return listed ? `${listed}; none of it is on the branch` : 'none of it is on the branch';
  return listed ?? `see commit ${shortSha(head)}`;
}

function verifiersOf({ verifiers }: AttemptRecord, success: boolean): string {
  const named = verifiers.filter((each) => each.success === success);
  return named.map((each) => `${each.name} (${runsOf(each)})`).join(', ') || 'nothing';
}

/** What fails in every run on the same files is no accident, unless it fails in another way each time. */
function runsOf({ success, exit_code, runs = 1, flaky }: AttemptRecord['verifiers'][number]): string {
  const ended = `exit code ${exit_code}`;
  if (runs === 1) return ended;
  if (success) return `${ended} at last: flaky, failed in other runs on the same files`;
  return `${ended}, failed in each of ${runs} runs${flaky === undefined ? '' : ', in different ways: perhaps flaky'}`;
}

function whatFailed(record: AttemptRecord): string {
  if (record.failure === null) return verifiersOf(record, false);
  return quoted(newest(record.failure.message.trim(), 2_000));
}

/** A program has written these lines, so none of them may look like one of ours. */
function firstLines({ name, said = '' }: AttemptRecord['verifiers'][number]): readonly string[] {
  const lines = said === '' ? [] : said.split('\n').map((line) => `> ${line}`);
  return lines.length === 0 ? [] : [`First lines of ${name}:`, ...lines];
}

function lastWords({ summary }: AttemptRecord): readonly string[] {
  const words = quoted(newest(summary.trim(), 2_000));
  return words === '' ? [] : [`The agent reported: ${words}`];
}

function adviceFor({ failure }: AttemptRecord): string {
  return failure === null
    ? 'Fix the cause of the failing verifiers; the work is in the working tree.'
    : advice[failure.kind];
}

/** Keeps at most 500 words, and the last line, the advice, always. */
function shortened(text: string): string {
  const end = text.slice(text.lastIndexOf('\n'));
  const tokens = text.split(/(?<=\s)/);
  if (tokens.length <= maxWords) return text;
  const kept = maxWords - end.trim().split(/\s+/).length - 2;
  return `${tokens.slice(0, kept).join('').trimEnd()} [cut]${end}`;
}

const maxLogLength = 4_000;

/** What the attempt before did; null if nothing is known of it. */
export function previousActions({ log = '' }: Given): string | null {
  const actions = actionsIn(log);
  return actions === '' ? null : delimited('PREVIOUS ACTIONS LOG', quoted(newest(actions, maxLogLength)));
}

/** What an agent is told that goes on where one was stopped; a failed one has a form of its own. */
export function parkedFeedback(state: State, parked: Parked): string {
  switch (parked.because) {
    case 'question':
      return ofParked(state, 'question').length > 0 ? '' : 'Nobody has answered what you asked. Continue.';
    case 'permission':
      return decision(state, parked);
    case 'rate_limit':
      return 'You are resuming after a usage limit. Your progress is saved. Review your earlier actions and continue.';
    case 'stopped':
    case 'failed':
      return 'Your work was stopped by people or by a restart. Nothing was lost. Review your earlier actions and continue.';
  }
}

/** Every question of the attempt with what was answered, whether or not the agent has heard it. */
export function answersToParked(state: State): string {
  return paragraphs(...ofParked(state, 'question').map(answered));
}

function answered({ question, reply, by, how }: SettledInteraction): string {
  const asked = `You previously asked: "${quoted(question?.question ?? '')}".`;
  if (reply === undefined)
    return `${asked} Nobody answered (${quoted(how)}). Continue your work, and state what you assume.`;
  if (by === 'coxswain')
    return `${asked} Nobody answered, so your default, which nobody has chosen, stands: "${quoted(reply)}". Continue your work based on it.`;
  return `${asked} The user responded: "${quoted(reply)}". Continue your work based on this answer.`;
}

function decision(state: State, { granted }: Parked): string {
  const settled = ofParked(state, 'permission').at(-1);
  if (settled === undefined) return 'Nobody has decided about your tool call. Go on without it.';
  const { by, asked = '', answer } = settled;
  const call = quoted(callIn(granted ?? asked));
  if (answer?.allowed)
    return `@${by} allowed the tool call that you were stopped before: ${call}\nRun exactly this call, then go on.`;
  return `The tool call that you were stopped before is not allowed: ${call}\n${quoted(answer?.why ?? '')}\nGo on without it.`;
}

function ofParked(
  { parked, interactions }: State,
  wanted: SettledInteraction['kind'],
): readonly SettledInteraction[] {
  return interactions.filter(
    ({ kind, of }) =>
      kind === wanted && of?.iteration === parked?.iteration && of?.attempt === parked?.attempt,
  );
}

/** What became of the work that the attempt left. */
export function whereWorkIs({ parked }: State, work: Given['work']): string | null {
  if (work === 'there') return 'What you had changed is in the working tree.';
  if (work === 'gone') return 'What you had changed no longer exists: the working tree is without it.';
  if (work !== 'moved') return null;
  const kept = parked?.work?.kept ?? null;
  return (
    'The branch has moved, and what you had changed no longer fits it. It was set aside and is not in the ' +
    `working tree${kept === null ? '.' : `; it is kept at \`${kept}\`.`}`
  );
}
