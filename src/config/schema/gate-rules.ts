import type { GateRule } from '../../steering/confidence/gate-rules.ts';
import type { Severity } from '../../steering/confidence/severity.ts';

/** What people may say of each of our rules; the compiler asks for all of them. */
const known: Readonly<Record<GateRule, true>> = {
  'deletes-files': true,
  'drops-data': true,
  'changes-production': true,
  'installs-system-packages': true,
  'touches-secrets': true,
  'rewrites-history': true,
  'loosens-permissions': true,
  'changes-automation': true,
  'weakens-tests': true,
  'runs-remote-code': true,
  'critical-task': true,
  unparsable: true,
};

/** The names of our rules; the keys above, by their type. */
export const gateRules = Object.keys(known) as readonly GateRule[];

/** Mildest first. */
export const severities = ['low', 'medium', 'high', 'critical'] as const satisfies readonly Severity[];
