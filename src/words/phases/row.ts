import type { CommandName } from '../../steering/commands/index.ts';
import type { Phase } from '../../steering/shapes/standing.ts';
import type { In } from '../../steering/state/state.ts';
import type { Format, Part } from '../parts/sanitize.ts';

/**
 * What people read of a run in a phase. Check run, comment, page, status and `/why` take it from here, so that
 * none of them tells it again.
 */
export interface PhaseWords<P extends Phase> {
  /** It says where the run stands, for a title, in which nothing is formatted. */
  title(state: Shown<P>): string;
  /** It is a sentence that is true as long as the phase lasts; absent where the title is one. */
  sentence?(state: Shown<P>): string;
  /** It says in Markdown what there is to know of it; `web` is the repository's address. */
  summary(state: Shown<P>, web: string): readonly Part[];
  /** They are lines of plain text for `/status`. */
  status(state: In<P>): readonly Part[];
  /** What the next step waits for, in parts of a sentence; none once the run has ended. */
  missing(state: In<P>, format: Format): readonly string[];
  /** The comment that asks people; absent where nobody is asked. */
  ask?(state: Shown<P>, web: string): string;
  /** What the check `Coxswain` says, which decides whether the pull request can be merged. */
  result(state: In<P>): CheckResult;
  /** At most three, which GitHub shows on the check run; absent: none. */
  buttons?(state: Shown<P>): readonly Button[];
  /** The command that the run waits for, if one word can be expected to be the answer. */
  readonly awaits?: CommandName;
  readonly tone: Tone;
  /** What the table says of an iteration whose work is not done; absent: that it is in progress. */
  readonly unlanded?: string;
}

/** An agent at work that is held until people answer is shown as if it had been stopped for that. */
type Shown<P extends Phase> = In<P extends 'awaiting_answer' | 'awaiting_permission' ? P | 'working' : P>;

/**
 * `in_progress`, or how it was completed. Only an approved run succeeds: `neutral` and `skipped` also satisfy a
 * required check, so a run that still waits for a human must not end in either.
 */
export type CheckResult = 'in_progress' | Conclusion;
export type Conclusion = 'success' | 'failure' | 'neutral' | 'cancelled' | 'timed_out' | 'action_required';

/** What something asks of the reader: a warning waits for a decision, info is in progress. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

/** A button on a check run. GitHub allows 20 characters for label and identifier, 40 for description. */
export interface Button {
  readonly label: string;
  readonly description: string;
  readonly identifier: ButtonName;
}

/** A command without arguments, `/allow` with one, or an answer by the number of an option. */
export type ButtonName = CommandName | 'allow_once' | 'allow_always' | (typeof answerNames)[number];

export const answerNames = ['answer_1', 'answer_2', 'answer_3'] as const;

/** The command that a button stands for. */
export function commandOf(name: ButtonName): CommandName {
  if (name === 'allow_once' || name === 'allow_always') return 'allow';
  return isAnswer(name) ? 'answer' : name;
}

function isAnswer(name: ButtonName): name is (typeof answerNames)[number] {
  return answerNames.some((each) => each === name);
}

export function button(identifier: ButtonName, label: string, description: string): Button {
  return { label, description, identifier };
}

export const approveIt = button('approve', 'Approve', 'Approve the commit under review');
export const reject = button('reject', 'Reject', 'Asks you why, in a comment');
export const retry = button('retry', 'Retry', 'Try again with a fresh budget');
export const cancel = button('cancel', 'Cancel', 'Stop the run and close it');
