import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parts } from '../stryker.config.mjs';

/**
 * Changes the sources of each part in small ways, one at a time, and tells which changes no test notices.
 * `--mutate <files>` (separated by commas) changes only those; anything else is passed on to Stryker.
 */

const given = process.argv.slice(2);
const at = given.indexOf('--mutate');
const named = at < 0 ? [] : (given[at + 1] ?? '').split(',');
const rest = at < 0 ? given : given.toSpliced(at, 2);

const stryker = fileURLToPath(
  new URL('../node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url),
);
const statuses = Object.entries(parts).map(([part, patterns]) => {
  const files = named.filter((file) => isIn(file, patterns));
  if (at >= 0 && files.length === 0) return 0;
  const only = at < 0 ? [] : ['--mutate', files.join(',')];
  const env = { ...process.env, COXSWAIN_MUTATED: part };
  const args = [stryker, 'run', 'stryker.config.mjs', ...only, ...rest];
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
});
process.exitCode = Math.max(...statuses);

/** Whether the file is one of the part. */
function isIn(file, patterns) {
  if (patterns.includes(`!${file}`)) return false;
  return patterns.some(
    (each) => each === file || (each.endsWith('/**/*.ts') && file.startsWith(each.slice(0, -7))),
  );
}
