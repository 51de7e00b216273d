import type { Role } from '../person.ts';

/** A slash command and what follows it: `line` to the end of its line, `body` to the end of the comment. */
export interface SlashCommand {
  readonly word: string;
  readonly line: string;
  readonly body: string;
}

/** One command: its grammar, its help and who may use it. */
export interface CommandSpec<C extends { readonly type: string }> {
  readonly name: C['type'];
  readonly usage: string;
  readonly summary: string;
  /** The role it requires; `approve` also follows `approval.by`. */
  readonly needs: Role;
  /** What a use of it requires that goes further: the role, and what it is for. */
  needsMore?(command: C): { readonly role: Role; readonly why: string } | undefined;
  /** Everything that follows is its text, so that no second command can follow. */
  readonly takesRest?: true;
  /** `problem` says what is wrong with the input; the reply adds the usage. */
  parse(given: SlashCommand): C | Problem;
}

export interface Problem {
  readonly problem: string;
}

/** For commands without arguments: anything that follows is reported as a mistake. */
export function nothingElse<C>(given: SlashCommand, command: C): C | Problem {
  return given.line === ''
    ? command
    : { problem: `\`/${given.word}\` takes no arguments, got \`${firstWord(given.line)}\`` };
}

function firstWord(line: string): string {
  return line.split(/\s+/, 1)[0] ?? '';
}
