import type { CheckReport } from '../ci/check-report.ts';
import type { Baseline } from './proof.ts';

/** Those of the verifiers that fail on the base without the change as well, as far as that is known. */
export function redBefore(baseline: Baseline | undefined, names: readonly string[]): readonly string[] {
  if (baseline?.run.outcome !== 'ran') return [];
  const red = baseline.run.verifiers.filter(({ success }) => !success).map(({ name }) => name);
  return names.filter((name) => red.includes(name));
}

/** The baseline with the checks of CI that are red on the base, too; nothing changes if none is. */
export function withRedChecks(
  baseline: Baseline | undefined,
  reports: readonly CheckReport[],
): { readonly baseline?: Baseline } {
  const red = reports.filter(({ red_on_base }) => red_on_base !== undefined);
  const [first] = red;
  if (first?.red_on_base === undefined) return baseline === undefined ? {} : { baseline };
  const known = baseline?.run.outcome === 'ran' ? baseline.run : { verifiers: [], duration_s: 0 };
  const added = red.map(({ name }) => ({ name, success: false, exit_code: 1, timed_out: false }));
  const verifiers = [...known.verifiers, ...added];
  const run = { outcome: 'ran', verifiers, duration_s: known.duration_s } as const;
  return { baseline: { base: baseline?.base ?? first.red_on_base, run } };
}
