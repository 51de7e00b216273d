import type { GateHit } from '../../steering/attempt-result.ts';
import type { GateSettings, OwnRule } from '../../steering/settings.ts';
import { shortened } from '../../text/cut.ts';
import { ownHit, ownRules, tuned } from '../own/own-rules.ts';
import { rules } from '../rules.ts';
import { withoutMarks } from '../shell/marks.ts';
import { follow } from '../shell/walk.ts';
import type { Rule } from './rule.ts';
import { rulesOf, textOf } from './rules-of.ts';

export interface CommandOptions {
  /** Whether the whole line is known. */
  readonly isWhole?: boolean;
  /** What the owners of the repository say. */
  readonly gates?: GateSettings;
  /** Whether a file is a setting of an agent, which is guarded like other automation. */
  isAgentSetting?(path: string): boolean;
}

/**
 * The rules that a command line for the shell hits, each with the first command that hits it. Only the line
 * is read: what is in a file or on the network is not known. Text that is only an argument hits nothing. Of a
 * line of which only the beginning is known nobody can say what it does.
 */
export function gatesOnCommand(
  line: string,
  { isWhole = true, ...options }: CommandOptions = {},
): readonly GateHit[] {
  const { gates } = options;
  const found = new Map<Rule, string>();
  const own = new Map<OwnRule, string>();
  const owners = gates === undefined ? [] : ownRules(gates).commands;
  const add = (rule: Rule, evidence: string) => {
    if (!found.has(rule)) found.set(rule, shortened(evidence.trim(), maxEvidence));
  };
  follow(withoutMarks(line.replaceAll('\0', '')), {
    command: (command) => {
      for (const rule of rulesOf(command, options)) add(rule, textOf(command));
      for (const { matches, rule } of owners)
        if (matches(command)) own.set(rule, own.get(rule) ?? textOf(command));
    },
    runsDownload: (text) => add('runs-remote-code', `what was downloaded runs: ${text}`),
    unclear: (reason, text) => add('unparsable', `${reason}: ${text}`),
  });
  if (!isWhole) add('unparsable', `too long to be kept: ${line}`);
  const ours = [...found].map(([rule, evidence]) => ({ rule, severity: rules[rule].severity, evidence }));
  const theirs = [...own].map(([rule, evidence]) => ownHit(rule, shortened(evidence, maxEvidence)));
  return tuned([...ours, ...theirs], gates);
}

const maxEvidence = 200;
