import type { CallRule } from '../../steering/shapes/gate-rules.ts';
import type { GateSettings } from '../../steering/shapes/settings.ts';

/** What a redirection does with a file. */
export interface FileUse {
  readonly path: string;
  readonly access: 'read' | 'replace' | 'append';
}

/** A program as the shell starts it, or redirections without one (then `program` is empty). */
export interface Command {
  /** Its base name in lower case, without a version. */
  readonly program: string;
  /** It is as it was named, with its folder. */
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

/** Gives the text of a stranger, in which these characters are not marks. */
export function withoutMarks(text: string): string {
  return text.replace(marks, '\u{FFFD}');
}

/** People read an ellipsis for what is not known. */
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

/** Gives the command as a person would read it. */
export function textOf({ path, args, redirects }: Command): string {
  const signs = { read: '<', replace: '>', append: '>>' };
  const files = redirects.map(({ path: file, access }) => `${signs[access]} ${file}`);
  return readable([path, ...args, ...files].filter((word) => word !== '').join(' '));
}

/** `-` alone names standard input. */
export function isOption(argument: string): boolean {
  return argument.length > 1 && argument.startsWith('-');
}

/** Leaves out the options; what one takes may be among the rest. */
export function operandsOf(args: readonly string[]): readonly string[] {
  return args.filter((argument) => !isOption(argument));
}

/** Finds the values of an option under any of its names: `-m 777`, `-Dm777`, `--mode=777`. */
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

export interface Known {
  /** The owners of the repository have set these. */
  readonly gates?: GateSettings;
  /** Whether a file is a setting of an agent, which is guarded like other automation. */
  isAgentSetting?(path: string): boolean;
}

/** Commands that hit a rule, told by their words. */
interface Row {
  /**
   * The program and the first operands: `a|b` are alternatives, `!a|b` is anything but these, `*` is any text,
   * `…` any number of operands.
   */
  readonly command: string;
  /** One of these must be there: an option, or an operand such as `+*`. */
  readonly needed: readonly string[];
  /** With one of these, it does no harm. */
  readonly spared: readonly string[];
}

/**
 * Makes a rule about what an agent runs, with what no words tell and lines of the form
 * `git clean with -f --force unless -n --dry-run`.
 */
export function commandRule(
  rule: CallRule,
  table: string,
  besides: (command: Command, known: Known) => boolean = () => false,
) {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.map((line) => {
    const [rest = '', spared = ''] = line.trim().split(' unless ');
    const [command = '', needed = ''] = rest.split(' with ');
    return { command, needed: needed.match(/\S+/g) ?? [], spared: spared.match(/\S+/g) ?? [] };
  });
  const matchers = rows.map(matcherOf);
  return {
    rule,
    rows,
    matches: (command: Command, known: Known) =>
      matchers.some((matches) => matches(command)) || besides(command, known),
  };
}

function matcherOf({ command, needed, spared }: Row): (command: Command) => boolean {
  const [program = '', ...operands] = command.split(' ');
  const isProgram = textMatcher(program);
  const first = operands.map((word) => (word === '…' ? undefined : textMatcher(word)));
  const isNeeded = needed.map(argumentMatcher);
  const isSpared = ['--help', '--version', '-help', ...spared].map(argumentMatcher);
  return (one) => {
    if (!isProgram(one.program) || !startsWith(one.args, first)) return false;
    // What has subcommands prints its help with `-h`, which is an option with a value elsewhere.
    const help = one.args.indexOf('-h');
    if (help >= 0 && first.length > 0 && isOption(one.args[help + 1] ?? '--')) return false;
    const isThere = (matches: TextMatcher) => one.args.some(matches);
    return !isSpared.some(isThere) && (needed.length === 0 || isNeeded.some(isThere));
  };
}

type TextMatcher = (text: string) => boolean;

function textMatcher(words: string): TextMatcher {
  if (!/[!*]/.test(words)) {
    const plain = new Set(words.toLowerCase().split('|'));
    return (text) => plain.has(text.toLowerCase());
  }
  const isNegated = words.startsWith('!');
  const pattern = words.replace(/^!/, '').replace(/[.+?^${}()[\]\\]/g, '\\$&');
  const wanted = new RegExp(`^(?:${pattern.replaceAll('*', '[\\s\\S]*')})$`, 'i');
  return (text) => wanted.test(text) !== isNegated;
}

/** Whether these are the first operands. If an option takes the next word is not known: both is tried. */
export function startsWith(args: readonly string[], wanted: readonly (TextMatcher | undefined)[]): boolean {
  let places = new Set([0]);
  for (const [index, argument] of args.entries()) {
    if (isOption(argument)) continue;
    const next = new Set(isOption(args[index - 1] ?? '') ? places : []);
    for (const place of places) {
      const isAny = wanted[place] === undefined;
      if (isAny) next.add(place);
      const wantedHere = place + (isAny ? 1 : 0);
      if (wanted[wantedHere]?.(argument)) next.add(wantedHere + 1);
    }
    if (next.has(wanted.length)) return true;
    if (next.size === 0) return false;
    places = next;
  }
  return wanted.length === 0;
}

/**
 * `--force`, `--force=…`, and `-f` among `-xf`; `--delete-*` is any option of that beginning; `+*` an
 * operand.
 */
function argumentMatcher(wanted: string): TextMatcher {
  if (!wanted.startsWith('-')) return textMatcher(wanted);
  if (wanted.includes('*')) return textMatcher(wanted);
  if (/^-\w$/.test(wanted)) return (text) => new RegExp(`^-[a-zA-Z]*${wanted.charAt(1)}`).test(text);
  // `kubectl --dry-run=none` is no dry run.
  return (text) => text === wanted || (text.startsWith(`${wanted}=`) && !/=(?:none|false|no|0)$/.test(text));
}
