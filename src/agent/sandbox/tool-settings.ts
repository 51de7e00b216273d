import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Files in which tools keep tokens beside their programs, such as those of `npm config set --global`. */
const names = /^(?:\.?npmrc|\.netrc|pip\.(?:conf|ini)|settings(?:-security)?\.xml|credentials(?:\..*)?)$/;

/** Below these there are only the contents of packages. */
const contents = /^(?:lib\d*|share|include|src|doc|docs|man|node_modules|site-packages|\.git|test|tests)$/;

/** From the folder of a manager to the settings of one version, as in `tools/image/node/24.0.0/etc/npmrc`. */
const deepest = 5;

/** The settings of tools in a folder with toolchains that can have credentials. */
export function toolSettingsIn(folder: string, depth = deepest): readonly string[] {
  const entries = entriesOf(folder);
  const found = entries.filter((entry) => !entry.isDirectory() && names.test(entry.name));
  const inner =
    depth === 0 ? [] : entries.filter((entry) => entry.isDirectory() && !contents.test(entry.name));
  return [
    ...found
      .map(({ name }) => join(folder, name))
      .filter(existsSync)
      .map((path) => realpathSync(path)),
    ...inner.flatMap(({ name }) => toolSettingsIn(join(folder, name), depth - 1)),
  ];
}

/** None of a file, or of a folder that we may not read: then its programs may be somebody else's too. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
