import type { CommandName } from '../../steering/command.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import type { FileChange, VerifierOutput } from '../../steering/evidence.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn, queryCommands } from '../../steering/table.ts';
import { visible } from '../markdown/visible.ts';
import { code, cut } from './sanitize.ts';

/** Phrases that more than one text is made of. */

/** `/approve`, as it is typed. */
export function command(name: CommandName): string {
  return code(`/${name}`);
}

/** Commands that change something, of those that can be said. */
export function acting(possible: readonly CommandName[]): readonly CommandName[] {
  return possible.filter((name) => !queryCommands.some((known) => known === name));
}

/** What can be said now, one command a line with what it does. */
export function sayable(state: State): string {
  const lines = acting(possibleIn(state)).map(
    (name) => `- ${code(commandSpecs[name].usage)}: ${commandSpecs[name].summary}`,
  );
  if (lines.length === 0)
    return `Nothing is left to decide; ${queryCommands.map(command).join(', ')} still answer.`;
  return `What you can say now (and ${queryCommands.map(command).join(', ')} at any time):\n\n${lines.join('\n')}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** F-21: `[PASS] api:test (exit code: 0)`. */
export function verdictLine({ success, verifier, exit_code, timed_out }: VerifierOutput): string {
  const late = timed_out ? ', timed out' : '';
  return `[${success ? 'PASS' : 'FAIL'}] ${verifier} (exit code: ${exit_code}${late})`;
}

/** F-18: `src/a.ts (modified, +30/-5)`. */
export function fileLine(file: FileChange): string {
  return `${paths(file)} (${file.status}, ${counts(file)})`;
}

/** F-21: `modified src/a.ts (+30/-5)`. */
export function fileStatusLine(file: FileChange): string {
  return `${file.status} ${paths(file)} (${counts(file)})`;
}

/** 0.87, always with two digits behind the point. */
export function scoreText(score: number): string {
  // Rounded down: 0.799999 is a medium and must not be read as a high.
  return (Math.floor(score * 100 + 1e-9) / 100).toFixed(2);
}

/** Which round: the work on the task itself, or one that a human steered. */
export function roundText(state: State): string {
  const attempt = state.attempt === 0 ? '' : `, attempt ${state.attempt}`;
  return `iteration ${state.iteration} of ${state.max_iterations}${attempt}`;
}

function paths({ path, previous_path }: FileChange): string {
  return previous_path === undefined ? pathText(path) : `${pathText(path)} from ${pathText(previous_path)}`;
}

function counts({ binary, additions, deletions }: FileChange): string {
  return binary ? 'binary' : `+${additions}/-${deletions}`;
}

/** A path on one line, so long that it can still be told from others. */
function pathText(path: string): string {
  return cut(visible(path).replace(/\s/g, ' '), 250);
}
