import type { GateHit } from '../steering/attempt-result.ts';
import type { GateSettings } from '../steering/settings.ts';
import { tuned } from './own/own-rules.ts';
import { touchesSecrets } from './path-rules/secrets.ts';
import { rules } from './rules.ts';

/** Files with secrets among those that a program has read. */
export function gatesOnReading(paths: readonly string[], gates?: GateSettings): readonly GateHit[] {
  const rule = 'touches-secrets';
  const { severity } = rules[rule];
  const read = paths.filter(touchesSecrets.matches);
  return tuned(
    read.map((path) => ({ rule, severity, evidence: `${path} is read` })),
    gates,
  );
}
