import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { textAssets } from './scripts/text-assets.mjs';
import { usedEndpoints } from './scripts/used-endpoints.mjs';

const node = { platform: 'node', tsconfig: false };

/** Packages of the registry stay outside; our own files and our own packages, which are TypeScript, do not. */
const external = (id) => !/^(?:[./\0]|@coxswain\/)/.test(id);

/** npx runs the file itself. */
const executable = (name) => ({
  name: 'executable',
  writeBundle: ({ dir }) => chmodSync(join(dir, name), 0o755),
});

/** The Action has its packages in it, since it runs without node_modules; the command line keeps them outside. */
export default defineConfig([
  {
    ...node,
    input: { coxswain: 'src/cli/coxswain.ts', program: 'src/cli/program.ts', probot: 'src/app/probot.ts' },
    external,
    plugins: [textAssets(), executable('coxswain.js')],
    output: {
      dir: 'dist/cli',
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  },
  {
    ...node,
    input: 'src/action/index.ts',
    plugins: [textAssets(), usedEndpoints()],
    resolve: { alias: { debug: fileURLToPath(new URL('scripts/debug-by-node.mjs', import.meta.url)) } },
    // Of the Actions toolkit we use inputs, outputs and the summary: its HTTP clients (0.4 MB) stay outside.
    treeshake: {
      moduleSideEffects: [{ test: /node_modules\/(@actions|undici|tunnel)\//, sideEffects: false }],
      propertyReadSideEffects: false,
    },
    // Every job reads `index.js` and what it imports; the agents' part is a file that only attempts load.
    output: {
      dir: 'dist/action',
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      minify: true,
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  },
  {
    ...node,
    input: { bench: 'bench/bench.ts', parts: 'bench/parts.ts' },
    external,
    plugins: [textAssets()],
    output: {
      dir: 'dist/bench',
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
    },
  },
]);
