import type { FileDiff } from '../../steering/shapes/attempt-result.ts';
import { raw } from '../../text/regexp.ts';
import { type Hunk, type Patch, patchOf } from '../reading/patch.ts';
import type { Role } from './test-files.ts';

/** A line of one version of a file. */
export interface Line {
  readonly number: number;
  /** It has no comments any more. */
  readonly text: string;
  /** Also without what is in strings. */
  readonly code: string;
  /** Only this version has it. */
  readonly changed: boolean;
  readonly indent: number;
  /** Which hunk it is in. */
  readonly hunk: number;
  /** The name of the test that it is in, as far as the hunk shows it; empty outside of tests. */
  readonly test: string;
  /** Whether the line declares that test. */
  readonly declares: boolean;
}

/** A line with those that go on from it, because a bracket is open or a chain of calls continues. */
export interface Statement {
  readonly line: Line;
  /** Its first line has this index. */
  readonly index: number;
  readonly text: string;
  readonly code: string;
  readonly changed: boolean;
}

export type Version = ReturnType<typeof versionOf>;

function versionOf(lines: readonly Line[], side: 'old' | 'new') {
  return { side, lines, statements: statementsOf(lines) };
}

/** Lines that programs have written can be of any length. */
const longest = 1_000;

function linesOf(file: FileDiff, side: 'old' | 'new', hunk: Hunk, index: number): readonly Line[] {
  const own = side === 'old' ? '-' : '+';
  const path = side === 'old' ? (file.previous_path ?? file.path) : file.path;
  const mask = new Mask(path);
  const names = new TestNames(testNameIn(hunk.heading));
  return hunk.lines
    .filter(({ sign }) => sign === ' ' || sign === own)
    .map(({ text: written, sign, number, former }) => {
      const { text, code } = mask.read(written.slice(0, longest));
      return {
        number: side === 'old' ? former : number,
        ...{ text, code, ...names.read(text, code) },
        changed: sign === own,
        indent: written.search(/\S|$/),
        hunk: index,
      };
    });
}

const hashComments = /\.(?:py|pyi|rb|rake|sh|bash|bats|ya?ml|toml|exs?|pl|t|r|jl|cfg|ini|mk|php)$|file$|rc$/i;
const slashComments = raw`\.(?:[cm]?[jt]sx?|vue|svelte|go|rs|java|kts?|scala|groovy|gradle|cs|fs|php|swift|mm?|c|cc|cpp|cxx|h|hpp|dart)$|Jenkinsfile$`;

/** Takes comments and the insides of strings out of lines, which it has to be given in their order. */
class Mask {
  /** How the comment or the string ends that is open from a line above. */
  private open: string | undefined;
  private readonly token: RegExp;

  constructor(path: string) {
    const comments = [
      ...(hashComments.test(path) ? [String.raw`(?<=^|\s)#(?![[{]).*`] : []),
      ...(slashComments.test(path) ? [String.raw`(?<![:\\/])\/\/(?!go:build).*`] : []),
    ];
    const many = slashComments.test(path) ? String.raw`"""|\x60|\/\*` : `"""|'''`;
    const strings = String.raw`"(?:[^"\\]|\\.)*"|(?<!\w)'(?:[^'\\]|\\.)*'`;
    this.token = new RegExp([many, ...comments, strings].join('|'), 'g');
  }

