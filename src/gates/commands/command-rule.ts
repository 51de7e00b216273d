import type { CallRule } from '../../steering/shapes/gate-rules.ts';
import type { GateSettings } from '../../steering/shapes/settings.ts';
import { type Command, isOption } from './command.ts';

/** A rule about what an agent runs. */
export interface CommandRule {
  readonly rule: CallRule;
  readonly rows: readonly Row[];
  matches(command: Command, known: Known): boolean;
}

/** What is known besides a command. */
export interface Known {
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

/** A rule with lines of the form `git clean with -f --force unless -n --dry-run`, and what no words tell. */
export function commandRule(
  rule: CallRule,
  table: string,
  besides: (command: Command, known: Known) => boolean = () => false,
): CommandRule {
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
    matches: (command, known) => matchers.some((matches) => matches(command)) || besides(command, known),
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

export type TextMatcher = (text: string) => boolean;

export function textMatcher(words: string): TextMatcher {
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

/** `--force`, `--force=…`, and `-f` among `-xf`; `--delete-*` is any option of that beginning; `+*` an operand. */
function argumentMatcher(wanted: string): TextMatcher {
  if (!wanted.startsWith('-')) return textMatcher(wanted);
  if (wanted.includes('*')) return textMatcher(wanted);
  if (/^-\w$/.test(wanted)) return (text) => new RegExp(`^-[a-zA-Z]*${wanted.charAt(1)}`).test(text);
  // `kubectl --dry-run=none` is no dry run.
  return (text) => text === wanted || (text.startsWith(`${wanted}=`) && !/=(?:none|false|no|0)$/.test(text));
}
