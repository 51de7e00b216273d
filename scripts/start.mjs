// `npm start` in a fresh clone: installs what is missing, builds, and runs the demo.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Coxswain needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const installed = join(root, 'node_modules', '.package-lock.json');
const lock = join(root, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  run('npm', ['ci', '--no-fund', '--no-audit']);
}
run(process.execPath, [join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs'), '-c', '--logLevel', 'warn']);

const { runDemo } = await import('../dist/cli/demo.js').catch((cause) => {
  throw new Error('the build left no dist/cli/demo.js', { cause });
});
process.exitCode = await runDemo(process.argv.slice(2));

/** Everything a step prints goes to stderr: stdout belongs to the demo, which may print one JSON document. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) throw new Error(`could not run ${command}`, { cause: error });
  if (status !== 0) process.exit(status ?? 1);
}
