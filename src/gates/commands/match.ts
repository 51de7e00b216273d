import { read } from '../arguments/grammars.ts';
import type { Arguments } from '../arguments/options.ts';
import type { Command } from '../shell/command.ts';
import type { CommandRow, Rule } from './rule.ts';
import { changesProduction, localOnly } from './tables/changes-production.ts';
import { deletesFiles } from './tables/deletes-files.ts';
import { dropsData } from './tables/drops-data.ts';
import { installsSystemPackages } from './tables/installs-system-packages.ts';
import { changesAutomation, loosensPermissions, printsSecrets, rewritesHistory } from './tables/others.ts';

/** All tables, in the order in which hits are told. */
export const tables: Readonly<Partial<Record<Rule, readonly CommandRow[]>>> = {
  'deletes-files': deletesFiles,
  'drops-data': dropsData,
  'changes-production': changesProduction,
  'installs-system-packages': installsSystemPackages,
  'touches-secrets': printsSecrets,
  'rewrites-history': rewritesHistory,
  'loosens-permissions': loosensPermissions,
  'changes-automation': changesAutomation,
};

interface Row {
  readonly rule: Rule;
  readonly programs: readonly Matcher[];
  /** One for each word; `…` is `undefined`. */
  readonly words: readonly (readonly Matcher[] | undefined)[];
  readonly with: readonly string[];
  readonly without: readonly string[];
}

type Matcher = (text: string) => boolean;

/** Rows by the name of the program, and those for the beginning of a name. */
const byProgram = new Map<string, Row[]>();
const byPattern: Row[] = [];
// The keys of `tables` are rules, by its type.
for (const rule of Object.keys(tables) as Rule[]) for (const row of tables[rule] ?? []) add(rule, row);

function add(rule: Rule, row: CommandRow): void {
  const [programs = ''] = row.command.split(' ');
  const done = compiled(rule, row);
  if (programs.includes('*')) byPattern.push(done);
  else
    for (const program of programs.split('|'))
      byProgram.set(program, [...(byProgram.get(program) ?? []), done]);
}

function compiled(rule: Rule, row: CommandRow): Row {
  const [programs = '', ...words] = row.command.split(' ');
  return {
    rule,
    programs: matchers(programs),
    words: words.map((word) => (word === '…' ? undefined : matchers(word))),
    with: row.with?.split(' ') ?? [],
    without: ['--help', '--version', ...(row.without?.split(' ') ?? [])],
  };
}

function matchers(words: string): readonly Matcher[] {
  return words.split('|').map((word) => {
    const pattern = word.split('*').map((piece) => piece.replace(/[.+?^${}()[\]\\]/g, '\\$&'));
    const wanted = new RegExp(`^${pattern.join('[\\s\\S]*')}$`, 'i');
    return (text) => wanted.test(text);
  });
}

/** The rules that a command hits by its words. */
export function rulesByWords(command: Command): readonly Rule[] {
  const patterns = byPattern.filter(({ programs }) => programs.some((matches) => matches(command.program)));
  const candidates = [...(byProgram.get(command.program) ?? []), ...patterns];
  if (candidates.length === 0) return [];
  const given = read(command);
  if (localOnly[command.program]?.has(given.operands[0] ?? '')) {
    return candidates
      .filter((row) => row.rule !== 'changes-production' && hits(row, given))
      .map(({ rule }) => rule);
  }
  return candidates.filter((row) => hits(row, given)).map(({ rule }) => rule);
}

function hits(row: Row, given: Arguments): boolean {
  if (row.without.some((one) => isGiven(one, given))) return false;
  if (!wordsMatch(row.words, given.operands)) return false;
  if (row.words.length > 0 && isHelp(given)) return false;
  return row.with.length === 0 || row.with.some((one) => isGiven(one, given));
}

/** What has subcommands prints its help with `-h`. */
function isHelp({ options }: Arguments): boolean {
  return options.some(({ name, value }) => (name === '-h' && value === undefined) || name === '-help');
}

function wordsMatch(words: Row['words'], operands: readonly string[]): boolean {
  const [word, ...others] = words;
  if (words.length === 0) return true;
  if (word === undefined) return operands.some((_, index) => wordsMatch(others, operands.slice(index)));
  const [operand, ...rest] = operands;
  return operand !== undefined && word.some((matches) => matches(operand)) && wordsMatch(others, rest);
}

/** `--force` and `--force=…`; `--delete-*` is any option of that beginning; `+*` is an operand. */
function isGiven(wanted: string, { options, operands }: Arguments): boolean {
  const [matches = () => false] = matchers(wanted.split('=', 1)[0] ?? '');
  if (!wanted.startsWith('-')) return operands.some(matches);
  const [, needed] = wanted.split('=');
  return options.some(({ name, value }) => {
    const isName = wanted.includes('*') ? matches(name) : name === wanted.split('=', 1)[0];
    return isName && !isOff(value) && (needed === undefined || value === needed);
  });
}

/** `kubectl --dry-run=none` is no dry run. */
function isOff(value: string | undefined): boolean {
  return value !== undefined && /^(?:none|false|no|0)$/.test(value);
}
