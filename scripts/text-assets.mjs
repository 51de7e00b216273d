import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * A plugin for Rolldown and Vite. It makes strings of what a server sends to browsers:
 * `./page.css?text` is the text of that file, `./main.ts?bundle` a minified script with all it imports.
 */
export function textAssets() {
  return {
    name: 'text-assets',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\?(?:text|bundle)$/ },
      handler(source, importer = '') {
        const [path = '', kind] = source.split('?');
        // Named as a script, since Vite takes every id that ends in `.css` for a style sheet.
        return `\0${kind}:${resolve(dirname(importer), path)}.js`;
      },
    },
    load: {
      filter: { id: /^\0(?:text|bundle):/ },
      async handler(id) {
        const [, kind, path] = /^\0(text|bundle):(.*)\.js$/s.exec(id);
        if (kind === 'text') this.addWatchFile(path);
        const content = kind === 'text' ? await readFile(path, 'utf8') : await bundle(path);
        const name = kind === 'text' ? 'text' : 'script';
        return { code: `export const ${name} = ${JSON.stringify(content)};`, moduleType: 'js' };
      },
    },
  };
}

async function bundle(input) {
  const build = await rolldown({
    input,
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2022' },
  });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  return output[0].code;
}
