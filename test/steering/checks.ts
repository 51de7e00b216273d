import { checksDeadline } from '../../src/steering/approval/ci-results.ts';
import type { CheckReport } from '../../src/steering/shapes/check-report.ts';
import type { CheckSpec, Settings } from '../../src/steering/shapes/settings.ts';
import { isAwaitingChecks } from '../../src/steering/shapes/standing.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { Story } from './story.ts';

/** The repository's own CI, and what GitHub says of its checks. */

export const ci: CheckSpec = {
  ...{ name: 'ci', check: 'build / test', app: 'github-actions' },
  ...{ timeout_s: 1800, required: true, after: 0 },
};

export const e2e: CheckSpec = { ...ci, name: 'e2e', check: 'e2e', timeout_s: 3600 };

/** A completed check run of this verifier, unless something else is given. */
export function checkRun(conclusion: string | null, given: Partial<CheckReport> = {}): CheckReport {
  return {
    ...{ name: 'ci', id: 501, status: conclusion === null ? 'in_progress' : 'completed', conclusion },
    started_at: '2025-03-03T12:00:00Z',
    completed_at: conclusion === null ? null : '2025-03-03T12:01:30Z',
    ...{ text: '', url: 'https://github.com/acme/service/runs/501' },
    ...given,
  };
}

/** GitHub names these check runs on the head. */
export function reports(run: Story, ...checks: readonly CheckReport[]): Story {
  return run.apply({ type: 'checks_reported', head: run.state.head, checks });
}

/** If the run waits for checks, all of them succeed. */
export function passChecks(run: Story): Story {
  const { standing, settings } = run.state;
  if (!isAwaitingChecks(standing)) return run;
  return reports(run, ...(settings.checks ?? []).map(({ name }) => checkRun('success', { name })));
}

/** They are run again, if they were before, and fail. */
export function failChecks(run: Story): Story {
  const failed = (run.state.settings.checks ?? []).map(({ name }) => checkRun('failure', { name, id: 502 }));
  return reports(run, ...failed);
}

/** Nothing comes until the next check is given up. */
export function waitsInVain(run: Story): Story {
  const deadline = checksDeadline(run.state);
  if (deadline === null) throw new Error('no check is waited for');
  run.now = Math.max(run.now, Date.parse(deadline));
  return run.apply({ type: 'timer_due', timer: 'checks', deadline });
}

/** Of settings: most have no checks. */
export const anyChecks: readonly [Checks, ...Checks[]] = [
  {},
  ...Array.from({ length: 9 }, () => ({})),
  { checks: [ci] },
  { checks: [{ ...ci, required: false }, e2e] },
];

type Checks = Pick<Settings, 'checks'>;

interface Rolling {
  roll(sides: number): number;
  oneOf<T>(first: T, ...others: readonly T[]): T;
}

/** Of most of them GitHub knows a check run, which may be run again. */
export function checksFor({ settings: { checks = [] } }: State, dice: Rolling): readonly CheckReport[] {
  return checks
    .filter(() => dice.roll(5) > 0)
    .map(({ name }) => {
      const conclusion = dice.oneOf('success', 'success', 'failure', 'skipped', 'neutral', 'cancelled', null);
      return checkRun(conclusion, { name, id: 500 + dice.roll(3) });
    });
}
