import type { CommandName, CommandOf } from '../command.ts';
import type { Role } from '../person.ts';

/** A slash word and what stood behind it: on its line, and in all the rest of the comment (line included). */
export interface Said {
  readonly word: string;
  readonly line: string;
  readonly body: string;
}

/** One command: its grammar, its help and who may say it. */
export interface CommandSpec<N extends CommandName> {
  readonly name: N;
  readonly usage: string;
  readonly summary: string;
  /** The role it takes; approving follows `approval.by` on top of this. */
  readonly needs: Role;
  /** `problem` says what is wrong with what was said; the reply adds the usage. */
  parse(said: Said): CommandOf<N> | Problem;
}

export interface Problem {
  readonly problem: string;
}

/** For commands that take nothing: whatever follows is a mistake worth telling. */
export function nothingElse<N extends CommandName>(
  said: Said,
  command: CommandOf<N>,
): CommandOf<N> | Problem {
  return said.line === ''
    ? command
    : { problem: `\`/${said.word}\` takes nothing else, got \`${firstWord(said.line)}\`` };
}

function firstWord(line: string): string {
  return line.split(/\s+/, 1)[0] ?? '';
}
