import type { FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import sax from 'sax';
import { maxBytes } from './find-reports.ts';

/** A test, as its report has it. Nothing in it is to be believed, or shown as it is. */
export interface TestCase {
  readonly name: string;
  readonly classname: string;
  /** Of the suites that it is in, the outermost first. */
  readonly suites: readonly string[];
  /** Paths that its report names, the most exact first. */
  readonly files: readonly string[];
  /** Of the first of them; empty if it names none. */
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
export const maxText = 10_000;

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

/** By its byte order mark or its declaration; UTF-8 without either. */
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

/** Of GoogleTest and CTest, which have no other word for those that are switched off. */
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
