/** `-` alone names standard input. */
export function isOption(argument: string): boolean {
  return argument.length > 1 && argument.startsWith('-');
}

/** What is no option; what an option takes may be among it. */
export function operandsOf(args: readonly string[]): readonly string[] {
  return args.filter((argument) => !isOption(argument));
}

/** The values of an option under any of its names: `-m 777`, `-Dm777`, `--mode=777`. */
export function valuesOf(args: readonly string[], ...names: readonly string[]): readonly string[] {
  const short = names.filter((name) => !name.startsWith('--')).map((name) => name.slice(1));
  const pattern = new RegExp(`^-[a-zA-Z]*(?:${short.join('|') || '(?!)'})`);
  return args.flatMap((argument, index) => {
    const [name = ''] = argument.split('=', 1);
    const rest = names.includes(name) ? argument.slice(name.length + 1) : argument.replace(pattern, '');
    if (rest === argument) return [];
    return rest === '' ? args.slice(index + 1, index + 2) : [rest];
  });
}

/** `-a --all`: names for a set in one text. */
export function names(text: string): ReadonlySet<string> {
  return new Set(text.match(/\S+/g) ?? []);
}
