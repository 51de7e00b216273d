import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textAssets } from '../../scripts/text-assets.mjs';
import { type AppFixture, startAppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';

/**
 * Which of our files one `/steer` goes through, as V8 counts the functions that are called: docs/steer.md tells
 * of each, and they do not become more unseen.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** At most so many files before the comment is in the ledger, and in all. */
const ceilings = { untilRecorded: 63, inAll: 281 };

/** Every look writes down which functions were called since the last one. */
const lookAtSignal = `
const v8 = require('node:v8');
if (process.argv.includes('serve'))
  process.on('SIGUSR2', () => {
    v8.takeCoverage();
    process.stdout.write('{"level":30,"msg":"looked"}\\n');
  });
`;

let folder: string;
let fixture: AppFixture | undefined;
let untilRecorded: readonly string[];
let afterwards: readonly string[];

beforeAll(async () => {
  // Packages are found from here, and each of our files stays one.
  folder = mkdtempSync(join(root, 'node_modules', '.coxswain-trace-'));
  const program = await buildFiles(join(folder, 'built'));
  writeFileSync(join(folder, 'look.cjs'), lookAtSignal);
  let onPush: (() => void) | undefined;
  fixture = await startAppFixture({
    variables: {
      program,
      // Otherwise the machine's speed decides whether work in progress is drawn.
      COXSWAIN_RENDER_AFTER: '0',
      NODE_V8_COVERAGE: join(folder, 'coverage'),
      NODE_OPTIONS: `--require ${join(folder, 'look.cjs')}`,
    },
    onRequest: async (request, next) => {
      const answer = await next();
      if (request.kind === 'git' && request.method === 'POST' && request.path.endsWith('/git-receive-pack'))
        onPush?.();
      return answer;
    },
  });
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  await atRest(fixture);
  await look(fixture);
  const recorded = new Promise<void>((resolve) => {
    onPush = resolve;
  });
  await ada.says(pull, '/steer make it better');
  await recorded;
  await look(fixture);
  await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await atRest(fixture);
  await look(fixture);
  const [, first = [], second = []] = looksIn(join(folder, 'coverage'));
  untilRecorded = first;
  afterwards = second.filter((path) => !first.includes(path));
}, 240_000);

afterAll(async () => {
  await fixture?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Builds the command line with a file for each of ours. Returns the one to start. */
async function buildFiles(dir: string): Promise<string> {
  const bundle = await rolldown({
    ...{ cwd: root, input: 'src/cli/coxswain.ts', platform: 'node', tsconfig: false, logLevel: 'silent' },
    external: (id) => !/^(?:[./\0]|@coxswain\/)/.test(id),
    plugins: [textAssets()],
  });
  await bundle.write({ dir, format: 'esm', preserveModules: true, preserveModulesRoot: root });
  await bundle.close();
  return join(dir, 'src/cli/coxswain.js');
}

async function look({ app }: AppFixture): Promise<void> {
  const looks = () => app.output().split('"msg":"looked"').length;
  const before = looks();
  app.kill('SIGUSR2');
  await eventually('the App to have looked', () => (looks() > before ? true : undefined));
}

/** Whatever is deferred is written within seconds, and nothing more follows. */
async function atRest({ forge }: AppFixture): Promise<void> {
  const requests = () => forge.requests.git.length + forge.requests.api.length;
  let [last, since] = [requests(), performance.now()];
  await eventually('the App to be at rest', () => {
    const now = requests();
    if (now !== last) [last, since] = [now, performance.now()];
    return performance.now() - since > 5_000 ? true : undefined;
  });
}

interface Coverage {
  readonly timestamp: number;
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** The files of each look, oldest first, of which a function was called. */
function looksIn(dir: string): readonly (readonly string[])[] {
  const all = readdirSync(dir).map((name): Coverage => JSON.parse(readFileSync(join(dir, name), 'utf8')));
  const built = join(folder, 'built');
  // Programs that the App starts may write their own.
  const looks = all.filter(({ result }) => result.some(({ url }) => url.includes('/.coxswain-trace-')));
  return looks
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map(({ result }) => {
      const called = result.filter(({ functions }) => functions.some(isCalled));
      const paths = called
        .filter(({ url }) => url.startsWith('file:'))
        .map(({ url }) => relative(built, fileURLToPath(url)).replace(/\.js$/, '.ts'))
        .filter((path) => path.startsWith('src/') && existsSync(join(root, path)));
      return [...new Set(paths)].sort();
    });
}

/** A file itself is a function without a name that begins where the file does. */
function isCalled({
  functionName,
  ranges: [range],
}: Coverage['result'][number]['functions'][number]): boolean {
  if (range === undefined || range.count === 0) return false;
  return functionName !== '' || range.startOffset > 0;
}

describe('one /steer', () => {
  test('goes through the files that docs/steer.md names', () => {
    const page = readFileSync(join(root, 'docs/steer.md'), 'utf8');
    const [first = '', second = ''] = page.split('## Afterwards');
    expect([...new Set(first.match(/(?<=\.\.\/)src\/[\w/-]+\.ts\b/g))].sort()).toEqual(untilRecorded);
    expect(filesIn(second)).toEqual(afterwards);
  });

  test('does not go through more of them unseen', () => {
    expect(untilRecorded.length).toBeLessThanOrEqual(ceilings.untilRecorded);
    expect(untilRecorded.length + afterwards.length).toBeLessThanOrEqual(ceilings.inAll);
  });
});

/** The files of a table whose rows have a folder first and the names of its files last. */
function filesIn(table: string): readonly string[] {
  const rows = [...table.matchAll(/^\| `(src\/\w+)` \|.*\| (.*) \|$/gm)];
  return rows
    .flatMap(([, folder, names = '']) => names.split(' ').map((name) => `${folder}/${name.slice(1, -1)}.ts`))
    .sort();
}
