import type { GateHit } from '../../steering/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import { withoutMarks } from '../shell/marks.ts';
import { follow } from '../shell/walk.ts';
import { type Rule, severities } from './rule.ts';
import { rulesOf, textOf } from './rules-of.ts';

/**
 * The rules that a command line for the shell hits, each with the first command that hits it. Only the line
 * is read: what is in a file or on the network is not known. Text that is only an argument hits nothing. Of a
 * line of which only the beginning is known nobody can say what it does.
 */
export function gatesOnCommand(line: string, { isWhole = true } = {}): readonly GateHit[] {
  const found = new Map<Rule, string>();
  const add = (rule: Rule, evidence: string) => {
    if (!found.has(rule)) found.set(rule, shortened(evidence.trim(), maxEvidence));
  };
  follow(withoutMarks(line.replaceAll('\0', '')), {
    command: (command) => {
      for (const rule of rulesOf(command)) add(rule, textOf(command));
    },
    runsDownload: (text) => add('runs-remote-code', `what was downloaded runs: ${text}`),
    unclear: (reason, text) => add('unparsable', `${reason}: ${text}`),
  });
  if (!isWhole) add('unparsable', `too long to be kept: ${line}`);
  return [...found].map(([rule, evidence]) => ({ rule, severity: severities[rule], evidence }));
}

const maxEvidence = 200;
