import { type ParseArgsConfig, parseArgs } from 'node:util';
import { isPort } from '../app/environment/addresses.ts';
import { suggestionFor } from '../config/suggestion.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command takes, and the text of its `--help`. */
interface CommandLine<O extends Options, P extends boolean> {
  readonly help: string;
  readonly options: O;
  /** Whether it takes arguments that are no options. */
  readonly allowPositionals?: P;
}

type Parsed<O extends Options, P extends boolean> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: P }>
>;

/** A command was called with something that it does not take; the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The arguments of a command; undefined if they ask for help, which is printed. Throws `UsageError`. */
export function readArguments<const O extends Options, const P extends boolean = false>(
  argv: readonly string[],
  { help, options, allowPositionals }: CommandLine<O, P>,
): Parsed<O, P> | undefined {
  // Also beside what would be refused: who asks for help wants to know what is taken.
  const end = argv.indexOf('--');
  if (argv.slice(0, end < 0 ? undefined : end).some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(help);
    return undefined;
  }
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: allowPositionals ?? false });
    return parsed as Parsed<O, P>; // the same options
  } catch (fault) {
    throw explained(fault, Object.keys(options));
  }
}

/** In our own words where Node's are for people who write programs. */
function explained(fault: unknown, names: readonly string[]): unknown {
  if (!(fault instanceof Error && 'code' in fault)) return fault;
  const named = /'([^']*)'/.exec(fault.message)?.[1] ?? '';
  switch (fault.code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const meant = suggestionFor(named.replace(/^-+/, ''), names);
      return new UsageError(
        `there is no option ${named}${meant === undefined ? '' : `: did you mean --${meant}?`}`,
      );
    }
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return new UsageError(`it takes no argument ${JSON.stringify(named)}, only options`);
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE':
      return new UsageError(fault.message);
    default:
      return fault;
  }
}

/** A port, or undefined where none is given. Throws `UsageError`. */
export function portOption(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (isPort(value)) return Number(value);
  throw new UsageError(
    `--port is ${JSON.stringify(value)}: expected a port from 0 to 65535, as in --port 3000`,
  );
}

/** One of the names that an option takes. Throws `UsageError`. */
export function nameOption<N extends string>(option: string, value: string, names: readonly N[]): N {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  const meant = suggestionFor(value, names);
  const hint = meant === undefined ? `expected ${names.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`${option} is ${JSON.stringify(value)}: ${hint}`);
}
