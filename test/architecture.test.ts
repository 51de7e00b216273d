import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** The folders' promises and the size of our code, measured on the text of every file. */

const root = fileURLToPath(new URL('..', import.meta.url));

interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly lines: readonly string[];
  readonly imports: readonly Import[];
}

interface Import {
  /** A path relative to the repository for one of our files, else the package or `node:` module. */
  readonly from: string;
  readonly ours: boolean;
  /** Leaves nothing behind when types are stripped. */
  readonly typesOnly: boolean;
}

/** What a folder may import: `steering types` allows `import type` only. */
interface Promised {
  readonly ours: readonly string[];
  readonly packages: readonly RegExp[];
}

const node = /^node:/;
const everything = /./;
const belowDoors = ['steering', 'config', 'gates', 'git', 'ledger', 'github', 'agent', 'runs'];

/** `runs` is what the three doors share. */
const promised: Readonly<Record<string, Promised>> = {
  steering: { ours: [], packages: [] },
  // An approval is bound to the configuration's digest, which is a hash.
  config: { ours: ['steering types'], packages: [/^js-yaml$/, /^leven$/, /^zod$/, /^node:crypto$/] },
  gates: { ours: ['steering types'], packages: [/^picomatch$/] },
  // Starts programs and ends them, with everything they started.
  process: { ours: [], packages: [/^node:child_process$/] },
  git: { ours: ['steering types', 'process'], packages: [node, /^p-retry$/, /^simple-git$/] },
  ledger: { ours: ['steering types', 'git'], packages: [node] },
  github: {
    ours: ['steering', 'config'],
    packages: [node, /^@octokit\//, /^mdast/, /^micromark/, /^zod$/, /^diff2html$/],
  },
  agent: {
    // Prompts are built from the state, by the same pure functions that the machine uses.
    ours: ['steering', 'gates', 'git', 'process'],
    packages: [node, /^@agentclientprotocol\//, /^zod$/, /^js-yaml$/],
  },
  runs: { ours: belowDoors, packages: [everything] },
  http: { ours: [], packages: [node] },
  page: { ours: ['steering', 'config', 'git', 'ledger', 'github', 'runs', 'http'], packages: [everything] },
  app: { ours: [...belowDoors, 'http', 'page'], packages: [everything] },
  action: { ours: belowDoors, packages: [everything] },
  // `coxswain serve` and the demo are the App, started from a terminal.
  cli: { ours: [...belowDoors, 'forge', 'app'], packages: [everything] },
  // A package of its own, `packages/forge`.
  forge: { ours: [], packages: [everything] },
};

const sources = [...filesBelow('src'), ...filesBelow('packages')].map(read);
const tests = filesBelow('test').map(read);

describe('the folders keep their promises', () => {
  test('every folder has made one', () => {
    const folders = [...new Set(sources.map(({ path }) => folderOf(path)))];
    expect(folders.filter((folder) => promised[folder] === undefined)).toEqual([]);
  });

  test.each(Object.keys(promised))('%s imports what it may, and nothing else', (folder) => {
    const own = sources.filter(({ path }) => folderOf(path) === folder);
    expect(
      own.flatMap((file) => file.imports.filter((one) => !mayImport(folder, one)).map(said(file))),
    ).toEqual([]);
  });

  test('of the product, only the demo imports the forge', () => {
    const importers = sources.filter(({ imports }) => imports.some(({ from }) => folderOf(from) === 'forge'));
    const others = importers.map(({ path }) => path).filter((path) => folderOf(path) !== 'forge');
    expect(others.filter((path) => !path.startsWith('src/cli/demo/'))).toEqual([]);
  });

  test('every package that is imported is one its own package.json names', () => {
    const { devDependencies = {} } = manifestOf('package.json');
    const known = (file: SourceFile, one: Import) => {
      const name = packageOf(one.from);
      const typesName = `@types/${name}`;
      return (
        name in manifestFor(file.path).dependencies ||
        (one.typesOnly && (name in devDependencies || typesName in devDependencies))
      );
    };
    const foreign = (one: Import) => !one.ours && !node.test(one.from);
    const unknown = sources.flatMap((file) =>
      file.imports.filter((one) => foreign(one) && !known(file, one)).map(said(file)),
    );
    expect(unknown).toEqual([]);
  });

  test('nothing imports in a circle', () => {
    expect(circles(sources)).toEqual([]);
  });
});

describe('steering decides from what it is given', () => {
  const steering = sources.filter(({ path }) => folderOf(path) === 'steering');
  const outside = [
    /\bDate\.now\b/,
    /\bnew Date\(\)/,
    /\bMath\.random\b/,
    /\bset(?:Timeout|Interval|Immediate)\b/,
    /\b(?:process|performance|console|crypto)\./,
    /\bglobalThis\b/,
  ];
  const waiting = /\basync\b|\bawait\b|\bPromise\b|\bqueueMicrotask\b/;

  test('it knows no clock, no chance and no environment', () => {
    expect(steering.flatMap((file) => outside.flatMap((one) => linesWith(file, one)))).toEqual([]);
  });

  test('it waits for nothing, but in the loop; its ports only name what is waited for', () => {
    const pure = steering.filter(({ path }) => !/steering\/(steer|ports)\.ts$/.test(path));
    expect(pure.flatMap((file) => linesWith(file, waiting))).toEqual([]);
    const ports = steering.filter(({ path }) => path.endsWith('/ports.ts'));
    expect(ports.flatMap((file) => linesWith(file, /\basync\b|\bawait\b|\bnew Promise\b/))).toEqual([]);
  });
});

describe('the environment is read at the edge', () => {
  const readers = sources.filter((file) => linesWith(file, /\bprocess\.env\b/).length > 0);
  const readersIn = (folder: string) =>
    readers.map(({ path }) => path).filter((path) => folderOf(path) === folder);

  test.each(['app', 'action', 'cli'])('by one file of src/%s at most', (door) => {
    expect(readersIn(door).slice(1)).toEqual([]);
  });

  // Those who run programs pass on where programs are found.
  test.each(['config', 'gates', 'ledger', 'github', 'runs', 'page'])('never by src/%s', (folder) => {
    expect(readersIn(folder)).toEqual([]);
  });
});

/** A line without what stands in quotes: a sentence is not made clearer by cutting it in two. */
function withoutTexts(line: string): string {
  return line.replace(/'[^']*'|"[^"]*"|`[^`]*`?/g, '');
}

describe('everything stays small', () => {
  test('a file has at most 250 lines, a test file 400', () => {
    const long = (most: number) => (file: SourceFile) => (file.lines.length > most ? [length(file)] : []);
    expect([...sources.flatMap(long(250)), ...tests.flatMap(long(400))]).toEqual([]);
  });

  test('a function has at most 50 lines', () => {
    expect([...sources, ...tests].flatMap(longFunctions)).toEqual([]);
  });

  test('a line has at most 110 characters, sentences for people aside', () => {
    const long = ({ path, lines }: SourceFile) =>
      codeLines(lines).flatMap((index) =>
        withoutTexts(lines[index] ?? '').length > 110 ? [`${path}:${index + 1}`] : [],
      );
    // Tests hold snapshots of what people are told, line for line.
    expect(sources.flatMap(long)).toEqual([]);
  });
});

function mayImport(folder: string, one: Import): boolean {
  const { ours, packages } = promised[folder] ?? { ours: [], packages: [] };
  if (!one.ours) return packages.some((pattern) => pattern.test(one.from));
  const target = folderOf(one.from);
  if (target === folder || ours.includes(target)) return true;
  return one.typesOnly && ours.includes(`${target} types`);
}

/** Every shortest way from a file back to itself; imports of types alone leave no circle at run time. */
function circles(files: readonly SourceFile[]): readonly string[] {
  const next = new Map(files.map(({ path, imports }) => [path, lasting(imports)]));
  const found = new Set<string>();
  for (const start of next.keys()) {
    const way = wayBack(start, next);
    if (way !== undefined) found.add([...way].sort().join(' '));
  }
  return [...found];
}

function lasting(imports: readonly Import[]): readonly string[] {
  return imports.filter(({ ours, typesOnly }) => ours && !typesOnly).map(({ from }) => from);
}

function wayBack(start: string, next: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const seen = new Set<string>();
  const ways: (readonly string[])[] = [[start]];
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const path of next.get(way.at(-1) ?? '') ?? []) {
      if (path === start) return way;
      if (!seen.has(path)) ways.push([...way, path]);
      seen.add(path);
    }
  }
  return undefined;
}

