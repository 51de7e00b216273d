import { posix } from 'node:path';
import type { TestFailure } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import { redact } from '../../text/redact.ts';
import { repositoryPath, spotIn } from '../../text/spots.ts';
import { visible } from '../../text/visible.ts';
import { maxText, type TestCase } from './junit.ts';

/** What makes a test of a report readable and safe to show. */
export interface Showing {
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

/** Of node:test, which says it of every test; of others, whose suites are all called so. */
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

/** Of the JVM, a line names a class and the name of its file, without its folder. */
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
