import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { control, visible, withoutInvisible } from '../../text/characters.ts';
import { UsageError } from './exit.ts';
import { givenEnvironment } from './own-environment.ts';

/** What commands about runs have in common. */
export interface RunOptions {
  readonly run?: string;
  readonly output: string;
}

export function runOption(command: Command): Command {
  return command.option(
    '--run <run>',
    'owner/repo#n, the address of a pull request, or its number in a clone (default: the pull request of the ' +
      'branch that is checked out, else the newest open run)',
  );
}

export function outputOption(command: Command): Command {
  return command.option('-o, --output <format>', 'table, json, or json=<field>,<field>', 'table');
}

/** Commands take it that read from GitHub unless a server is named. */
export function serverOption(command: Command): Command {
  return command.option(
    '--server <url>',
    'ask this server of Coxswain, which is given your token (default: COXSWAIN_SERVER, else GitHub)',
  );
}

export function webOption(command: Command): Command {
  return command.option('--web', 'open it in the browser instead');
}

/** What a command prints: a value for programs, with the names of its fields, and a text for people. */
export interface Printed {
  readonly value: object;
  readonly fields: readonly string[];
  /** May hold what others have written, whatever that is. */
  text(): string;
  /** The colour of a whole line, where colours are seen. */
  colourOf?(line: string): 'bold' | 'cyan' | 'green' | 'red' | 'yellow' | undefined;
}

/** Throws `UsageError` for a format or a field that does not exist; to be called before anything is done. */
export function formatOf(output: string, fields: readonly string[]): 'table' | readonly string[] {
  if (output === 'table') return output;
  const found = /^json(?:=(.*))?$/s.exec(output);
  if (found === null)
    throw new UsageError(
      `--output is ${JSON.stringify(output)}: expected table, json or json=${fields.slice(0, 2).join(',')}`,
    );
  const named = found[1]?.split(',').map((name) => name.trim()) ?? fields;
  const unknown = named.find((name) => !fields.includes(name));
  if (unknown === undefined) return named;
  throw new UsageError(
    `--output names the field ${JSON.stringify(unknown)}: expected some of ${fields.join(', ')}`,
  );
}

/** Prints the value in the format that `--output` asks for. */
export function print(output: string, { value, fields, text, colourOf }: Printed): void {
  const format = formatOf(output, fields);
  if (format !== 'table') {
    process.stdout.write(`${jsonOf(value, format)}\n`);
    return;
  }
  const lines = visible(text()).replace(/\n$/, '').split('\n');
  // No colour is in the text itself: whatever a terminal would obey has been taken out of it.
  const inColour = (line: string) => {
    const colour = showsColours() ? colourOf?.(line) : undefined;
    return colour === undefined ? line : styleText(colour, line, { validateStream: false });
  };
  process.stdout.write(lines.map((line) => `${inColour(line)}\n`).join(''));
}

/** Prints only these fields of each value in a list, or of the one that there is. */
function jsonOf(value: object, fields: readonly string[]): string {
  const chosen = (each: object) =>
    Object.fromEntries(Object.entries(each).filter(([name]) => fields.includes(name)));
  return jsonText(Array.isArray(value) ? value.map(chosen) : chosen(value));
}

