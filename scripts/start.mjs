// A command of `coxswain` in a fresh clone: installs what is missing, builds, and runs it.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// As in package.json: the bundler needs functions that Node.js 21 and 22.0 to 22.11 do not have.
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12)) {
  console.error(`Coxswain needs Node.js 20.19, or 22.12 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const installed = join(root, 'node_modules', '.package-lock.json');
const lock = join(root, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  run('npm', ['ci', '--no-fund', '--no-audit']);
}
build();

const { runCommand } = await import('../dist/cli/program.js');
process.exitCode = await runCommand(process.argv.slice(2));

function build() {
  const rolldown = join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [rolldown, '-c'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}\n`);
  process.exit(status ?? 1);
}

/** Everything a step prints goes to stderr: stdout belongs to the command, which may print one JSON document. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) throw new Error(`could not run ${command}`, { cause: error });
  if (status !== 0) process.exit(status ?? 1);
}
