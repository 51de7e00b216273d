import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

/**
 * What Biome's rules cannot say of our code. Which folder may import which, circles of imports, the sizes of
 * files and functions, undeclared packages and who reads the environment are rules in biome.json.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly lines: readonly string[];
}

const sources = [...filesBelow('src'), ...filesBelow('packages')].map(read);
const inFolder = (folder: string) => sources.filter(({ path }) => path.startsWith(`src/${folder}/`));

describe('biome.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-lint-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What the linter reports for a source file with this text. */
  function complaintsAbout(path: string, text: string): readonly string[] {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }));
    try {
      const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
      execFileSync(process.execPath, [biome, 'lint', '--reporter=json', file], {
        cwd: folder,
        stdio: 'pipe',
      });
      return [];
    } catch (failed) {
      const { stdout } = failed as { stdout: Buffer }; // what execFileSync throws when a program says no
      return [...String(stdout).matchAll(/"category":"(lint[^"]+)"/g)].map(([, rule = '']) => rule);
    }
  }

  test('has a rule for the imports of every folder', () => {
    const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    const ruled = overrides.flatMap(({ includes }: { includes: string[] }) => includes);
    const folders = [...new Set(sources.map(({ path }) => path.split('/').slice(0, 2).join('/')))];
    expect(folders.filter((each) => !ruled.includes(`${each}/**`))).toEqual([]);
  });

  test.each([
    ['src/steering/a.ts', "import { b } from '../ledger/b.ts';\nexport const a = b;\n"],
    ['src/steering/a.ts', "import { b } from 'node:fs';\nexport const a = b;\n"],
    ['src/ledger/a.ts', "import { b } from '../github/read/b.ts';\nexport const a = b;\n"],
    ['src/github/show/a.ts', "import { b } from '../../runs/b.ts';\nexport const a = b;\n"],
    ['src/network/a.ts', "import { b } from '../agent/b.ts';\nexport const a = b;\n"],
    ['src/github/show/a.ts', "import { b } from '../../network/b.ts';\nexport const a = b;\n"],
    ['src/cli/serve.ts', "import { b } from '@coxswain/forge';\nexport const a = b;\n"],
    ['src/cli/demo/a.ts', "import { b } from '../../page/b.ts';\nexport const a = b;\n"],
    ['src/html/a.ts', "import { b } from '../page/b.ts';\nexport const a = b;\n"],
    ['packages/forge/src/a.ts', "import { b } from '../../../src/text/b.ts';\nexport const a = b;\n"],
    ['src/app/a.ts', "import { b } from '@coxswain/forge';\nexport const a = b;\n"],
  ])('refuses in %s what it may not import', (path, text) => {
    expect(complaintsAbout(path, text)).toContain('lint/style/noRestrictedImports');
  });

  test('lets the demo import the forge', () => {
    const text = "import { b } from '@coxswain/forge';\nexport const a = b;\n";
    expect(complaintsAbout('src/cli/demo/a.ts', text)).not.toContain('lint/style/noRestrictedImports');
  });

  test('lets the forge import what writes HTML', () => {
    const text = "import { b } from '../../../src/html/b.ts';\nexport const a = b;\n";
    expect(complaintsAbout('packages/forge/src/a.ts', text)).not.toContain('lint/style/noRestrictedImports');
  });

  test('forbids reading the environment except where programs start', () => {
    const text = "export const a = process.env['A'];\n";
    expect(complaintsAbout('src/runs/a.ts', text)).toContain('lint/style/noProcessEnv');
    expect(complaintsAbout('src/action/inputs.ts', text)).not.toContain('lint/style/noProcessEnv');
  });
});

test.each(['config', 'gates', 'git', 'ledger', 'network'])(
  'src/%s imports only types from steering, and its tables of phases, rules, limits and events',
  (folder) => {
    const values =
      /^(?:import|export) (?!type\b)(?!\{(?:\s*type \w+,?)+\s*\}).*steering\/(?!(?:phases\/table|shapes\/(?:gate-rules|limits|question|announced-events))\.ts')/;
    expect(inFolder(folder).flatMap((file) => linesWith(file, values))).toEqual([]);
  },
);

describe('steering is pure', () => {
  const steering = inFolder('steering');
  const outside = [
    /\bDate\.now\b/,
    /\bnew Date\(\)/,
    /\bMath\.random\b/,
    /\bset(?:Timeout|Interval|Immediate)\b/,
    /\b(?:process|performance|console|crypto)\./,
    /\bglobalThis\b/,
  ];
  const waiting = /\basync\b|\bawait\b|\bPromise\b|\bqueueMicrotask\b/;

  test('it uses no clock, no random numbers and no environment', () => {
    expect(steering.flatMap((file) => outside.flatMap((one) => linesWith(file, one)))).toEqual([]);
  });

  test('it is synchronous except for the loop; its ports only declare promises', () => {
    const pure = steering.filter(({ path }) => !/steering\/(loop|state\/ports)\.ts$/.test(path));
    expect(pure.flatMap((file) => linesWith(file, waiting))).toEqual([]);
    const ports = steering.filter(({ path }) => path.endsWith('/ports.ts'));
    expect(ports.flatMap((file) => linesWith(file, /\basync\b|\bawait\b|\bnew Promise\b/))).toEqual([]);
  });
});

test('the folders of src import one way: none lies in a circle of folders', () => {
  const left = new Map<string, Set<string>>();
  for (const { path, lines } of filesBelow('src').map(read)) {
    const folder = dirname(path);
    const imported = [...lines.join('\n').matchAll(/(?:from |import\()'(\.[^'?]+)/g)].map(([, to = '']) =>
      dirname(join(folder, to)),
    );
    const others = imported.filter((other) => other !== folder);
    left.set(folder, new Set([...(left.get(folder) ?? []), ...others]));
  }
  // Whoever imports nothing that is left is in no circle.
  const isFree = ([, others]: [string, Set<string>]) => ![...others].some((other) => left.has(other));
  for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree))
    for (const [folder] of free) left.delete(folder);
  expect([...left.keys()]).toEqual([]);
});

test('a line has at most 110 characters, except for texts', () => {
  const long = ({ path, lines }: SourceFile) =>
    codeLines(lines).flatMap((index) =>
      withoutTexts(lines[index] ?? '').length > 110 ? [`${path}:${index + 1}`] : [],
    );
  expect(sources.flatMap(long)).toEqual([]);
});

/** A line without its quoted strings: splitting a sentence would not make it clearer. */
function withoutTexts(line: string): string {
  return line.replace(/'[^']*'|"[^"]*"|`[^`]*`?/g, '');
}

/** The locations of all lines except those inside a template string. */
function codeLines(lines: readonly string[]): readonly number[] {
  let quoted = false;
  return lines.flatMap((line, index) => {
    const place = quoted ? [] : [index];
    if ((line.match(/(?<!\\)`/g) ?? []).length % 2 === 1) quoted = !quoted;
    return place;
  });
}

function linesWith({ path, lines }: SourceFile, pattern: RegExp): readonly string[] {
  return lines.flatMap((line, index) =>
    pattern.test(withoutComment(line)) ? [`${path}:${index + 1} ${line.trim()}`] : [],
  );
}

function withoutComment(line: string): string {
  return /^\s*(?:\/?\*|\/\/)/.test(line) ? '' : line.replace(/\s\/\/.*$/, '');
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.includes('.generated.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('/node_modules/'))
    .sort();
}

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, lines: text.replace(/\n$/, '').split('\n') };
}
