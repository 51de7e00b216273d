import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { TextDecoder } from 'node:util';
import sax from 'sax';
import type { TestFailure } from '../../steering/shapes/attempt-result.ts';
import { shortened, visible } from '../../text/characters.ts';
import { redact } from '../../text/redact.ts';
import { repositoryPath, spotIn } from '../../text/spots.ts';
import { maxBytes } from './find-reports.ts';

/** A test, as its report has it. Nothing in it is to be believed, or shown as it is. */
export interface TestCase {
  readonly name: string;
  readonly classname: string;
  /** The names of the suites that it is in, the outermost first. */
  readonly suites: readonly string[];
  /** Paths that its report names, the most exact first. */
  readonly files: readonly string[];
  /** The line in the first of them; empty if it names none. */
  readonly line: string;
  outcome: 'passed' | 'failed' | 'skipped';
  /** What is said in an attribute of what went wrong, in its text, and what the test printed. */
  message: string;
  text: string;
  output: string;
}

/** Why a report was not read, or not to its end, as part of a sentence. */
export class Unreadable extends Error {}

/** What is in the file is no report of tests. */
export class NoReport extends Unreadable {}

const maxDepth = 100;
const maxAttributes = 100;
/** The characters of a text or an attribute that are kept. */
const maxText = 10_000;

// Its own bound of 64 KiB refuses messages of some runners, which are in an attribute.
Object.assign(sax, { MAX_BUFFER_LENGTH: 512 * 1024 });

