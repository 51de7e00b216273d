import type { GateHit } from '../steering/shapes/attempt-result.ts';
import type { CallRule } from '../steering/shapes/gate-rules.ts';
import { shortened } from '../text/cut.ts';
import { type Command, textOf, withoutMarks } from './commands/command.ts';
import type { Known } from './commands/command-rule.ts';
import { rulesOf } from './commands/rules/index.ts';
import { follow } from './commands/walk.ts';
import { ownHit, ownRules, tuned } from './own/own-rules.ts';
import { rules } from './reading/rules.ts';

export interface CommandOptions extends Known {
  /** Whether the whole line is known. */
  readonly isWhole?: boolean;
}

/**
 * The rules that a command line for the shell hits, each with the first command that hits it. Only the line
 * is read: what is in a file or on the network is not known. Text that is only an argument hits nothing. Of a
 * line of which only the beginning is known nobody can say what it does.
 */
export function gatesOnCommand(
  line: string,
  { isWhole = true, ...known }: CommandOptions = {},
): readonly GateHit[] {
  const { gates } = known;
  const hits = new Map<string, GateHit>();
  const add = (hit: GateHit) => {
    const evidence = shortened(hit.evidence.trim(), maxEvidence);
    if (!hits.has(hit.rule)) hits.set(hit.rule, { ...hit, evidence });
  };
  const finds = (rule: CallRule, evidence: string) => add({ rule, severity: rules[rule].severity, evidence });
  const owners = gates === undefined ? [] : ownRules(gates).commands;
  const command = (one: Command) => {
    for (const rule of rulesOf(one, known)) finds(rule, textOf(one));
    for (const { matches, rule } of owners) if (matches(one)) add(ownHit(rule, textOf(one)));
  };
  follow(withoutMarks(line.replaceAll('\0', '')), { command, finds });
  if (!isWhole) finds('unparsable', `too long to be kept: ${line}`);
  return tuned([...hits.values()], gates);
}

const maxEvidence = 200;
