import { anyOf } from '../../text/pattern/any-of.ts';
import { type Assertion, strengths } from './assertion.ts';
import { splitAt } from './calls.ts';
import { blankStrings } from './conditions.ts';
import type { Hunk } from './hunks.ts';
import type { Family } from './languages.ts';
import { normalized, type SourceLine } from './source-line.ts';

/** What is fed to tests and states a result: rows of tables, and values by the name of what is expected. */
export function inputsOf(
  lines: readonly SourceLine[],
  { family, hunks }: { readonly family: Family; readonly hunks: readonly Hunk[] },
): readonly Assertion[] {
  const found: Assertion[] = [];
  const tables = new Tables(hunks, family);
  for (const [index, line] of lines.entries()) {
    const isInTable = tables.includes(line) || isAmongRows(lines, index);
    if (family === 'script' && templateRow.test(line.text)) found.push(templateInput(line, index));
    if (line.blank) continue;
    const value = valueIn(line, index);
    if (value !== undefined) found.push(value);
    else if (isInTable || standsAlone.test(line.code)) found.push(...rowsIn(line, index));
    found.push(...inlineRows(line, index));
  }
  return found;
}

/** A row of a table in a template string: `${'1s'} | ${1000}`. */
const templateRow = /^\s*\$\{.*\}(?:\s*\|\s*\$\{.*\})+\s*$/;

function templateInput(line: SourceLine, index: number): Assertion {
  const cells = line.text.split(/\}\s*\|\s*\$\{/).map((cell) => cell.replace(/^\s*\$\{|\}\s*$/g, ''));
  return input(line, {
    index,
    verb: 'row',
    subject: cells.slice(0, -1).join(','),
    expected: cells.at(-1) ?? '',
  });
}

/** A row whose table does not begin in the hunk has rows or the end of the table next to it. */
function isAmongRows(lines: readonly SourceLine[], index: number): boolean {
  const line = lines[index];
  if (line === undefined || !bracketed.test(line.code)) return false;
  const isNext = (other: SourceLine | undefined) =>
    other !== undefined &&
    other.hunk === line.hunk &&
    other.indent === line.indent &&
    bracketed.test(other.code);
  const ends = /^\s*\]\s*(?:,|\)\s*\(|$)/.test(lines[index + 1]?.code ?? '');
  const begins = /^\s*\[\s*$/.test(lines[index - 1]?.code ?? '');
  return isNext(lines[index - 1]) || isNext(lines[index + 1]) || (ends && begins);
}

/** Two values or more in brackets, and a comma behind them. */
const bracketed = /^\s*(?:["'][^"']*["']\s*=>\s*)?(?:\(.*,.*\)|\[.*,.*\]),\s*$/;

const named = anyOf([
  String.raw`^\s*(?:(?:const|let|var|val|final|static|auto|string|String|int|long|double|boolean)\s+)*(?:\w+\.)?"?(\w*(?:expected|Expected|EXPECTED)\w*|want[A-Z]?\w*)"?(?:\s*:\s*\w+)?\s*(?::=|=(?!=)|:(?!:)|=>)\s*(\S.*)$`,
]);

