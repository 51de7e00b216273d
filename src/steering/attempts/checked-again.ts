import { checkOutput } from '../approval/ci-results.ts';
import { approversOf } from '../branch/changed-base.ts';
import { evaluate, failedRequired } from '../confidence/evaluation.ts';
import { settledBy } from '../iterations/interactions.ts';
import { currentIteration, iterationShown } from '../iterations/iteration.ts';
import { type Next, next, nothing, type Step, withReply } from '../iterations/step.ts';
import type { Found, VerifierOutput } from '../shapes/attempt-result.ts';
import { type CheckReport, hasEnded } from '../shapes/check-report.ts';
import type { EventOf, Stamp } from '../state/event.ts';
import type { Evaluation, In, State } from '../state/state.ts';
import { judge } from './attempt-outcome.ts';

type Reported = EventOf<'checks_reported'>;

/**
 * CI has run again on a commit that was judged and that people are asked about: what they see is judged again
 * if other verifiers fail now.
 */
export function judgeAgain(
  state: In<'awaiting_approval'> | In<'awaiting_resolution'>,
  event: Reported,
): Step {
  const news = newsOf(state, event);
  if (news === undefined) return nothing;
  const [before, now] = [state.shown?.verifiers ?? [], news.verifiers].map(failedRequired);
  const isOther = JSON.stringify(before) !== JSON.stringify(now);
  if (!isOther || !isAboutVerifiers(state)) return showAgain(state, news);
  const settled = { ...state, ...settledBy(state, event, { by: 'coxswain', how: 'CI ran again' }) };
  return judge(settled, news, 'verify_head');
}

/** A check that turns red takes the approval back, unless it was given despite it. */
export function revokeIfRed(state: In<'approved'>, event: Reported): Step {
  const news = newsOf(state, event);
  if (news === undefined) return nothing;
  const excused = state.approvals.flatMap(({ despite }) => despite);
  const failing = failedRequired(news.verifiers).filter((name) => !excused.includes(name));
  if (failing.length === 0) return nothing;
  const step = judge(state, news, 'verify_head');
  const reasons = [`required verifiers failed: ${failing.join(', ')}`];
  return withReply(step, event, { say: 'finish_refused', reasons, ...approversOf(state) });
}

/** Whether the run would be elsewhere if its verifiers had not failed. */
function isAboutVerifiers(state: In<'awaiting_approval'> | In<'awaiting_resolution'>): boolean {
  const { standing, attempts } = state;
  if (standing.phase === 'awaiting_approval') return true;
  if (!['task_exceeded_retries', 'red_before', 'circles'].includes(standing.interrupt.type)) return false;
  return attempts.at(-1)?.outcome !== 'failed' && iterationShown(state) === state.iteration;
}

/** People stay asked about the same commit, and see what is known of it now. */
function showAgain(state: State, news: Stamp & Found): Next {
  return next(state, { shown: evaluate(state, news) }, 'Note what the CI checks say now');
}

/** What was found with the checks that have ended anew; undefined if they say the same as before. */
function newsOf(state: State, { id, at, head, checks }: Reported): (Stamp & Found) | undefined {
  const { shown } = state;
  if (shown === null || shown.head_sha !== head || state.head !== head) return undefined;
  const verifiers = shown.verifiers.map((output) => outputNow(state, output, checks));
  const isNews = verifiers.some((output, index) => output !== shown.verifiers[index]);
  return isNews ? { ...foundIn(state, shown), id, at, verifiers } : undefined;
}

/** What a verifier says by now; a check that has begun anew counts once it has ended. */
function outputNow(state: State, output: VerifierOutput, reports: readonly CheckReport[]): VerifierOutput {
  const spec = state.settings.checks?.find(({ name }) => name === output.name);
  const report = reports.find(({ name }) => name === output.name);
  if (output.check === undefined || spec === undefined || !hasEnded(report)) return output;
  const now = checkOutput(state, spec, report, 'pointless');
  const isSame = now.exit_code === output.exit_code && now.check?.conclusion === output.check.conclusion;
  return isSame ? output : now;
}

/** The gates on what the agent did unasked are added whenever something is evaluated. */
function foundIn(state: State, shown: Evaluation): Found {
  const { head_sha, at: _, confidence: __, decision: ___, gates_off: ____, ...rest } = shown;
  const ran = (state.ran ?? []).map((hit) => JSON.stringify(hit));
  const { files_modified, files_of } = currentIteration(state);
  return {
    ...rest,
    head: head_sha,
    gates: shown.gates.filter((hit) => !ran.includes(JSON.stringify(hit))),
    ...(files_of === 'iteration' && { own_files: files_modified }),
    duration_s: 0,
  };
}
