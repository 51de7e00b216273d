import { raw } from '../../text/regexp.ts';
import { once, spend } from '../reading/work-limit.ts';
import { type Assertion, assertionOf, literalsIn, namesIn } from './assertions.ts';
import type { Line, Reading, Statement, Version } from './statements.ts';

export interface TestReading extends Reading {
  readonly asserted: { readonly old: readonly Assertion[]; readonly new: readonly Assertion[] };
}

/** A whole change, with what its test files assert. */
export type Change = ReturnType<typeof changeOf>;

export function changeOf(readings: readonly Reading[]) {
  const tests = readings
    .filter(({ role }) => role === 'test')
    .map((each) => ({ ...each, asserted: { old: assertionsIn(each.old), new: assertionsIn(each.new) } }));
  const tested = readings.filter(
    ({ role, file, old, new: next }) =>
      (role === 'source' || role === 'dependency' || role === 'data') &&
      // A comment changes nothing that is tested.
      (file.diff === undefined || [old, next].some((version) => changedLines(version).length > 0)),
  );
  return {
    readings,
    tests,
    /** Neither the tested code nor anything that it stands on changes. */
    isSame: tested.length === 0,
    /** Names and texts that the tested code had, and has no more. */
    gone: goneFrom(readings.filter(({ role }) => role === 'source')),
    /** The test files have gained these names and literals. */
    gained: new Set(tests.flatMap((each) => changedLines(each.new).flatMap(tokensIn))),
  };
}

function assertionsIn({ statements }: Version): readonly Assertion[] {
  const defined = definitionsIn(statements);
  return statements.flatMap((statement, index) => {
    const found = assertionOf(statement, statements[index - 1]);
    if (found === undefined) return [];
    // A local name is only another word for what it stands for.
    const names = [...found.names].flatMap((name) => defined.get(`${statement.line.test} ${name}`) ?? [name]);
    return [{ ...found, names: new Set(names) }];
  });
}

const definition = raw`^\s*(?:(?:const|let|var|val|final|auto|my)\s+)?(?:[A-Z][\w<>[\], ]*\s+)?\$?([{[(]?[\w, ]+[}\])]?)(?::[^=]+)?\s*:?=\s*(?![=>])(.+)`;

/** Local variables of tests stand for these, by the test and the variable. */
function definitionsIn(statements: readonly Statement[]): ReadonlyMap<string, readonly string[]> {
  const defined = new Map<string, readonly string[]>();
  for (const { text, line } of statements) {
    const [, left = '', right = ''] = definition.exec(text.slice(0, 500)) ?? [];
    const names = namesIn(right).slice(0, 12);
    if (names.length === 0 || line.test === '') continue;
    for (const name of left.match(/\w+/g) ?? [])
      if (!names.includes(name)) defined.set(`${line.test} ${name}`, names);
  }
  return defined;
}

export const changedLines = once(({ lines }: Version): readonly Line[] =>
  lines.filter(({ changed, code }) => changed && code.trim() !== ''),
);

export const placesIn = once(
  ({ lines }: Version): ReadonlyMap<Line, number> => new Map(lines.map((line, index) => [line, index])),
);

function tokensIn({ text }: Line): readonly string[] {
  return [...namesIn(text), ...literalsIn(text)];
}

/** Names that are long enough to be somebody's own. */
const shortest = 4;

const defining = new RegExp(
  raw`\b(?:def|func|fn|fun|function|class|struct|interface|trait|enum|type|const|let|var|val|static|module|object|record|void|async)\s+(?:\(\w+ \*?\w+\)\s*)?(?:self\.)?([A-Za-z_]\w+)|^\s*(?:(?:public|private|protected|static|final)\s+)+[\w<>[\],.]+\s+(\w+)|^\s*(?:this\.|self\.|@|#)?(_?\w+)\s*(?:=(?![=>])|\([^()]*\)\s*\{)`,
  'g',
);