/** Biome formats our code, so a function ends with the first closing brace at the indentation of its head. */
function longFunctions(file: SourceFile): readonly string[] {
  return file.lines.flatMap((line, index) => {
    if (!isFunctionHead(line) || isGroup(file.lines, index)) return [];
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const end = file.lines.findIndex((other, at) => at > index && other.startsWith(`${indent}}`));
    const size = codeLines(file.lines.slice(index, end + 1)).length;
    return size > 50 ? [`${file.path}:${index + 1} has ${size} lines`] : [];
  });
}

/** The places of all lines but those inside a template: a recorded snapshot, above all, is data. */
function codeLines(lines: readonly string[]): readonly number[] {
  let quoted = false;
  return lines.flatMap((line, index) => {
    const place = quoted ? [] : [index];
    if ((line.match(/(?<!\\)`/g) ?? []).length % 2 === 1) quoted = !quoted;
    return place;
  });
}

function isFunctionHead(line: string): boolean {
  return /\bfunction\b.*[({]$|=>\s*\{$|^\s+(?:async |static |get |set |#)*[\w#]+\(.*\).*\{$/.test(line);
}

/** A group of tests is a list, not a function to be read in one go; a long title stands above its body. */
function isGroup(lines: readonly string[], index: number): boolean {
  const body = lines[index] ?? '';
  if (/^\s*describe\b/.test(body)) return true;
  return /^\s*\(\) => \{$/.test(body) && lines.slice(Math.max(index - 3, 0), index).some(opensGroup);
}

function opensGroup(line: string): boolean {
  return /^\s*describe\b.*\($/.test(line);
}

function linesWith({ path, lines }: SourceFile, pattern: RegExp): readonly string[] {
  return lines.flatMap((line, index) =>
    pattern.test(withoutComment(line)) ? [`${path}:${index + 1} ${line.trim()}`] : [],
  );
}

function withoutComment(line: string): string {
  return /^\s*(?:\/?\*|\/\/)/.test(line) ? '' : line.replace(/\s\/\/.*$/, '');
}

function said({ path }: SourceFile): (one: Import) => string {
  return ({ from, typesOnly }) => `${path} imports ${from}${typesOnly ? ' (types)' : ''}`;
}

function length({ path, lines }: SourceFile): string {
  return `${path} has ${lines.length} lines`;
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function packageOf(module: string): string {
  return module.split('/', module.startsWith('@') ? 2 : 1).join('/');
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestFor(path: string): Manifest {
  const folder = /^packages\/[^/]+\//.exec(path)?.[0] ?? '';
  return manifestOf(`${folder}package.json`);
}

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.includes('.generated.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('test/fixtures/'))
    .sort();
}

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, lines: text.replace(/\n$/, '').split('\n'), imports: importsIn(text, path) };
}

/** Static, re-exporting, bare and dynamic imports. */
function importsIn(text: string, path: string): readonly Import[] {
  const statements = text.matchAll(/^(import|export)\b([^;'"]*?)\bfrom '([^']+)'|^import '([^']+)'/gm);
  const dynamic = text.matchAll(/\bimport\('([^']+)'\)/g);
  const named = [...statements].map(([, , what = '', from = '', bare = '']) => ({
    module: from === '' ? bare : from,
    typesOnly: isOfTypes(what),
  }));
  const called = [...dynamic].map(([, module = '']) => ({ module, typesOnly: false }));
  return [...named, ...called].map(({ module, typesOnly }) => {
    const own = ownFile(module, path);
    return { from: own ?? module, ours: own !== undefined, typesOnly };
  });
}

/** The file that is meant, where it is one of ours or the entry of one of our packages. */
function ownFile(module: string, path: string): string | undefined {
  if (module.startsWith('.')) return join(dirname(path), module).replaceAll('\\', '/');
  const name = /^@coxswain\/(.+)$/.exec(module)?.[1];
  return name && `packages/${name}/src/index.ts`;
}

/** `import type …`, or braces in which every name is a type. */
function isOfTypes(what: string): boolean {
  if (/^\s+type\b/.test(what)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/.exec(what)?.[1];
  return names?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) ?? false;
}
