import { shortSha } from '../phrases/phrases.ts';
import type { VerifierOutput } from '../shapes/attempt-result.ts';
import { type CheckReport, hasEnded, verdictOf } from '../shapes/check-report.ts';
import type { FinishFacts } from '../shapes/finishing.ts';
import type { CheckSpec } from '../shapes/settings.ts';
import { type AwaitedChecks, isAwaitingChecks } from '../shapes/standing.ts';
import { secondsAfter } from '../shapes/time.ts';
import type { State } from '../state/state.ts';

/** When the next check is no longer waited for, ISO 8601; null while none is. */
export function checksDeadline(state: Pick<State, 'standing' | 'settings'>): string | null {
  if (!isAwaitingChecks(state.standing)) return null;
  const { awaits } = state.standing;
  const times = unsettled(state).map((spec) => untilOf(awaits, spec));
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
}

/** The checks that are still waited for, each with until when, ISO 8601. */
export function awaitedChecks(
  state: State,
): readonly { readonly spec: CheckSpec; readonly until: string; readonly seen: CheckReport | undefined }[] {
  if (!isAwaitingChecks(state.standing)) return [];
  const { awaits } = state.standing;
  return unsettled(state).map((spec) => ({
    ...{ spec, until: untilOf(awaits, spec) },
    seen: reportOn(awaits.seen, spec),
  }));
}

/** The checks that have neither ended nor run out of time. */
export function unsettled({ settings: { checks = [] }, standing }: Pick<State, 'settings' | 'standing'>) {
  if (!isAwaitingChecks(standing)) return [];
  const { awaits } = standing;
  return checks.filter((spec) => !hasEnded(reportOn(awaits.seen, spec)) && !isLate(awaits, spec));
}

export function isLate({ late }: AwaitedChecks, { name }: CheckSpec): boolean {
  return late.includes(name);
}

/** Until when a check is waited for, ISO 8601. */
export function untilOf({ since }: AwaitedChecks, { timeout_s }: CheckSpec): string {
  return secondsAfter(since, timeout_s);
}

/** What GitHub says of a check, if it is there. */
export function reportOn(seen: readonly CheckReport[], { name }: CheckSpec): CheckReport | undefined {
  return seen.find((report) => report.name === name);
}

/** Why a check is judged that has not ended. */
export type Unawaited =
  /** It has not ended in the time that the configuration gives it. */
  | 'late'
  /** Something else is red, so it would change nothing. */
  | 'pointless'
  /** CI does not run on the head before somebody lets it. */
  | 'held_back';

/** The check of the repository's own CI as the result of a verifier. */
export function checkOutput(
  state: State,
  spec: CheckSpec,
  report: CheckReport | undefined,
  because: Unawaited,
): VerifierOutput {
  const verdict = verdictOf(report);
  const isOpen = verdict === 'absent' || verdict === 'unfinished';
  const timed_out = report?.conclusion === 'timed_out' || (isOpen && because === 'late');
  const lines = [sentenceFor(state, spec, report, because), report?.text.trim() ?? ''];
  return {
    verifier: `${state.run.repo}:${spec.name}`,
    name: spec.name,
    required: spec.required,
    exit_code: verdict === 'green' ? 0 : verdict === 'red' ? 1 : -1,
    stdout: lines.filter((line) => line !== '').join('\n\n'),
    stderr: '',
    success: verdict === 'green',
    duration_s: durationOf(report),
    timed_out,
    truncated: false,
    check: {
      ...{ name: spec.check, app: spec.app, status: report?.status ?? 'absent' },
      conclusion: report?.conclusion ?? null,
      ...(report !== undefined && { completed_at: report.completed_at, id: report.id, url: report.url }),
    },
  };
}

/**
 * Whether another attempt could mend it. What did not run to its end, because it is absent, skipped,
 * cancelled or waits for somebody, says nothing about the commit.
 */
export function isMendable({ check, exit_code }: VerifierOutput): boolean {
  return check === undefined || exit_code === 1 || check.status === 'in_progress';
}

