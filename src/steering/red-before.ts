import type { Baseline } from './proof.ts';

/** Those of the verifiers that fail on the base without the change as well, as far as that is known. */
export function redBefore(baseline: Baseline | undefined, names: readonly string[]): readonly string[] {
  if (baseline?.run.outcome !== 'ran') return [];
  const red = baseline.run.verifiers.filter(({ success }) => !success).map(({ name }) => name);
  return names.filter((name) => red.includes(name));
}
