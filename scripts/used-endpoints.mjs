import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const table = /plugin-rest-endpoint-methods[\\/]dist-src[\\/]generated[\\/]endpoints\.js$/;
const source = fileURLToPath(new URL('../src', import.meta.url));

/**
 * A plugin for Rolldown. Octokit has a table of all requests that GitHub knows, 80 kB of which we use a twentieth;
 * this keeps the methods whose names occur in our source as words: more than are called, but never less.
 */
export function usedEndpoints() {
  return {
    name: 'used-endpoints',
    load: {
      filter: { id: table },
      async handler(id) {
        const { default: all } = await import(id);
        const words = new Set((await textOf(source)).match(/\w+/g));
        const used = Object.entries(all).map(([scope, methods]) => {
          const kept = Object.entries(methods).filter(([method]) => words.has(scope) && words.has(method));
          return [scope, Object.fromEntries(kept)];
        });
        const kept = used.filter(([, methods]) => Object.keys(methods).length > 0);
        return `export default ${JSON.stringify(Object.fromEntries(kept))};`;
      },
    },
  };
}

async function textOf(folder) {
  const entries = await readdir(folder, { recursive: true });
  const files = entries.filter((path) => path.endsWith('.ts'));
  const texts = await Promise.all(files.map((path) => readFile(join(folder, path), 'utf8')));
  return texts.join('\n');
}
