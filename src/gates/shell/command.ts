import { baseName } from './scope.ts';

/** What a redirection does with a file. */
export interface FileUse {
  readonly path: string;
  readonly access: 'read' | 'replace' | 'append';
}

/** A program as the shell starts it, or redirections without one (then `program` is empty). */
export interface Command {
  /** Its base name in lower case, without a version. */
  readonly program: string;
  /** As it was named, with its folder. */
  readonly path: string;
  readonly args: readonly string[];
  /** The arguments before those of a program that it starts. */
  readonly ownArgs: readonly string[];
  /** What it reads from its standard input, as far as the line shows. */
  readonly input: string | undefined;
  readonly redirects: readonly FileUse[];
  /** The contents of files that the line wrote before, by their base names. */
  readonly files: ReadonlyMap<string, string>;
}

/** `/usr/bin/python3.11` is `python`, `RM.EXE` is `rm`. */
export function programOf(word: string): string {
  const name = baseName(word.trim())
    .toLowerCase()
    .replace(/\.exe$/, '');
  return /^(?:python|pip|pypy|perl|ruby|php|lua|node|pwsh)[\d.]+$/.test(name)
    ? name.replace(/[\d.]+$/, '')
    : name;
}

/** What a command starts in its turn; without `input`, it reads what the command itself would read. */
export type Inner =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly input?: string }
  | {
      /** A text for the shell. */
      readonly kind: 'shell';
      readonly text: string;
      /** `$0` and its followers. */
      readonly positionals?: readonly string[];
      readonly input?: string;
    };
