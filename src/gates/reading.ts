import type { GateHit } from '../steering/attempt-result.ts';
import type { GateSettings } from '../steering/settings.ts';
import { tuned } from './own/own-rules.ts';
import { touchesSecrets } from './path-rules/index.ts';

/** Files with secrets among those that a program has read. */
export function gatesOnReading(paths: readonly string[], gates?: GateSettings): readonly GateHit[] {
  const { rule, severity, matches } = touchesSecrets;
  const read = paths.filter(matches);
  return tuned(
    read.map((path) => ({ rule, severity, evidence: `${path} is read` })),
    gates,
  );
}
