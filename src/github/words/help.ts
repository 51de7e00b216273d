import { rulesOf } from '../../steering/approval/approval-needs.ts';
import { commandNames, commandSpecs } from '../../steering/commands/index.ts';
import { requirementOf } from '../../steering/policy.ts';
import { shownPhase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import { code, codeInCell, plain } from './sanitize.ts';

/** Every command, from its own specification; those available now are marked. */
export function helpText(state: State): string {
  const possible = possibleIn(state);
  const rows = commandNames.map((name) => {
    const { usage, summary } = commandSpecs[name];
    const needs = plain(requirementOf(name, rulesOf(state)));
    const now = possible.includes(name) ? 'yes' : '';
    return `| ${codeInCell(usage)} | ${summary.replaceAll('|', '\\|')} | ${needs} | ${now} |`;
  });
  return [
    `The run is ${code(shownPhase(state))}. Start a line of a comment with a command; ` +
      `${code('/coxswain approve')} is the same as ${code('/approve')}.`,
    ['| command | what it does | requires | available now |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}
