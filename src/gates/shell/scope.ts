import type { CommandNode, CompoundList } from 'unbash';
import { maxLength, Unclear } from './parse.ts';

/** A value of a variable: a text, or the elements of an array. */
export type Value = readonly string[];

/** What a line has defined so far. */
export interface Scope {
  /** All values that a variable was given, the newest last: which of them it has can depend on conditions. */
  readonly variables: Map<string, readonly Value[]>;
  readonly functions: Map<string, CommandNode | CompoundList>;
  /** The functions among them that were called. */
  readonly called: Set<string>;
  readonly aliases: Map<string, string>;
  /** The contents of files that the line writes, by their base names: it may change folders. */
  readonly files: Map<string, string>;
  readonly work: { steps: number };
}

export function emptyScope(): Scope {
  return {
    variables: new Map(),
    functions: new Map(),
    called: new Set(),
    aliases: new Map(),
    files: new Map(),
    work: { steps: 0 },
  };
}

/** More than any line needs that a person or an agent writes. */
const maxSteps = 100_000;
const maxValues = 4;

/** Counts a step and the text it handles; throws `Unclear` when the line makes too much work. */
export function count({ work }: Scope, text = ''): void {
  work.steps += 1 + text.length / 200;
  if (work.steps > maxSteps || text.length > maxLength * 2) throw new Unclear('too much to follow');
}

/** Gives a variable one more value. */
export function assign(scope: Scope, name: string, value: Value): void {
  count(scope, value.join(' '));
  const before = scope.variables.get(name) ?? [];
  const others = before.filter((one) => one.join('\0') !== value.join('\0'));
  scope.variables.set(name, [...others, value].slice(-maxValues));
}

/** Remembers what the line writes to a file. */
export function writeFile(scope: Scope, path: string, text: string): void {
  count(scope, text);
  scope.files.set(baseName(path), text);
}

export function fileContent(
  scope: { readonly files: ReadonlyMap<string, string> },
  path: string,
): string | undefined {
  return scope.files.get(baseName(path));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
