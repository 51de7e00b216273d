import {
  type DoubleQuotedChild,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { braceExpanded } from './braces.ts';
import { Fields } from './fields.ts';
import { unknown } from './marks.ts';
import { count, type Value } from './scope.ts';
import { expansionOf, type Surroundings, variable } from './variables.ts';

export interface Expansion extends Surroundings {
  /** Runs the script of a substitution and tells what it prints. */
  output(script: ParsedScript): string;
  /** Runs the script of `<(…)` or `>(…)` and names the file that stands for it. */
  file(script: ParsedScript, operator: '<' | '>'): string;
}

/** The fields that the words of a command become when it runs. */
export function fieldsOf(words: readonly Word[], at: Expansion): readonly string[] {
  const fields = new Fields();
  for (const word of braceExpanded(words)) {
    if (word.parts === undefined) fields.add(word.value);
    for (const part of word.parts ?? []) addPart(part, fields, at);
    fields.end();
  }
  const list = fields.list();
  count(at.scope, list.join(' '));
  return list;
}

/** A word where the shell does not split it: the value of an assignment, the target of a redirection. */
export function textOf(word: Word, at: Expansion): string {
  return word.parts === undefined ? word.value : partsText(word.parts, at);
}

export function partsText(parts: readonly WordPart[], at: Expansion): string {
  const text = parts.map((part) => partText(part, at)).join('');
  count(at.scope, text);
  return text;
}

function addPart(part: WordPart, fields: Fields, at: Expansion): void {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') addQuoted(part.parts, fields, at);
  else if (isSplit(part)) addSplit(valueOfPart(part, at), fields);
  else fields.add(partText(part, at));
}

function isSplit({ type }: WordPart): boolean {
  return type === 'SimpleExpansion' || type === 'ParameterExpansion' || type === 'CommandExpansion';
}

function addSplit(value: Value, fields: Fields): void {
  for (const [index, text] of value.entries()) {
    if (index > 0) fields.end();
    fields.split(text);
  }
}

/** `"$@"` gives as many fields as there are arguments. */
function addQuoted(parts: readonly DoubleQuotedChild[], fields: Fields, at: Expansion): void {
  if (parts.length === 0) fields.add('');
  for (const part of parts) {
    const value = valueOfPart(part, at);
    const list = isList(part) ? value : [value.join(' ')];
    for (const [index, text] of list.entries()) {
      if (index > 0) fields.end();
      fields.add(text);
    }
  }
}

function isList(part: DoubleQuotedChild): boolean {
  return /^\$(?:@|\{(?:@|\w+\[@\])\}$)/.test(part.text);
}

function partText(part: WordPart, at: Expansion): string {
  return valueOfPart(part, at).join(' ');
}

function valueOfPart(part: WordPart, at: Expansion): Value {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value];
    case 'Glob':
    case 'BraceExpansion':
      return [part.text];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [partsText(part.parts, at)];
    case 'SimpleExpansion':
      return variable(part.text.slice(1), at);
    case 'ParameterExpansion':
      // Of the other operations the result is not computed.
      if (part.operation !== undefined && part.operation.type !== 'Default') runScripts(part.operation, at);
      return expansionOf(part, at);
    case 'CommandExpansion':
      return [part.script === undefined ? '' : at.output(part.script).replace(/\n+$/, '')];
    case 'ArithmeticExpansion':
      runScripts(part, at);
      return ['0'];
    case 'ProcessSubstitution':
      return [part.script === undefined ? unknown : at.file(part.script, part.operator)];
    case 'ExtendedGlob':
      runScripts(part, at);
      return [part.text];
  }
}

/** Runs what stands in substitutions anywhere below; a long sum is a deep tree. */
export function runScripts(node: SyntaxNode, at: Pick<Expansion, 'output'>): void {
  const waiting: SyntaxNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'Script') at.output(next);
    else forEachChild(next, (child) => waiting.push(child));
  }
}