/** Tells of each test in a report. Throws `Unreadable`. Closes the file. */
export async function readJUnit(file: FileHandle, onCase: (test: TestCase) => void): Promise<void> {
  const parser = parserFor(onCase);
  let decoder: TextDecoder | undefined;
  for await (const chunk of file.createReadStream({ end: maxBytes - 1 })) {
    decoder ??= decoderFor(chunk);
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.close();
}

/** The encoding is that of its byte order mark or its declaration, and UTF-8 without either. */
function decoderFor(beginning: Buffer): TextDecoder {
  const marks = { fffe: 'utf-16le', feff: 'utf-16be', '3c00': 'utf-16le', '003c': 'utf-16be' };
  const [, marked] = Object.entries(marks).find(([mark]) => beginning.toString('hex', 0, 2) === mark) ?? [];
  const declared = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(
    beginning.toString('latin1', 0, 200),
  );
  const label = marked ?? declared?.[1] ?? 'utf-8';
  try {
    // A declaration that can be read byte by byte is not in UTF-16, whatever it says, as .NET lets it say.
    return new TextDecoder(marked === undefined && /^utf-?16/i.test(label) ? 'utf-8' : label);
  } catch {
    throw new Unreadable(`its encoding ${label} is not known`);
  }
}

/** Surefire's `flakyFailure` and `rerunFailure` are none: they tell of tries that do not count. */
const outcomes = new Map<string, TestCase['outcome']>([
  ['failure', 'failed'],
  ['error', 'failed'],
  ['skipped', 'skipped'],
]);

/** GoogleTest and CTest have no other word for tests that are switched off. */
const notRun = /^(?:notrun|disabled|skipped)$/i;

function parserFor(onCase: (test: TestCase) => void): sax.SAXParser {
  const options = { strictEntities: true, position: true };
  const parser = sax.parser(true, options);
  const open: string[] = [];
  const suites: { readonly name: string; readonly file: string }[] = [];
  let attributes = 0;
  let test: TestCase | undefined;
  let into: 'text' | 'output' | undefined;
  const keep = (text: string) => {
    if (test === undefined || into === undefined || open.length !== open.indexOf('testcase') + 2) return;
    test[into] += text.slice(0, maxText - test[into].length);
  };
  parser.onerror = ({ message }) => {
    throw new Unreadable(`it is no sound XML: ${message.split('\n', 1)[0]}`);
  };
  parser.ondoctype = (declared) => {
    if (declared.includes('[')) throw new Unreadable('it declares entities of its own');
  };
  parser.onopentagstart = () => {
    attributes = 0;
    if (open.length >= maxDepth) throw new Unreadable('its elements are nested too deeply');
  };
  parser.onattribute = ({ name }) => {
    attributes += 1;
    // At the next attribute, the parser would take its value for a function.
    if (name === 'hasOwnProperty') throw new Unreadable('an element has an attribute that no report has');
    if (attributes > maxAttributes) throw new Unreadable('an element has too many attributes');
  };
  parser.ontext = keep;
  parser.oncdata = keep;
  parser.onopentag = (tag) => {
    const own = Object.fromEntries(
      Object.entries(tag.attributes).map(([name, value]) => [name, String(value).slice(0, maxText)]),
    );
    const parent = open.at(-1);
    if (parent === undefined && !/^testsuites?$/.test(tag.name)) throw new NoReport('it is no JUnit report');
    open.push(tag.name);
    if (tag.name === 'testsuite') suites.push({ name: own['name'] ?? '', file: own['file'] ?? '' });
    if (tag.name === 'testcase' && test === undefined) test = caseOf(own, suites);
    if (test === undefined || parent !== 'testcase') return;
    const outcome = outcomes.get(tag.name);
    if (outcome === undefined) into = /^system-(?:out|err)$/.test(tag.name) ? 'output' : undefined;
    // A test can have several; what is said of the first failure is kept.
    else if (test.outcome === 'failed') into = undefined;
    else {
      into = 'text';
      Object.assign(test, { outcome, message: own['message'] ?? '', text: '' });
    }
  };
  parser.onclosetag = (name) => {
    open.pop();
    if (name === 'testsuite') suites.pop();
    if (open.at(-1) === 'testcase') into = undefined;
    if (name !== 'testcase' || test === undefined || open.includes('testcase')) return;
    onCase(test);
    test = undefined;
  };
  return parser;
}

function caseOf(
  own: Readonly<Record<string, string>>,
  suites: readonly { readonly name: string; readonly file: string }[],
): TestCase {
  const { name = '', classname = '', file, line = '', status = '' } = own;
  const names = suites.map((suite) => suite.name);
  const above = suites.map((suite) => suite.file).reverse();
  return {
    ...{ name, classname, suites: names, line },
    files: [file ?? '', ...above, classname, ...names.toReversed()].filter((each) => each !== ''),
    outcome: notRun.test(status) ? 'skipped' : 'passed',
    ...{ message: '', text: '', output: '' },
  };
}

/** What makes a test of a report readable and safe to show. */
interface Showing {
  readonly workspace: string;
  readonly isFile: (path: string) => Promise<boolean>;
  /** The workspace as the runner saw it. */
  readonly seenAs: string;
  /** The path of the report, in the workspace. */
  readonly report: string;
  readonly secrets: readonly string[];
}

const maxName = 300;
const maxMessage = 1000;
const maxPath = 500;

/** A test that failed, as people read it. */
export async function failureOf(test: TestCase, showing: Showing): Promise<TestFailure> {
  const clean = (text: string) => visible(redact(withEscapes(text), showing.secrets)).trim();
  const place = await placeOf(test, showing);
  const name = clean(nameOf(test, place?.path).slice(0, maxText)).replace(/\s+/g, ' ');
  // A name that would be shown as another is none that anybody could open.
  const isShown = (path: string) => path.length <= maxPath && clean(path) === path;
  const text = clean(test.text) || clean(test.output);
  const said = clean(test.message);
  return {
    name: shortened(name, maxName),
    message: shortened(saysNothing.test(said) ? withoutTrace(text) || said : said, maxMessage),
    ...(place !== undefined && isShown(place.path) && locationOf(place)),
  };
}

/** XML has no escape characters: pytest writes those of colours as `#x1B`. */
function withEscapes(text: string): string {
  return text.replaceAll('#x1B[', '\u001b[');
}

/** What go-junit-report, gotestsum and CTest say of every failure; most others say nothing. */
const saysNothing = /^(?:(?:test )?fail(?:ed|ure)?\.?)?$/i;

/** Lines of Go and PHPUnit that say only which test it is. */
const named = /^(?:(?:=== (?:RUN|PAUSE|CONT)|--- FAIL:) .*|[\w\\]+::\S+)\n?/gm;

/** Its first lines, up to where the functions that were called are listed. */
function withoutTrace(text: string): string {
  const [before = ''] = text.replace(named, '').split(/\n\s*(?:at |❯ )/, 1);
  return before.trim() || text;
}

/** node:test says `test` of every test, and others call all suites by one of these names. */
const anyClass = /^(?:|test|root suite|pytest|mocha tests|jest tests|jest|undefined)$/i;

/** The suite and the test. Many runners say a suite in the test's name as well; a file is shown apart. */
function nameOf({ name, classname, suites }: TestCase, file = ''): string {
  const inner = suites.filter((suite) => !anyClass.test(suite)).join(' › ');
  const suite = anyClass.test(classname) ? inner : classname;
  const isSaid = name.includes(suite) || `/${file}`.endsWith(`/${suite.replace(/^\.\//, '')}`);
  return isSaid ? name : `${suite} › ${name}`;
}

interface Place {
  readonly path: string;
  readonly line: number | undefined;
}

function locationOf({ path, line }: Place): { path: string; line?: number } {
  return line === undefined || line < 1 || line > lastLine ? { path } : { path, line };
}

/** GitHub accepts no larger one. */
const lastLine = 1_000_000;
const maxLineLength = 300;
const maxSpots = 30;
const maxFiles = 10;

/**
 * Where a test failed: the line of its file that its text names, else the line that the report names, else
 * the first place in the text that is a file of the repository.
 */
async function placeOf(test: TestCase, showing: Showing): Promise<Place | undefined> {
  const find = (path: string) =>
    firstOf(path.length > maxPath ? [] : candidates(path, test, showing), async (each) =>
      (await showing.isFile(each)) ? each : undefined,
    );
  const file = await firstOf(test.files.slice(0, maxFiles), find);
  const spots = [];
  for (const spot of spotsOf(test).slice(0, maxSpots)) {
    const path = await find(spot.path);
    if (path !== undefined) spots.push({ path, line: spot.line });
  }
  if (file === undefined) return spots[0];
  const own = spots.find(({ path }) => path === file);
  const said = /^\d+$/.test(test.line) ? Number(test.line) : undefined;
  return { path: file, line: own?.line ?? said };
}

async function firstOf(
  paths: readonly string[],
  find: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const path of paths) {
    const found = await find(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The JVM's lines name a class and the name of its file, without its folder. */
const jvm = /^\s*at (?:\S*\/)?(?<type>[\w.$]+)\.[\w$<>]+\((?<file>[\w$]+\.\w+):(?<line>\d+)\)$/;

function spotsOf({ text, output, message, classname }: TestCase) {
  const lines = visible(withEscapes(`${text}\n${message}\n${output}`)).split('\n');
  return lines.flatMap((line) => {
    if (line.length > maxLineLength) return [];
    const { type, file, line: number } = jvm.exec(line)?.groups ?? {};
    if (type === undefined || file === undefined) return spotIn(line) ?? [];
    // Of the functions that were called, the one of the test is meant, and not those of its library.
    if (type.split('$', 1)[0] !== classname.split('$', 1)[0]) return [];
    return { path: [...type.split('.').slice(0, -1), file].join('/'), line: Number(number) };
  });
}

/** Where sources are, in the folder of a module. */
const roots = ['', 'src/test/java', 'src/test/kotlin', 'src/test/groovy', 'src/test/scala', 'test', 'tests'];

/** What a path may mean: programs name it from where they ran, which is some folder above their report. */
function candidates(path: string, { classname }: TestCase, { workspace, seenAs, report }: Showing) {
  const given = path.replace(/^file:\/\//, '');
  const start = [seenAs, workspace].find((folder) => given.startsWith(`${folder}/`));
  const own = repositoryPath(start === undefined ? given : given.slice(start.length + 1), []);
  if (own === undefined) return [];
  if (start !== undefined) return [own];
  // Of Go, a line names a file without its folder, which is the end of its package's name.
  const packages = own.includes('/') ? [] : endsOf(classname).map((folder) => `${folder}/${own}`);
  const above = report.split('/').map((_, index, names) => names.slice(0, -1 - index).join('/'));
  const below = above.flatMap((folder) => roots.map((root) => posix.join(folder, root, own)));
  return [...packages, ...below];
}

function endsOf(name: string): readonly string[] {
  const parts = name.split('/').slice(-8);
  return parts.map((_, index) => parts.slice(index).join('/'));
}