  read(line: string): { readonly text: string; readonly code: string } {
    let [text, code, at] = ['', '', 0];
    const keep = (end: number, isString = false) => {
      const part = line.slice(at, end);
      text += part;
      code += isString ? '' : part;
      at = end;
    };
    for (;;) {
      if (this.open !== undefined) {
        const end = line.indexOf(this.open, at);
        const isComment = this.open === '*/';
        const until = end < 0 ? line.length : end;
        if (isComment) at = until;
        else keep(until, true);
        if (end < 0) return { text, code };
        if (isComment) at += 2;
        else keep(at + this.open.length);
        this.open = undefined;
      }
      this.token.lastIndex = at;
      const found = this.token.exec(line);
      keep(found?.index ?? line.length);
      if (found === null) return { text, code };
      const [token] = found;
      if (/^(?:"""|'''|`)$/.test(token)) {
        keep(at + token.length);
        this.open = token;
      } else if (token === '/*') {
        at += 2;
        this.open = '*/';
      } else if (/^["']/.test(token)) {
        keep(at + 1);
        keep(at + token.length - 2, true);
        keep(at + 1);
      } else return { text: text.trimEnd(), code: code.trimEnd() };
    }
  }
}

const maxLines = 40;

/** The head of a block, after which other statements follow although a bracket is still open. */
const opensBlock =
  /(?:=>|\)|->|\||\bdo|\belse|\btry)\s*\{?\s*$|\b(?:do|\{)\s*\|[^|]*\|\s*$|\{\s*[\w, ]+\s*(?:->|in)\s*$/;
const goesOn = /^\s*(?:\?\.|\.(?!\.)|&&|\|\||[?:] |and |or |->)/;

function statementsOf(lines: readonly Line[]): readonly Statement[] {
  const statements: Statement[] = [];
  for (let index = 0; index < lines.length; ) {
    const end = endOf(lines, index);
    const parts = lines.slice(index, end);
    const [line] = parts;
    if (line !== undefined && parts.some(({ code }) => code.trim() !== ''))
      statements.push({
        ...{ line, index },
        text: parts.map(({ text }) => text.trim()).join(' '),
        code: parts.map(({ code }) => code.trim()).join(' '),
        changed: parts.some(({ changed }) => changed),
      });
    index = end;
  }
  return statements;
}

/** Finds the index behind the last line of the statement that begins at `index`. */
function endOf(lines: readonly Line[], index: number): number {
  let depth = 0;
  for (let at = index; at < lines.length && at < index + maxLines; at++) {
    const [line, next] = [lines[at], lines[at + 1]];
    if (line === undefined || next === undefined || next.hunk !== line.hunk) return at + 1;
    for (const sign of line.code) {
      if (sign === '(' || sign === '[') depth++;
      if (sign === ')' || sign === ']') depth = Math.max(0, depth - 1);
    }
    const isHead = opensBlock.test(line.code) && !/^\s*(?:assert|expect)\b.*\)\s*$/.test(line.code);
    if (isHead && !goesOn.test(next.code)) return at + 1;
    if (depth === 0 && !goesOn.test(next.code)) return at + 1;
  }
  return Math.min(lines.length, index + maxLines);
}

/** Both versions of a file, as far as its diff shows them. */
export interface Reading {
  readonly path: string;
  readonly file: FileDiff;
  readonly role: Role;
  readonly old: Version;
  readonly new: Version;
}

/** How tests begin that are in the same file as the code, by convention at its end. */
const inside = /#\[cfg\((?:all\()?test\b|^\s*(?:pub )?mod tests?\b|\bimport\.meta\.vitest\b/;

/** Gives what a diff shows of a file; of one with tests inside, twice: the code, and its tests. */
export function readingsOf(file: FileDiff, role: Role): readonly Reading[] {
  const patch = patchOf(file);
  const sides = (['old', 'new'] as const).map((side) =>
    patch.hunks.flatMap((hunk, index) => linesOf(file, side, hunk, index)),
  );
  const made = (as: Role, [old = [], next = []]: readonly (readonly Line[])[]) => ({
    ...{ path: file.path, file, role: as },
    old: versionOf(old, 'old'),
    new: versionOf(next, 'new'),
  });
  if (role !== 'source' || !/\.(?:rs|[cm]?[jt]sx?)$/.test(file.path)) return [made(role, sides)];
  const tests = sides.map((lines) => testsInside(lines, patch));
  if (tests.every((lines) => lines.length === 0)) return [made(role, sides)];
  const code = sides.map((lines, index) => lines.filter((line) => !tests[index]?.includes(line)));
  const isCode = code.some((lines) => lines.some(({ changed, code }) => changed && code.trim() !== ''));
  return [...(isCode ? [made('source', code)] : []), made('test', tests)];
}

function testsInside(lines: readonly Line[], { hunks }: Patch): readonly Line[] {
  let [isTest, hunk] = [false, -1];
  return lines.filter((line) => {
    if (line.hunk !== hunk && inside.test(hunks[line.hunk]?.heading ?? '')) isTest = true;
    hunk = line.hunk;
    if (inside.test(line.code)) isTest = true;
    return isTest;
  });
}

/** How frameworks declare a test with a name in quotes. */
const called = new RegExp(
  String.raw`^\s*(?:[\w.]+\s*=\s*)?(?:@|\bf|\bx|p)?(?:it|test|specify|example|scenario|feature|should|Test|It|Specify|(?:t|b|s)\.Run|QUnit\.test|Deno\.test|testset|testWidgets|describe|context|suite|Describe|Context|Entry|TEST_CASE|SECTION)` +
    String.raw`(?:\.\w+(?:\([^()]*\))?)*\s*[ (]\s*(?:t,\s*)?(["'\x60])(.{1,200}?)\1`,
);
/** A Kotest or a Bats test is declared by its name alone, and rows of `each` come before the name. */
const headed = /^\s*(?:\}?\)?\)?\(|\]\)\()?(["'`])(.{1,200}?)\1\s*(?:,\s*(?:async\s*)?(?:\(|function)|\{$)/;
const byName = raw`^\s*(?:(?:public|protected|private|internal|static|async|override|suspend|pub|final)\s+)*(?:def|func(?!\s+test\w*\(\w+ \*testing)|fn|fun|function|void|Task)\s+(?:self\.)?(?:\(\w+ \*?\w+\)\s*)?(test\w*|Test\w*|Benchmark\w*|Fuzz\w*|Example\w*|it_\w+)\s*[({<:]?`;
const marks = raw`^\s*(?:@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property|Theory)\b|#\[(?:\w+::)*(?:test|rstest|test_case|bench)\b|#\[Test\]|\[(?:\w+, *)*(?:Fact|Theory|Test|TestCase|TestMethod|SkippableFact|Property)\b)`;
const marked =
  /(?:\b(?:fn|fun|func|function|void|def|Task(?:<\w+>)?)\s+|^\s*(?:public|private|internal)\s+\w+\s+)`?([A-Za-z_][^`(]*?)`?\s*[(<=]/;
const groups = /^\s*(?:\bf|\bx)?(?:describe|context|suite|feature|Describe|Context)\b/;

/** Finds the name of the test that a line declares by itself; empty if it declares none. */
function testNameIn(text: string): string {
  const [, , name] = called.exec(text) ?? headed.exec(text) ?? [];
  if (name !== undefined) return groups.test(text) ? '' : name;
  return byName.exec(text)?.[1] ?? '';
}

/** Tells for each line of a hunk which test it is in. */
class TestNames {
  private test: string;
  /** Lines since an annotation that says that the next function is a test. */
  private sinceMark = Number.POSITIVE_INFINITY;

  constructor(first: string) {
    this.test = first;
  }

  read(text: string, code: string): { readonly test: string; readonly declares: boolean } {
    if (code.trim() !== '') this.sinceMark++;
    const isMarked = marks.test(code);
    if (isMarked) this.sinceMark = 0;
    const name = testNameIn(text) || (this.sinceMark <= 6 ? (marked.exec(text)?.[1] ?? '') : '');
    if (name !== '') this.sinceMark = Number.POSITIVE_INFINITY;
    if (name !== '' || isMarked || groups.test(text)) this.test = name;
    return { test: this.test, declares: name !== '' };
  }
}
