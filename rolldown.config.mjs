import { defineConfig } from 'rolldown';

const node = { platform: 'node' };

/** The Action is one file without node_modules; the command line keeps its packages outside. */
export default defineConfig([
  {
    ...node,
    input: { coxswain: 'src/cli/coxswain.ts', demo: 'src/cli/demo/demo.ts' },
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    output: { dir: 'dist/cli', format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  },
  {
    ...node,
    input: 'src/action/index.ts',
    output: { file: 'dist/action/index.js', format: 'esm', codeSplitting: false, minify: true },
  },
]);
