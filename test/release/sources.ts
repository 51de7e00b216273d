import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const made = ['node_modules', 'dist', 'coverage', '.git', '.coxswain', '.env'];

/** The paths in a clone, or in an archive without Git's own folder, before anything is installed or built. */
export const sources = readdirSync(root, { withFileTypes: true })
  .filter(({ name }) => !made.includes(name))
  .flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name];
    return readdirSync(join(root, entry.name), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && !each.parentPath.includes('node_modules'))
      .map((each) => relative(root, join(each.parentPath, each.name)));
  });
