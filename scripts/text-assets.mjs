import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * A plugin for Rolldown and Vite. It makes strings of what a server sends to browsers, or runs elsewhere:
 * `./page.css?text` is the text of that file, `./main.ts?bundle` a minified script for browsers with all it
 * imports, `./main.ts?program` the same for Node.js, as CommonJS, which starts faster.
 */
export function textAssets() {
  return {
    name: 'text-assets',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\?(?:text|bundle|program)$/ },
      handler(source, importer = '') {
        const [path = '', kind] = source.split('?');
        // Named as a script, since Vite takes every id that ends in `.css` for a style sheet.
        return `\0${kind}:${resolve(dirname(importer), path)}.js`;
      },
    },
    load: {
      filter: { id: /^\0(?:text|bundle|program):/ },
      async handler(id) {
        const [, kind, path] = /^\0(text|bundle|program):(.*)\.js$/s.exec(id);
        if (kind === 'text') this.addWatchFile(path);
        const content = kind === 'text' ? await readFile(path, 'utf8') : await bundle(path, targets[kind]);
        const name = kind === 'text' ? 'text' : 'script';
        return { code: `export const ${name} = ${JSON.stringify(content)};`, moduleType: 'js' };
      },
    },
  };
}

const targets = {
  bundle: { platform: 'browser', target: 'es2022', format: 'iife' },
  program: { platform: 'node', target: 'node20', format: 'cjs' },
};

const alias = {
  '@modelcontextprotocol/server/_shims': fileURLToPath(new URL('./mcp-shims.mjs', import.meta.url)),
};

async function bundle(input, { platform, target, format }) {
  const build = await rolldown({
    input,
    platform,
    tsconfig: false,
    resolve: { alias },
    transform: { target },
  });
  const { output } = await build.generate({ format, minify: true });
  await build.close();
  return output[0].code;
}
