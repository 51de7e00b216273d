/** The arguments of a command, told apart. */
export interface Arguments {
  /** `-abc` is three options; a value stands with its option, or after it if the program takes one there. */
  readonly options: readonly { readonly name: string; readonly value?: string }[];
  readonly operands: readonly string[];
}

/** How a program reads its arguments. */
export interface Grammar {
  /** The options that take the next argument as their value; absent if that is not known. */
  readonly takes?: ReadonlySet<string>;
  /** `-delete` is one option. */
  readonly longWithOneDash?: true;
}

export function argumentsOf(args: readonly string[], grammar: Grammar = {}): Arguments {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const options: { name: string; value?: string }[] = [];
  const operands: string[] = [];
  for (let index = 0; index < before.length; index += 1) {
    const argument = before[index] ?? '';
    if (!isOption(argument)) {
      operands.push(argument);
      continue;
    }
    const found = optionsIn(argument, grammar);
    const last = found.at(-1);
    if (last !== undefined && last.value === undefined && grammar.takes?.has(last.name)) {
      index += 1;
      found[found.length - 1] = { name: last.name, value: before[index] ?? '' };
    }
    options.push(...found);
  }
  return { options, operands: end < 0 ? operands : [...operands, ...args.slice(end + 1)] };
}

/** `-` alone names standard input, `-1` is a number as often as an option. */
export function isOption(argument: string): boolean {
  return argument.length > 1 && argument.startsWith('-');
}

function optionsIn(
  argument: string,
  { takes, longWithOneDash }: Grammar,
): { name: string; value?: string }[] {
  const isLong = argument.startsWith('--') || longWithOneDash;
  const equals = argument.indexOf('=');
  if (isLong && equals > 0) return [{ name: argument.slice(0, equals), value: argument.slice(equals + 1) }];
  if (isLong) return [{ name: argument }];
  const letters = [...argument.slice(1)];
  const taking = letters.findIndex((letter) => takes?.has(`-${letter}`));
  const own = taking < 0 ? letters : letters.slice(0, taking + 1);
  const value = taking < 0 ? '' : letters.slice(taking + 1).join('');
  return own.map((letter, index) =>
    index === taking && value !== '' ? { name: `-${letter}`, value } : { name: `-${letter}` },
  );
}

/** The values of an option under any of its names. */
export function valuesOf({ options }: Arguments, ...names: readonly string[]): readonly string[] {
  return options.flatMap(({ name, value }) => (value !== undefined && names.includes(name) ? [value] : []));
}

export function has({ options }: Arguments, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

/** `-a --all`: names for a set in one text. */
export function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((name) => name !== ''));
}
