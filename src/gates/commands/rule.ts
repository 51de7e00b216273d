import type { CallRule } from '../../steering/gate-rules.ts';

/** The rules that a command can hit. */
export type Rule = CallRule;

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
