import { commandNames, commandSpecs } from '../../steering/commands/index.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import { code, codeInCell } from './sanitize.ts';

/** Every command, from its own specification; those that can be said now are marked. */
export function helpText(state: State): string {
  const possible = possibleIn(state);
  const rows = commandNames.map((name) => {
    const { usage, summary, needs } = commandSpecs[name];
    const now = possible.includes(name) ? 'yes' : '';
    return `| ${codeInCell(usage)} | ${summary.replaceAll('|', '\\|')} | ${needs} | ${now} |`;
  });
  return [
    `The run is ${code(state.standing.phase)}. Commands stand at the beginning of a comment; ` +
      `${code('/coxswain approve')} says the same as ${code('/approve')}.`,
    ['| say | what it does | takes | now |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}
