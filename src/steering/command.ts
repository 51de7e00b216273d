import type { CommandSpec } from './commands/spec.ts';
import type { commandSpecs } from './commands/specs.ts';

type Specs = typeof commandSpecs;
type CommandIn<S> = S extends CommandSpec<infer C> ? C : never;

/** A parsed command. The shape and the grammar of each are in `commands/<name>.ts`. */
export type Command = CommandIn<Specs[keyof Specs]> | Misspoken;

/** A known command with invalid arguments; the reply shows its usage. */
export interface Misspoken {
  readonly type: 'misspoken';
  readonly name: CommandName;
  readonly problem: string;
}

/** The name of each spec must equal its key in `commandSpecs`. */
export type CommandName = { readonly [N in keyof Specs]: Specs[N]['name'] & N }[keyof Specs];
export type CommandOf<N extends CommandName> = Extract<Command, { type: N }>;
