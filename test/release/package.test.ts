import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { installableNames } from '../../src/profiles/index.ts';
import { sources } from './sources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = z
  .object({
    version: z.string(),
    private: z.undefined().optional(),
    workspaces: z.array(z.string()),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
    scripts: z.object({ serve: z.string() }),
  })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** The paths that npm would publish of these files, without building or installing anything. */
function packed(files: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-pack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '\n');
  }
  for (const path of ['package.json', 'packages/forge/package.json', '.gitignore'])
    copyFileSync(join(root, path), join(folder, path));
  const options: ExecFileSyncOptionsWithStringEncoding = {
    ...{ cwd: folder, encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  };
  const printed = execFileSync(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'],
    options,
  );
  const [one] = z
    .array(z.object({ files: z.array(z.object({ path: z.string() })) }))
    .parse(JSON.parse(printed));
  return (one?.files ?? []).map(({ path }) => path).sort();
}

/** What agents are installed from. */
const lockedAgents = installableNames.flatMap((name) => [
  `agents/${name}/package-lock.json`,
  `agents/${name}/package.json`,
]);

test('of everything in a checkout after a build, only the command line and what it reads are published', () => {
  const built = ['cli/coxswain.js', 'cli/probot.js', 'cli/probot-1.js', 'action/index.js', 'bench/bench.js'];
  const private_ = ['.env', 'coxswain.pem', 'coverage/index.html', '.build/x'];
  const files = [...sources, ...built.map((path) => `dist/${path}`), ...private_];
  expect(packed(files)).toEqual([
    'LICENSE',
    'README.md',
    ...lockedAgents,
    'app.yml',
    'dist/cli/coxswain.js',
    'dist/cli/probot-1.js',
    'dist/cli/probot.js',
    'package.json',
  ]);
});

test('what is published needs no package of this repository, but all that these need', () => {
  const own = Object.keys(manifest.dependencies).filter((name) => name.startsWith('@coxswain/'));
  expect(own).toEqual([]);
  expect(manifest.workspaces).toEqual(['packages/*']);
  const forge = z
    .object({ private: z.literal(true), version: z.string(), dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, 'packages/forge/package.json'), 'utf8')));
  expect(manifest.dependencies).toMatchObject(forge.dependencies);
  expect(manifest.devDependencies['@coxswain/forge']).toBe(forge.version);
});

test('the example and the documents name the major version of the package', () => {
  const [major] = manifest.version.split('.');
  const paths = sources.filter((path) => /\.(?:yml|md)$/.test(path) && !path.startsWith('test/fixtures/'));
  const used = paths.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/your-name\/coxswain@([\w.]+)/g)].map(([, tag]) => ({
      path,
      tag,
    })),
  );
  expect(used.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['examples/coxswain.yml', 'docs/action.md']),
  );
  expect(used.filter(({ tag }) => tag !== `v${major}`)).toEqual([]);
});

test('`npm run serve` prints what the App logs, and nothing of the build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    'package.json': JSON.stringify({ type: 'module', scripts: { serve: manifest.scripts.serve } }),
    'package-lock.json': '',
    'scripts/start.mjs': readFileSync(join(root, 'scripts/start.mjs')),
    'node_modules/.package-lock.json': '',
    'node_modules/rolldown/bin/cli.mjs': 'console.log("built"); console.error("a warning");',
    'dist/cli/program.js': 'export const runCommand = async (argv) => void console.log(argv.join());',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', 'serve', '--', '--help'], options);
  expect({ stdout, stderr }).toEqual({ stdout: 'serve,--help\n', stderr: '' });
});
