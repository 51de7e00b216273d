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
  /** The file that it takes its script from, if it is a shell or an interpreter. */
  readonly file?: string;
  /** The scripts in its arguments or its input, in another language than the shell's. */
  readonly scripts: readonly string[];
  /** What it reads from its standard input, as far as the line shows. */
  readonly input: string | undefined;
  readonly redirects: readonly FileUse[];
}

/** What a command starts in its turn: a text for the shell, or words, which read what the command would. */
export type Inner =
  | { readonly text: string }
  | { readonly words: readonly string[]; readonly input?: string };

/**
 * Some pieces of a line are known only when it runs. In the texts that are computed from it, one of these
 * characters stands for such a piece; Unicode assigns them to nobody.
 */
export const unknown = '\u{E000}';

/** What was downloaded, or made of it. At the end of the name of a file, it says that this is in the file. */
export const downloaded = '\u{E001}';

const marks = /[\u{E000}\u{E001}]/gu;

/** The text of a stranger, in which these characters are not marks. */
export function withoutMarks(text: string): string {
  return text.replace(marks, '\u{FFFD}');
}

/** For people: an ellipsis stands for what is not known. */
export function readable(text: string): string {
  return text.replace(/(?<=[\w.])\u{E001}/gu, '').replace(marks, '…');
}

/** Whether the whole text is known before it runs. */
export function isKnown(text: string): boolean {
  return text.search(marks) < 0;
}

/** `/usr/bin/python3.11` is `python`, `RM.EXE` is `rm`, `rimraf@5` is `rimraf`. */
export function programOf(word: string): string {
  const name = baseName(word)
    .toLowerCase()
    .replace(/(?<=.)@.*$|\.exe$/, '');
  return /^(?:python|pip|pypy|perl|ruby|php|lua|node|pwsh)[\d.]+$/.test(name)
    ? name.replace(/[\d.]+$/, '')
    : name;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The command as a person would read it. */
export function textOf({ path, args, redirects }: Command): string {
  const signs = { read: '<', replace: '>', append: '>>' };
  const files = redirects.map(({ path: file, access }) => `${signs[access]} ${file}`);
  return readable([path, ...args, ...files].filter((word) => word !== '').join(' '));
}

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
