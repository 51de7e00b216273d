import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Changes the sources of each folder in small ways, one at a time, and tells which changes no test notices.
 * `--mutate <files>` (separated by commas) changes only those; anything else is passed on to Stryker.
 */

const folders = ['steering', 'ledger'];

const given = process.argv.slice(2);
const at = given.indexOf('--mutate');
const named = at < 0 ? [] : (given[at + 1] ?? '').split(',');
const rest = at < 0 ? given : given.toSpliced(at, 2);

const stryker = fileURLToPath(
  new URL('../node_modules/@stryker-mutator/core/bin/stryker.js', import.meta.url),
);
const statuses = folders.map((folder) => {
  const files = named.filter((file) => file.startsWith(`src/${folder}/`));
  if (at >= 0 && files.length === 0) return 0;
  const only = at < 0 ? [] : ['--mutate', files.join(',')];
  const env = { ...process.env, COXSWAIN_MUTATED: folder };
  const args = [stryker, 'run', 'stryker.config.mjs', ...only, ...rest];
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
});
process.exitCode = Math.max(...statuses);
