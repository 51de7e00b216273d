import type { GateHit } from '../steering/attempt-result.ts';
import { touchesSecrets } from './path-rules/index.ts';

/** Files with secrets among those that a program has read. */
export function gatesOnReading(paths: readonly string[]): readonly GateHit[] {
  const { rule, severity, matches } = touchesSecrets;
  return paths.filter(matches).map((path) => ({ rule, severity, evidence: `${path} is read` }));
}