/** `const expected = 5;`, `want: 5,` */
function valueIn(line: SourceLine, index: number): Assertion | undefined {
  const found = named.exec(line.text.slice(0, 500));
  if (found === null || /^\s*(?:func|def|fn)\b/.test(line.code)) return undefined;
  const [, subject = '', expected = ''] = found;
  if (/[({[]\s*$/.test(expected)) return undefined;
  return input(line, { index, verb: 'value', subject, expected });
}

const standsAlone = anyOf([
  String.raw`^\s*(?:\[(?:InlineData|TestCase|DataRow)\(|#\[(?:case|test_case|rstest_case)(?:::\w+)?\(|@Row\(|yield\s+(?:["'][^"']*["']\s*=>\s*)?\[|(?:Arguments\.)?(?:arguments|of|row)\(|pytest\.param\(|Entry\()`,
]);

/** A line that is one row: `[1, 2, 3],`, `{"empty", "", 0},`, `"a,b",`, `a | b || c`. */
function rowsIn(line: SourceLine, index: number): readonly Assertion[] {
  const code = line.code.trim();
  const text = line.text
    .trim()
    .replace(/[,;]$/, '')
    .replace(/^yield\s+(?:["'][^"']*["']\s*=>\s*)?/, '');
  const isRow =
    /^(?:(?:["'][^"']*["']\s*=>\s*)?[[{(].*[\]})],?|["'`][^"'`]*["'`](?::\s*.+)?,?|-?\d[\w.]*,?|\|.*\||\w[^|]*\|.*|&?\w+\{.*\},?|\(.*\),?)$/.test(
      code,
    ) || standsAlone.test(code);
  if (!isRow || depth(code) !== 0 || code.length < 2) return [];
  const cells = cellsOf(text);
  const at = cells.findIndex((cell) => /^\s*"?(?:want|expected|out|output|result|exp)\w*"?\s*:/i.test(cell));
  const last = at < 0 ? cells.length - 1 : at;
  if (cells.length < 2) return [input(line, { index, verb: 'row', subject: text, expected: '' })];
  const subject = cells.filter((_, place) => place !== last).join(',');
  return [input(line, { index, verb: 'row', subject, expected: cells[last] ?? '' })];
}

function cellsOf(text: string): readonly string[] {
  const inner = /^(?:[&#@]?\[?[\w.:]*)?[[({"'`|](.*?)[\])}"'`|]+$/.exec(text)?.[1] ?? text;
  if (text.includes('|') && !/["'[({]/.test(text.charAt(0))) {
    return text
      .split('|')
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '');
  }
  return splitAt({ text: inner, code: blankStrings(inner) }, ',');
}

/** A whole table in one line: `parametrize("n", [1, 2, 3])`, `it.each([[1, 2], [3, 4]])`. */
function inlineRows(line: SourceLine, index: number): readonly Assertion[] {
  const { code } = line;
  const found = /\bparametrize\(|\.each\(|@ValueSource\(|@CsvSource\(|\.each\s*(?=do)/.exec(code);
  if (found === null) return [];
  const open = code.slice(found.index).search(/[[{]/) + found.index;
  const close = matching(code, open);
  if (open < found.index || close < 0) return [];
  const inner = line.text.slice(open + 1, close);
  return splitAt({ text: inner, code: code.slice(open + 1, close) }, ',').map((subject) =>
    input(line, { index, verb: 'row', subject, expected: '' }),
  );
}

function matching(code: string, open: number): number {
  let level = 0;
  for (let at = open; at < code.length; at++) {
    if (/[[({]/.test(code.charAt(at))) level++;
    else if (/[\])}]/.test(code.charAt(at)) && --level === 0) return at;
  }
  return -1;
}

function depth(code: string): number {
  let level = 0;
  for (const sign of code) {
    if ('([{'.includes(sign)) level++;
    else if (')]}'.includes(sign)) level--;
  }
  return level;
}

function input(
  line: SourceLine,
  about: { index: number; verb: 'row' | 'value'; subject: string; expected: string },
): Assertion {
  const { index, verb } = about;
  const [subject, expected] = [normalized(about.subject), normalized(about.expected)];
  const shown = line.text.trim().slice(0, 120);
  const key = `${verb}:${subject}:${expected}`;
  const { changed } = line;
  return {
    index,
    changed,
    key,
    shown,
    subject,
    verb,
    expected,
    arguments: [expected],
    negated: false,
    strength: strengths.exact,
  };
}

const opener = anyOf([
  String.raw`\.each\b`,
  'parametrize',
  String.raw`\[\]struct`,
  String.raw`\[\]\w*[cC]ases?\b`,
  String.raw`\b\w*(?:cases|CASES|Cases)\b`,
  String.raw`\btests?\s*(?::=|=)`,
  String.raw`\btable\b`,
  String.raw`\brows\b`,
  'CsvSource',
  'ValueSource',
  'MethodSource',
  String.raw`\bObject\[\]\[\]`,
  String.raw`\bStream\.of\(`,
  String.raw`map\[string\]struct`,
  String.raw`\bwhere:`,
  'Examples:',
  'dataProvider',
  String.raw`provide\w*\(`,
  'rstest',
  String.raw`Table\(`,
]);

/** Follows, line by line, whether it is in a table that is visible, or that the hunk is said to be in. */
class Tables {
  private readonly hunks: readonly Hunk[];
  private readonly family: Family;
  private hunk = -1;
  private indent = Number.POSITIVE_INFINITY;

  constructor(hunks: readonly Hunk[], family: Family) {
    this.hunks = hunks;
    this.family = family;
  }

  includes(line: SourceLine): boolean {
    if (line.hunk !== this.hunk) {
      this.hunk = line.hunk;
      this.indent = opener.test(this.hunks[line.hunk]?.section ?? '') ? -1 : Number.POSITIVE_INFINITY;
    }
    if (line.blank) return line.indent > this.indent;
    if (line.indent > this.indent) return true;
    const opens = opener.test(line.code) && /[[({:`|]\s*$/.test(line.code);
    this.indent = opens ? line.indent : Number.POSITIVE_INFINITY;
    // In Go, a table's rows look like nothing else.
    return this.family === 'go' && /^\s*\{\s*(?:"|name:|desc:)/.test(line.code) && /\},?\s*$/.test(line.code);
  }
}
