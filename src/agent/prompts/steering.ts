import { currentIteration } from '../../steering/iterations/iterations.ts';
import { failedBefore } from '../../steering/iterations/stage.ts';
import type { State, SteeringIteration } from '../../steering/state/state.ts';
import type { IssueContext } from '../port/issue-context.ts';
import { interactionHistory } from './interaction-history.ts';
import { taskAsGiven } from './issue.ts';
import { saidBy } from './output.ts';
import { delimited, fenced, list, newest, paragraphs, quoted, section } from './text.ts';

const maxSummaryLength = 4_000;
const maxOutputLength = 4_000;

/** The last paragraph of a steered iteration's prompt. */
export const steeringClosing =
  'Address the feedback above. Build on the previous work, which is in the working tree,' +
  ' rather than start over.';

/** The prompt of a steered iteration; empty parts are left out. */
export function steeringPrompt(state: State, context: IssueContext | undefined): string {
  const { task, iteration } = state;
  const earlier = state.iterations.filter(({ iteration_number }) => iteration_number < iteration);
  return paragraphs(
    `## Steering Iteration ${iteration}`,
    section('### Original Task', delimited('TASK DEFINITION', taskAsGiven(state, context))),
    section('### Acceptance Criteria', list(task.acceptance_criteria)),
    section('### Feedback', feedbackOf(currentIteration(state))),
    section('### Earlier Feedback', paragraphs(...earlier.map(feedbackIn))),
    section('### Previous Changes Summary', previousChanges(earlier)),
    section('### Failing Verifiers', failingVerifiers(state)),
    interactionHistory(state.interactions),
  );
}

/** The steers that started the iteration; with several, each under its author's name. */
export function feedbackOf({ steers }: SteeringIteration): string {
  if (steers.length === 1) return quoted(steers[0]?.prompt ?? '');
  return paragraphs(...steers.map(({ author, prompt }) => `@${author}: ${quoted(prompt)}`));
}

/** What people wanted with an iteration; null if nobody wanted it. */
export function feedbackIn(iteration: SteeringIteration): string | null {
  const { iteration_number, undo, update, steers } = iteration;
  if (iteration_number === 0) return null;
  if (update !== undefined && steers.length === 0)
    return update.done ? `Iteration ${iteration_number}: the base was merged into the branch.` : null;
  if (undo !== undefined) return undo.done ? undoneText(iteration_number, undo) : null;
  return `Iteration ${iteration.iteration_number}: ${feedbackOf(iteration)}`;
}

/** What was tried and taken back must not be taken for the state of the files. */
function undoneText(number: number, { to, by }: NonNullable<SteeringIteration['undo']>): string {
  const undone =
    to + 1 === number - 1 ? `iteration ${to + 1} was` : `iterations ${to + 1} to ${number - 1} were`;
  return `Iteration ${number}: ${undone} undone by @${by}; the files are again as iteration ${to} left them.`;
}

function previousChanges(earlier: readonly SteeringIteration[]): string {
  const withOutput = earlier.filter(({ output }) => output.trim() !== '');
  const outputs = withOutput.map(({ iteration_number, output, files_modified, files_of }) => {
    const whose = files_of === 'iteration' ? 'Files' : 'Files of all iterations so far';
    const files = files_modified.length > 0 ? `\n${whose}: ${files_modified.join(', ')}` : '';
    return `Iteration ${iteration_number}: ${output.trim()}${files}`;
  });
  return quoted(newest(outputs.join('\n\n'), maxSummaryLength));
}

/** Failing verifiers of the commit to start from; those of a failed attempt have their own part. */
function failingVerifiers(state: State): string {
  const { shown } = state;
  if (shown === null || failedBefore(state)?.outcome === 'red') return '';
  const failing = shown.verifiers.filter(({ success }) => !success);
  return failing
    .map((output) => {
      const said = saidBy(output, maxOutputLength);
      const text = said === '' ? 'No output captured' : fenced(said);
      return `\`${output.verifier}\` (exit code ${output.exit_code}):\n${text}`;
    })
    .join('\n\n');
}
