import type { VerifierOutput } from '../../steering/attempt-result.ts';
import { currentIteration } from '../../steering/iterations.ts';
import type { State } from '../../steering/state.ts';
import type { IssueContext } from '../issue-context.ts';
import { taskAsGiven } from './issue.ts';
import { feedbackOf } from './steering.ts';
import { delimited, list, newest, paragraphs, quoted, section } from './text.ts';

const maxOutputLength = 10_000;

/** The end of the prompt after an attempt whose verifiers failed, with their output; else null. */
export function checkFailure(state: State, context: IssueContext | undefined): string | null {
  if (state.attempts.at(-1)?.outcome !== 'red') return null;
  const failing = state.shown?.verifiers.filter(({ success }) => !success) ?? [];
  return paragraphs(
    '--- FEEDBACK ---',
    "Your previous attempt at 'implement' failed its check.",
    delimited('ORIGINAL INSTRUCTIONS', instructions(state, context)),
    ...failing.map(failure),
    'Satisfy the original instructions and fix the error. Do not modify the tests or checks.',
    '--- END FEEDBACK ---',
    'Analyse the feedback above, then continue the work in this working tree.',
  );
}

/** What the agent was asked to do in this iteration. */
export function instructions(state: State, context: IssueContext | undefined): string {
  const { task, iteration } = state;
  const asked = iteration === 0 ? taskAsGiven(state, context) : feedbackOf(currentIteration(state));
  return paragraphs(asked, section('Acceptance criteria:', list(task.acceptance_criteria)));
}

function failure({ name, stdout, stderr, timed_out }: VerifierOutput): string {
  const output = quoted(newest(paragraphs(stdout.trim(), stderr.trim()), maxOutputLength));
  return paragraphs(
    `${name} failed with the following error output:`,
    output === '' ? 'No output captured' : delimited('ERROR OUTPUT', output),
    timed_out ? `${name} did not finish within its time limit.` : null,
  );
}
