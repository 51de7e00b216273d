import type { CommandName, CommandOf } from '../command.ts';
import type { Role } from '../person.ts';

/** A slash command and what follows it: `line` to the end of its line, `body` to the end of the comment. */
export interface Said {
  readonly word: string;
  readonly line: string;
  readonly body: string;
}

/** One command: its grammar, its help and who may use it. */
export interface CommandSpec<N extends CommandName> {
  readonly name: N;
  readonly usage: string;
  readonly summary: string;
  /** The role it requires; `approve` also follows `approval.by`. */
  readonly needs: Role;
  /** `problem` says what is wrong with the input; the reply adds the usage. */
  parse(said: Said): CommandOf<N> | Problem;
}

export interface Problem {
  readonly problem: string;
}

/** For commands without arguments: anything that follows is reported as a mistake. */
export function nothingElse<N extends CommandName>(
  said: Said,
  command: CommandOf<N>,
): CommandOf<N> | Problem {
  return said.line === ''
    ? command
    : { problem: `\`/${said.word}\` takes no arguments, got \`${firstWord(said.line)}\`` };
}

function firstWord(line: string): string {
  return line.split(/\s+/, 1)[0] ?? '';
}
