import type { Command } from 'commander';
import { isPort } from '../../app/environment/values.ts';
import { suggestionFor } from '../../config/schema/suggestion.ts';
import { UsageError } from './exit.ts';

/** One command: its help, what it takes, and what it does. Only the one that is called is loaded. */
export interface CommandFile<Options extends object = object> {
  readonly about: string;
  /** Command lines, without `coxswain`, and what each is for. */
  readonly examples: Readonly<Record<string, string>>;
  /** What else its help explains: names, and what each stands for. */
  readonly more?: readonly (readonly [name: string, what: string])[];
  /** Adds its options and arguments. */
  takes?(command: Command): void;
  /** The number is the exit code. */
  run(options: Options, ...operands: readonly string[]): Promise<number>;
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