/** Finds what a line of code declares, and the texts in it. */
function definedIn({ text, code }: Line): readonly string[] {
  const declared = [...code.matchAll(defining)].flatMap(([, ...names]) =>
    names.filter((name) => name !== undefined),
  );
  return [...declared, ...literalsIn(text).filter((each) => !/^[\d.]+$/.test(each))];
}

function goneFrom(sources: readonly Reading[]): ReadonlySet<string> {
  const known = new Set(sources.flatMap((each) => each.new.lines.flatMap(tokensIn)));
  const removed = sources.flatMap((each) => [
    ...changedLines(each.old).flatMap(definedIn),
    ...(each.file.status === 'deleted' ? [stem(each.path)] : []),
  ]);
  return new Set(removed.filter((each) => each.length >= shortest && !known.has(each)));
}

/** `price` for `src/price.test.ts`, `tests/test_price.py` and `PriceTest.java`. */
export function stem(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?<=.)\..*$/, '');
  return name.replace(/^(?:test_|Test(?=[A-Z]))|(?:[-_.]?(?:tests?|specs?|Tests?|Specs?|IT|TestCase))$/g, '');
}

/** The files of tested code that are deleted are named for these. */
const goneFiles = once((readings: readonly Reading[]): readonly string[] => {
  const gone = readings.filter(({ role, file: { status } }) => role === 'source' && status === 'deleted');
  return gone.map(({ path }) => stem(path).toLowerCase()).filter((name) => name.length > 2);
});

/** Whether a test or an assertion is about something that the tested code no longer has. */
export function isAboutGone(
  { gone, readings }: Change,
  { path }: TestReading,
  tokens: Iterable<string>,
): boolean {
  for (const token of tokens) if (gone.has(token)) return true;
  const own = stem(path).toLowerCase();
  const names = goneFiles(readings);
  spend(names.length);
  return names.some((name) => own.includes(name));
}

/** What can be done to a test, or to what runs it, so that it proves less than before. */
export type Weakening =
  | 'skipped'
  | 'deleted'
  | 'removed-assertion'
  | 'weaker-assertion'
  | 'empty-assertion'
  | 'swallowed-failure'
  | 'loosened-threshold'
  | 'narrowed-selection'
  | 'forced-success'
  | 'changed-expectation'
  | 'rewritten-snapshot'
  | 'mocked-subject';

/** One place of a diff where tests prove less, or may do so. */
export interface Finding {
  readonly path: string;
  /** People look here; it is 0 if only the path is known. */
  readonly line: number;
  /** Which version of the file the line is of: what was removed has a line in the old one only. */
  readonly side: 'old' | 'new';
  readonly what: Weakening;
  /** It is one line that people understand. */
  readonly evidence: string;
}

/** What is sure stops for a human; what is only suspected is told. */
export interface Judged extends Finding {
  readonly isSure: boolean;
  /** The test that is gone as a whole. */
  readonly test?: string;
}

/** What is done to a test, and how people are told. */
export type Told = readonly [what: Weakening, says: string];

/** It weakens tests for sure, in a line that the new version has. */
export function inNew(path: string, line: Line, [what, says]: Told): Judged {
  const where = line.test === '' ? '' : ` in "${line.test.slice(0, 80)}"`;
  const evidence = `${says}: ${shown(line.text)}${where}`;
  return { path, line: line.number, side: 'new', what, evidence, isSure: true };
}

/** It weakens tests in a line that only the old version has. */
export function inOld(path: string, line: Line, told: Told): Judged {
  return { ...inNew(path, line, told), side: 'old' };
}

/** It may weaken them, but need not. */
export function suspected(found: Judged): Judged {
  return { ...found, isSure: false };
}

/** More of a kind at once are a test suite that is written anew, and not one that is made to fit. */
const maxSure = 3;

export function sureIfFew(found: readonly Judged[]): readonly Judged[] {
  return found.filter(({ isSure }) => isSure).length > maxSure ? found.map(suspected) : found;
}

const longest = 140;

/** Code as people are shown it in a sentence. */
export function shown(text: string): string {
  return `\`${text.trim().slice(0, longest)}\``;
}
