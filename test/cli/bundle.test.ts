import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

/** The command line as `npm run build` builds it. */
let chunks: readonly OutputChunk[];
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-cli-'));
  chunks = await buildCommandLine();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { dependencies } = packageJson;
const forge = /\/packages\/forge\//;

test('npx can run the command line after every build', () => {
  expect(statSync(join(folder, 'coxswain.js')).mode & 0o111).toBe(0o111);
});

test('only the demo loads the forge and GraphQL', () => {
  const program = readFileSync(new URL('../../src/cli/program.ts', import.meta.url), 'utf8');
  expect(commandChunks().length).toBe(new Set(program.match(/\bimport\('[^']+'\)/g)).size);
  const others = commandChunks().filter(({ name }) => name !== 'demo');
  const loaded = others.flatMap(({ fileName }) => loadedBy(fileName));
  expect(loaded.flatMap(({ moduleIds }) => moduleIds.filter((id) => forge.test(id)))).toEqual([]);
  expect(loaded.flatMap(({ imports }) => imports)).not.toContain('graphql');
});

test('help and version start at once, because they load no command', () => {
  const loaded = [...new Set(['coxswain.js', 'program.js'].flatMap((entry) => loadedBy(entry)))];
  const packages = loaded.flatMap(({ imports }) => imports.filter((name) => !isOurs(name)));
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(['commander']);
  expect(loaded.reduce((sum, { code }) => sum + code.length, 0)).toBeLessThan(30_000);
});

test('the demo contains the compiled forge, because Node cannot load its TypeScript', () => {
  const holding = chunks.filter(({ moduleIds }) => moduleIds.some((id) => forge.test(id)));
  expect(holding).not.toEqual([]);
  const asked = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  expect(asked.filter((name) => name.startsWith('@coxswain/'))).toEqual([]);
});

test('every package that a chunk imports is installed with the command line', () => {
  const own = new Set(chunks.map(({ fileName }) => fileName));
  const asked = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const packages = asked
    .filter((name) => !own.has(name) && !name.startsWith('node:'))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  expect(packages).toContain('micromark');
  expect(packages.filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
});

async function buildCommandLine(): Promise<readonly OutputChunk[]> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const loaded = [await loadConfig(join(cwd, 'rolldown.config.mjs'))].flat();
  const configs = loaded.filter((one) => typeof one === 'object');
  const config = configs.find(({ output }) => [output].flat().some((one) => one?.dir === 'dist/cli'));
  if (config === undefined) throw new Error('nothing builds dist/cli');
  const { output, ...input } = config;
  const build = await rolldown({ ...input, cwd });
  const { output: made } = await build.write({ ...[output].flat()[0], dir: folder });
  await build.close();
  return made.filter((one) => one.type === 'chunk');
}

/** What `program.ts` loads on demand. */
function commandChunks(): readonly OutputChunk[] {
  const program = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/src/cli/program.ts')));
  return chunks.filter(({ fileName }) => program?.dynamicImports.includes(fileName));
}

function isOurs(fileName: string): boolean {
  return chunks.some((one) => one.fileName === fileName);
}

/** The file and everything that it imports statically, directly or indirectly. */
function loadedBy(fileName: string, seen = new Set<string>()): readonly OutputChunk[] {
  const chunk = chunks.find((one) => one.fileName === fileName);
  if (chunk === undefined || seen.has(fileName)) return [];
  seen.add(fileName);
  return [chunk, ...chunk.imports.flatMap((name) => loadedBy(name, seen))];
}
