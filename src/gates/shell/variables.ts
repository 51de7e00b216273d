import type { ParameterExpansionPart, Word } from 'unbash';
import { unknown } from './marks.ts';
import type { Scope, Value } from './scope.ts';

/** Where a word stands: what it can refer to, and how the scripts inside it are run. */
export interface Surroundings {
  readonly scope: Scope;
  /** `$0`, `$1` and so on; absent where nobody can know them. */
  readonly positionals?: readonly string[];
  /** Which of a variable's values to take, and how many the variables of these words have at most. */
  readonly choice: { readonly index: number; count: number };
  /** What the operand of an expansion gives. */
  textOf(word: Word): string;
}

/** What a shell usually has, as far as programs and paths depend on it. */
const usual: Readonly<Record<string, string>> = {
  HOME: '~',
  PWD: '.',
  TMPDIR: '/tmp',
  SHELL: 'sh',
  BASH: 'bash',
  IFS: ' ',
};

/** The value of `$name`; `unknown` if the line does not give it one. */
export function variable(name: string, at: Surroundings): Value {
  const known = knownValue(name, at);
  return known ?? [usual[name] ?? unknown];
}

function knownValue(name: string, { scope, positionals, choice }: Surroundings): Value | undefined {
  // `set -- a b` replaces them.
  const replaced = scope.variables.get('@')?.at(-1);
  const given = replaced === undefined ? positionals : ['sh', ...replaced];
  if (name === '@' || name === '*') return given?.slice(1);
  if (/^\d+$/.test(name)) return positional(Number(name), given);
  if (/^[?$!#-]$/.test(name)) return ['0'];
  const values = scope.variables.get(name);
  if (values === undefined) return undefined;
  choice.count = Math.max(choice.count, values.length);
  // The newest value comes first.
  return values.at(-1 - Math.min(choice.index, values.length - 1));
}

function positional(index: number, positionals: readonly string[] | undefined): Value | undefined {
  if (positionals === undefined) return index === 0 ? ['sh'] : undefined;
  const value = positionals[index];
  return value === undefined ? [] : [value];
}

/** The value of `${…}`. Operands are always looked at, because they may contain commands. */
export function expansionOf(part: ParameterExpansionPart, at: Surroundings): Value {
  const { parameter, prefix, operation } = part;
  if (prefix === '#') return ['0'];
  if (prefix === '!')
    return operation === undefined ? variable(variable(parameter, at).join(''), at) : [unknown];
  const known = knownValue(parameter, at);
  const value = elements(part, known ?? [usual[parameter] ?? unknown], at);
  if (operation === undefined) return value;
  if (operation.type !== 'Default') return [unknown];
  const operand = [at.textOf(operation.operand)];
  if (operation.operator.endsWith('+')) return operand;
  if (operation.operator.endsWith('?')) return value;
  return known === undefined || known.join('') === '' ? operand : value;
}

/** All elements of `${a[@]}`, the one of `${a[0]}`, else the first. */
function elements({ index, parameter }: ParameterExpansionPart, value: Value, at: Surroundings): Value {
  if (parameter === '@' || parameter === '*') return value;
  if (index === undefined) return value.slice(0, 1);
  const position = at.textOf(index);
  if (position === '@' || position === '*') return value;
  return /^-?\d+$/.test(position) ? value.slice(Number(position)).slice(0, 1) : [unknown];
}
