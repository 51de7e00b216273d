import type { GateHit } from '../../steering/attempt-result.ts';

/** The rules that a command can hit. */
export const severities = {
  'deletes-files': 'high',
  'drops-data': 'critical',
  'changes-production': 'critical',
  'installs-system-packages': 'medium',
  'touches-secrets': 'critical',
  'rewrites-history': 'high',
  'loosens-permissions': 'high',
  'changes-automation': 'high',
  'runs-remote-code': 'high',
  unparsable: 'medium',
} as const satisfies Readonly<Record<string, GateHit['severity']>>;

export type Rule = keyof typeof severities;

/** Commands that hit a rule, told by their words. */
export interface CommandRow {
  /**
   * The program and the first operands; `a|b` are alternatives, `*` is any operand, `…` any number of them,
   * and a program ending in `*` is the beginning of a name.
   */
  readonly command: string;
  /** One of these must be there: an option, or an operand such as `+*`. */
  readonly with?: string;
  /** With one of these, it does no harm. */
  readonly without?: string;
}