function sentenceFor(
  { run, head }: State,
  { check, app, timeout_s }: CheckSpec,
  report: CheckReport | undefined,
  because: Unawaited,
): string {
  const which = `The check ${check} by ${app}`;
  const verdict = verdictOf(report);
  if (report !== undefined && verdict !== 'unfinished')
    return `${which} ended with ${report.conclusion}${verdict === 'not_run' ? ', which is not green' : ''}.${before(report)}`;
  if (because === 'held_back')
    return `${which} cannot run before someone starts CI on ${shortSha(head)}: /verify --ci does that.`;
  const seen = report === undefined ? 'has not reported' : `is ${report.status.replaceAll('_', ' ')}`;
  if (because === 'pointless') return `${which} was not waited for, because something else failed.`;
  const waited = `${which} ${seen} on ${shortSha(head)} after ${minutesText(timeout_s)}.`;
  return run.presenter === 'action' && report === undefined ? `${waited} ${actionHint}` : waited;
}

/** GitHub starts no workflows for what is pushed with the token of a workflow. */
const actionHint =
  'GitHub does not start CI automatically for what the Action pushes: approve the workflow run on the pull' +
  ' request, push a commit yourself, or give the Action the token of a GitHub App.';

function before({ red_on_base }: CheckReport): string {
  return red_on_base === undefined ? '' : ` It is red on ${shortSha(red_on_base)} of the base, too.`;
}

function minutesText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** How long the check took, in whole seconds, as GitHub's times have no fractions; 0 if it does not say. */
function durationOf(report: CheckReport | undefined): number {
  const { started_at = null, completed_at = null } = report ?? {};
  if (started_at === null || completed_at === null) return 0;
  const ms = Date.parse(completed_at) - Date.parse(started_at);
  return Number.isFinite(ms) ? Math.max(Math.round(ms / 1000), 0) : 0;
}

/** The results of all verifiers, in the order of the configuration. */
export function inOrder(
  commands: readonly VerifierOutput[],
  checks: readonly { readonly spec: CheckSpec; readonly output: VerifierOutput }[],
): readonly VerifierOutput[] {
  const before = (index: number) => checks.filter(({ spec }) => spec.after === index);
  const last = checks.filter(({ spec }) => spec.after >= commands.length);
  const listed = commands.flatMap((each, index) => [...before(index).map(({ output }) => output), each]);
  return [...listed, ...last.map(({ output }) => output)];
}

/**
 * Why the checks of CI that are required do not let the commit be finished. A finished run is out of draft,
 * which may have made CI run once more: what has not ended then takes nothing back.
 */
export function checkDoubts(state: State, facts: FinishFacts): readonly string[] {
  const { settings, approvals, standing } = state;
  const excused = approvals.flatMap(({ despite }) => despite);
  const isFinished = standing.phase === 'approved' && standing.finish === 'finished';
  return requiredIn(facts, settings.checks)
    .filter(({ name }) => !excused.includes(name))
    .flatMap((spec) => {
      const report = reportOn(facts.checks ?? [], spec);
      const verdict = verdictOf(report);
      if (verdict === 'green' || (verdict === 'unfinished' && isFinished)) return [];
      return [`the required check ${spec.name} (${spec.check} by ${spec.app}) ${stateOf(report)}`];
    });
}

/** Whether a required check is being run once more, so that a merge has to wait. */
export function hasUnfinishedChecks(facts: FinishFacts): boolean {
  return requiredIn(facts, facts.settings?.checks).some(
    (spec) => verdictOf(reportOn(facts.checks ?? [], spec)) === 'unfinished',
  );
}

/** The checks that are required now; there are none where nobody asked GitHub, as in older versions. */
function requiredIn(
  { checks, settings }: FinishFacts,
  known: readonly CheckSpec[] = [],
): readonly CheckSpec[] {
  if (checks === undefined) return [];
  return (settings?.checks ?? known).filter(({ required }) => required);
}

function stateOf(report: CheckReport | undefined): string {
  if (report === undefined) return 'is not there';
  if (report.conclusion !== null) return `ended with ${report.conclusion}`;
  return `is ${report.status.replaceAll('_', ' ')}`;
}

/** What is known of the checks, without their texts, which are not kept and do not change by themselves. */
export function knownChecks({ standing, shown }: State): readonly CheckReport[] {
  if (isAwaitingChecks(standing)) return standing.awaits.seen;
  return (shown?.verifiers ?? []).flatMap(({ name, check }) => {
    if (check?.id === undefined) return [];
    const { id, status, conclusion, completed_at = null } = check;
    return [{ name, id, status, conclusion, completed_at, started_at: null, text: '', url: '' }];
  });
}
