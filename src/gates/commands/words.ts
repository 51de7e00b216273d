import { forEachChild, type ParsedScript, type SyntaxNode, type Word, type WordPart } from 'unbash';
import { unknown } from './command.ts';

/** Runs the script of a substitution; gives what it prints, as far as that is known. */
type Run = (script: ParsedScript) => string;

/** A word as the program gets it; what is known only when it runs is marked. */
export function wordText({ parts, value }: Word, run: Run): string {
  return parts === undefined ? value : partsText(parts, run);
}

export function partsText(parts: readonly WordPart[], run: Run): string {
  return parts.map((part) => partText(part, run)).join('');
}

function partText(part: WordPart, run: Run): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return partsText(part.parts, run);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return part.script === undefined ? unknown : run(part.script).replace(/\n+$/, '');
    case 'SimpleExpansion':
      return unknown;
    case 'ParameterExpansion': {
      const { operation } = part;
      if (operation?.type === 'Default') return wordText(operation.operand, run) || unknown;
      runSubstitutions(part, run);
      return unknown;
    }
    default:
      runSubstitutions(part, run);
      return part.type === 'ArithmeticExpansion' ? '0' : part.text;
  }
}

/** Runs what stands in substitutions anywhere below; a long sum is a deep tree. */
export function runSubstitutions(node: SyntaxNode, run: Run): void {
  const waiting: SyntaxNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'Script') run(next);
    else forEachChild(next, (child) => waiting.push(child));
  }
}