/** JSON itself escapes only some of what a terminal would obey. */
export function jsonText(value: object, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(control, (found) =>
    [...found.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** The width of the terminal that reads what we print; undefined if it is none. */
function terminalWidth(): number | undefined {
  // A terminal that does not know its width says 0.
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** Below that, a column says nothing; the first one, which says what the row is about, is never cut. */
const minColumn = 8;

/**
 * Rows below their headings. In a terminal each row keeps to one line, for which the widest columns are cut;
 * if that leaves too little, each row is a block of lines.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width = terminalWidth(),
): string {
  const lines = [headings, ...rows].map((row) =>
    row.map((cell) => visible(cell).replace(/\s+/g, ' ').trim()),
  );
  const widths = headings.map((_, column) => Math.max(...lines.map((row) => lengthOf(row[column]))));
  const room = (width ?? Number.POSITIVE_INFINITY) - 2 * (widths.length - 1);
  const [first = 0, ...others] = widths;
  if (others.reduce((sum, each) => sum + Math.min(each, minColumn), first) > room) return blocks(lines);
  while (first + sumOf(others) > room) others[others.indexOf(Math.max(...others))] = Math.max(...others) - 1;
  const fitting = [first, ...others];
  return lines
    .map((row) =>
      row
        .map((cell, column) => fitted(cell, fitting[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function blocks([headings = [], ...rows]: readonly (readonly string[])[]): string {
  const block = (row: readonly string[]) =>
    row.flatMap((cell, column) => (cell === '' ? [] : `${headings[column]}: ${cell}`)).join('\n');
  return rows.map(block).join('\n\n');
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function lengthOf(text = ''): number {
  return [...text].length;
}

function fitted(text: string, width: number): string {
  const points = [...text];
  if (points.length <= width) return text + ' '.repeat(width - points.length);
  return `${points.slice(0, width - 1).join('')}…`;
}

/** Whether whoever reads what we print sees colours, or has asked for them. */
function showsColours(): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none } = givenEnvironment();
  if (forced !== undefined && forced !== '') return forced !== '0';
  return process.stdout.isTTY === true && !none;
}

/** Says why what was read of a run is not verified, if it is not. */
export function tellDoubt(doubt: string | undefined): void {
  if (doubt !== undefined) process.stderr.write(visible(`Not verified: ${doubt}.\n`));
}

/** Opens an address in the person's browser; where there is none, the address is what is printed. */
export async function openOnWeb(address: string): Promise<void> {
  const [program = '', ...given] = opener();
  const child = spawn(program, [...given, address], { stdio: ['inherit', 'ignore', 'ignore'] });
  const opened = await once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  );
  process.stdout.write(opened ? `Opened ${address}\n` : `${address}\n`);
}

function opener(): readonly string[] {
  const named = givenEnvironment()['BROWSER'];
  if (named) return named.split(' ');
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/**
 * The Markdown of our own words for a terminal. What others have written in it was made harmless there by
 * characters that nobody sees; they are taken out last of all, when nothing looks for Markdown any more.
 */
export function forTerminal(markdown: string): string {
  const lineOf = (line: string): string => {
    const [, heading, strong] = /^(?:#{1,6} (.*)|\*\*([^*]+)\*\*)$/.exec(line) ?? [];
    return withoutInvisible(inline(heading ?? strong ?? line));
  };
  const blocks = visible(markdown)
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/^(`{3,}[^`\n]*\n[\s\S]*?\n`{3,}$|(?:\|.*(?:\n|$))+)/m)
    .map((block) => {
      if (block.startsWith('```')) return indented(block.split('\n').slice(1, -1).join('\n'));
      return block.startsWith('|') ? `${tableOf(block)}\n` : block.split('\n').map(lineOf).join('\n');
    });
  return withoutInvisible(blocks.join('')).trim();
}

/** Names of files, scripts, branches and keys are chosen by people, and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, ' ');
}

/** Moves each line of a text two columns to the right. */
export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function tableOf(block: string): string {
  const [headings = [], , ...rows] = block
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.trim().replace(/^\||\|$/g, '');
      return cells.split(/(?<!\\)\|/).map((cell) => withoutInvisible(inline(cell.trim())));
    });
  return table(headings, rows);
}

const marks = new RegExp(
  [
    /(?<fence>`+)(?<code>.+?)\k<fence>(?!`)/,
    /\*\*(?<strong>.+?)\*\*/,
    /\[(?<label>[^\]]*)\]\((?<to>[^\s)]+)\)/,
    /<\/?[a-z]+>/,
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /&(?<entity>amp|lt|gt);/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Removes the marks of inline code, bold text, links, tags, escapes and entities, as our words have them. */
function inline(text: string): string {
  return text.replace(marks, (...found) => {
    // The named groups come last.
    const { code, strong, label, to, escaped, entity } = found.at(-1) as Partial<Record<string, string>>;
    if (code !== undefined) return code.replace(/^ (.*) $/, '$1').replaceAll('\\|', '|');
    if (strong !== undefined) return inline(strong);
    if (label !== undefined) return `${inline(label)} (${to})`;
    return escaped ?? entities[entity ?? ''] ?? '';
  });
}

const entities: Partial<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };
