import type { Failure } from '../../steering/attempt-result.ts';
import type { AttemptRecord, State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { newest, oneLine, paragraphs, quoted, section } from './text.ts';

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
  cannot: 'The agent gave up: try another approach.',
  branch_moved: 'Someone else changed the branch in the meantime: start from what is there now.',
  conflict: 'The branch conflicts with its base: a person has to merge the two.',
  push_refused: 'The repository rejected the change: leave out what its rules forbid.',
  denied: 'A person did not allow the change: do without it.',
  lost: 'The attempt was interrupted from outside: it may well have been correct.',
};

/** The start of the prompt: each failed attempt of this iteration, in at most 500 words each; else null. */
export function earlierAttempts(state: State): string | null {
  const failed = state.attempts.filter(({ outcome }) => outcome !== 'green');
  return section('## Earlier Attempts', paragraphs(...failed.map((record) => summaryOf(record, state))));
}

function summaryOf(record: AttemptRecord, state: State): string {
  const lines = [
    `Attempt ${record.attempt} ${record.outcome === 'red' ? 'did not pass verifiers' : 'produced no result'}.`,
    filesOf(record, state),
    `What worked: ${verifiersOf(record, true)}`,
    `What failed: ${whatFailed(record)}`,
    `Advice: ${adviceFor(record)}`,
  ];
  return shortened(lines.join('\n'));
}

/** The files are known only for the commit under review, in older ledgers only those of the whole run. */
function filesOf(record: AttemptRecord, { shown, iterations }: State): string {
  if (record.outcome === 'failed') return 'Files: none of it is on the branch';
  if (shown?.head_sha !== record.head) return `Files: see commit ${shortSha(record.head)}`;
  const iteration = iterations.at(-1);
  const isOwn = iteration?.files_of === 'iteration' && iteration.head_after === record.head;
  const paths = isOwn ? iteration.files_modified : shown.changes.files.map(({ path }) => path);
  const listed = oneLine(newest(paths.join(', '), 1_000)) || 'none';
  return `${isOwn ? 'Files of this iteration' : 'Files of the run'}: ${listed}`;
}

function verifiersOf({ verifiers }: AttemptRecord, success: boolean): string {
  const named = verifiers.filter((each) => each.success === success);
  return named.map(({ name, exit_code }) => `${name} (exit code ${exit_code})`).join(', ') || 'nothing';
}

function whatFailed(record: AttemptRecord): string {
  const why = record.failure?.message ?? record.summary;
  const failing = verifiersOf(record, false);
  const reason = quoted(newest(why.trim(), 2_000));
  if (record.failure !== null) return reason;
  return reason === '' ? failing : `${failing}. The agent reported: ${reason}`;
}

function adviceFor({ failure }: AttemptRecord): string {
  return failure === null
    ? 'Fix the cause of the failing verifiers; the work is in the working tree.'
    : advice[failure.kind];
}

/** At most 500 words; the last line, the advice, is always kept. */
function shortened(text: string): string {
  const end = text.slice(text.lastIndexOf('\n'));
  const tokens = text.split(/(?<=\s)/);
  if (tokens.length <= maxWords) return text;
  const kept = maxWords - end.trim().split(/\s+/).length - 2;
  return `${tokens.slice(0, kept).join('').trimEnd()} [cut]${end}`;
}
