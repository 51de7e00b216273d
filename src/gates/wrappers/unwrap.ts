import { grammarOf } from '../arguments/grammars.ts';
import { isOption } from '../arguments/options.ts';
import type { Command, Inner } from '../shell/command.ts';
import { type NamedWrapper, wrappers } from './table.ts';

/** What `sudo`, `timeout`, `docker run`, `npx` and the like start. */
export function unwrapped(command: Command): readonly Inner[] {
  const { program } = command;
  for (const wrapper of wrappers) {
    if (!wrapper.programs.includes(program)) continue;
    const rest = afterSubcommand(command, wrapper);
    if (rest === undefined) continue;
    if (isIdle(rest, wrapper)) return [];
    const inner = [...codeOf(rest, wrapper), ...commandOf(rest, wrapper)];
    return inner.length === 0 && wrapper.login ? ofInput(command) : inner;
  }
  return [];
}

/** `ssh host <<EOF` gives the shell of that host what to run. */
function ofInput({ input }: Command): readonly Inner[] {
  return input === undefined ? [] : [{ kind: 'shell', text: input, input: '' }];
}

function isIdle(args: readonly string[], { idle, takes }: NamedWrapper): boolean {
  const own = args.slice(0, args.length - withoutOptions(args, takes).length);
  return own.some((option) => idle.has(option));
}

/** What follows the words of the subcommand; nothing if it is another subcommand. */
function afterSubcommand(
  { args, program }: Command,
  { words, takes }: NamedWrapper,
): readonly string[] | undefined {
  const before = new Set([...takes, ...(grammarOf(program).takes ?? [])]);
  let rest = args;
  for (const word of words) {
    rest = withoutOptions(rest, before);
    const [first = '', ...others] = rest;
    if (!word.includes(first)) return undefined;
    rest = others;
  }
  return rest;
}

/** The texts that options such as `-c` give to a shell. */
function codeOf(args: readonly string[], { code }: NamedWrapper): readonly Inner[] {
  if (code.size === 0) return [];
  return args.flatMap((argument, index) => {
    const [name = '', ...value] = argument.split('=');
    const isCode = code.has(name) || (/^-[a-z]+$/.test(argument) && code.has(`-${argument.at(-1)}`));
    const text = value.length > 0 ? value.join('=') : args[index + 1];
    if (isCode) return text === undefined ? [] : [{ kind: 'shell', text } as const];
    // `-S'rm a'` is the option with its value, `-lc` is two options.
    const isAttached = code.has(argument.slice(0, 2)) && /[^-a-z]/i.test(argument);
    return isAttached ? [{ kind: 'shell', text: argument.slice(2) } as const] : [];
  });
}

function commandOf(args: readonly string[], wrapper: NamedWrapper): readonly Inner[] {
  const { afterDashes, onlyCode, shell, versions } = wrapper;
  if (onlyCode) return [];
  const words = afterDashes ? afterTwoDashes(args) : programAndArguments(args, wrapper);
  const [program, ...others] = words;
  if (program === undefined) return [];
  if (shell) return [{ kind: 'shell', text: words.join(' ') }];
  return [{ kind: 'words', words: [versions ? program.replace(/(?<=.)@[^@/]*$/, '') : program, ...others] }];
}

function afterTwoDashes(args: readonly string[]): readonly string[] {
  const dashes = args.indexOf('--');
  return dashes < 0 ? [] : args.slice(dashes + 1);
}

/** Behind its own options, assignments and operands. */
function programAndArguments(args: readonly string[], wrapper: NamedWrapper): readonly string[] {
  const { takes, code, skip, assigns } = wrapper;
  const [entrypoint] = args.flatMap((argument, index) =>
    argument === '--entrypoint'
      ? [args[index + 1] ?? '']
      : argument.startsWith('--entrypoint=')
        ? [argument.slice(13)]
        : [],
  );
  let rest = withoutOptions(args, new Set([...takes, ...code]));
  for (let skipped = 0; skipped < skip; skipped += 1) {
    rest = entrypoint === undefined ? withoutOptions(rest.slice(1), new Set()) : rest.slice(1);
  }
  if (assigns) {
    while (/^\w+=/.test(rest[0] ?? '')) rest = rest.slice(1);
  }
  if (rest[0] === '--') rest = rest.slice(1);
  return entrypoint === undefined ? rest : [entrypoint, ...rest];
}

function withoutOptions(args: readonly string[], takes: ReadonlySet<string>): readonly string[] {
  let index = 0;
  while (isOption(args[index] ?? '')) {
    const argument = args[index] ?? '';
    index += 1;
    if (argument === '--') break;
    if (takesNext(argument, takes)) index += 1;
  }
  return args.slice(index);
}

/** `-u root` and `-nu root` do, `-uroot` and `--user=root` do not. */
function takesNext(option: string, takes: ReadonlySet<string>): boolean {
  if (option.startsWith('--') || takes.has(option)) return takes.has(option);
  const letters = [...option.slice(1)];
  return letters.findIndex((letter) => takes.has(`-${letter}`)) === letters.length - 1;
}
