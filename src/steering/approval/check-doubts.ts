import { type CheckReport, verdictOf } from '../shapes/check-report.ts';
import type { FinishFacts } from '../shapes/finish-facts.ts';
import type { CheckSpec } from '../shapes/settings.ts';
import type { State } from '../state/state.ts';
import { reportOn } from './awaited-checks.ts';

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

/** None if nobody asked GitHub, as in older versions. */
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
