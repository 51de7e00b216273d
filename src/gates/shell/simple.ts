import type { Assignment, CommandArgument, Command as CommandNode } from 'unbash';
import { type Expansion, fieldsOf, textOf } from './expand.ts';
import { type Flow, reading } from './flow.ts';
import { type Redirected, redirected } from './redirect.ts';
import { assign, fileContent, writeFile } from './scope.ts';
import { start } from './start.ts';
import { expansionAt } from './substitution.ts';

/** More values of the variables in one command are not tried. */
const maxChoices = 4;

/** Follows one simple command; gives what it prints. */
export function simpleCommand(node: CommandNode, flow: Flow): string {
  const choice = { index: 0, count: 1 };
  const at = expansionAt(flow, choice);
  const io = redirected(node.redirects, at);
  for (const part of node.prefix) if (part.type === 'Assignment') assignTo(part, at);
  const inside = io.input === undefined ? flow : reading(flow, io.input);
  let output = '';
  for (; choice.index < Math.min(choice.count, maxChoices); choice.index += 1) {
    output = start(wordsOf(node, at), io.uses, inside);
    for (const argument of node.args) if (argument.type === 'Assignment') assignTo(argument, at);
  }
  return kept(output, io, flow);
}

/** What goes to a file is not printed; the line may run the file, or feed it to a program. */
export function kept(output: string, { output: file }: Redirected, { scope }: Flow): string {
  if (file === undefined) return output;
  const before = file.access === 'append' ? (fileContent(scope, file.path) ?? '') : '';
  if (!file.path.startsWith('/dev/')) writeFile(scope, file.path, before + output);
  return '';
}

function assignTo({ name, value, append }: Assignment, at: Expansion): void {
  const fields = value.type === 'Word' ? [textOf(value, at)] : fieldsOf(value.elements, at);
  const before = append ? (at.scope.variables.get(name)?.at(-1) ?? []) : [];
  const added = value.type === 'Word' ? [before.join('') + fields.join('')] : [...before, ...fields];
  assign(at.scope, name, added);
}

/** Assignments among the arguments, as in `export A=b`, are not split. */
function wordsOf({ name, args }: CommandNode, at: Expansion): readonly string[] {
  const named = name === undefined ? [] : fieldsOf([name], at);
  return [...named, ...args.flatMap((argument) => argumentFields(argument, at))];
}

function argumentFields(argument: CommandArgument, at: Expansion): readonly string[] {
  if (argument.type === 'Word') return fieldsOf([argument], at);
  const { name, value } = argument;
  return [`${name}=${value.type === 'Word' ? textOf(value, at) : fieldsOf(value.elements, at).join(' ')}`];
}
