/** Tries what a release is made of, as its users do. Every wait has a limit. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The versions of Node.js on which the package has to work; GitHub runs the Action on one of them. */
export const nodes = ['20', '22', '24', '26'];
const nodeOfAction = '24';

const minute = 60_000;

/** The folder of the programs of a Node.js, which npm has as a package. */
function binOf(node, folder) {
  const prefix = join(folder, `node-${node}`);
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  if (!existsSync(prefix)) {
    mkdirSync(prefix);
    const options = ['--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    run('npm', ['install', ...options, `${name}@${node}`], { cwd: prefix, timeout: 5 * minute });
  }
  const [installed] = readdirSync(join(prefix, 'node_modules')).filter((each) => each.startsWith('node-'));
  return join(prefix, 'node_modules', installed ?? name, 'bin');
}

/** Installs the package into an empty folder with this Node.js, and runs what it offers. */
export function tryPackage(tarball, node, folder) {
  const cwd = mkdtempSync(join(tmpdir(), 'coxswain-package-'));
  const env = { ...process.env, PATH: `${binOf(node, folder)}${delimiter}${process.env['PATH']}` };
  const inFolder = (file, ...args) => run(file, args, { cwd, env, timeout: 10 * minute });
  try {
    writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }\n');
    const version = inFolder('node', '--version').trim();
    if (!version.startsWith(`v${node}.`)) throw new Error(`expected Node.js ${node}, found ${version}`);
    inFolder('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', tarball);
    const bin = join(cwd, 'node_modules', '.bin', 'coxswain');
    const own = inFolder(bin, '--version').trim();
    const { requests } = JSON.parse(inFolder(bin, 'demo', '--headless', '--json'));
    const script = "const { coxswain } = await import('coxswain'); console.log(typeof coxswain)";
    const entry = inFolder('node', '--input-type=module', '--eval', script).trim();
    if (entry !== 'function') throw new Error(`the entry for Probot is ${entry}: expected a function`);
    if (existsSync(join(cwd, 'node_modules', '@coxswain')))
      throw new Error('a package of ours was installed');
    return `Node.js ${version}: the package ${own} is installed, its demo took ${requests.total} requests`;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/**
 * Plays a session with the Action of a checkout that has nothing but a release's tag, on the Node.js that GitHub
 * runs it with.
 */
export function tryAction(checkout, folder, cwd) {
  const bin = binOf(nodeOfAction, folder);
  const env = {
    ...process.env,
    COXSWAIN_RELEASE: checkout,
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
  };
  const vitest = join(cwd, 'node_modules', 'vitest', 'vitest.mjs');
  const session = ['run', '--project', 'session', 'test/action/session.test.ts'];
  run('node', [vitest, ...session], { cwd, env, timeout: 15 * minute });
  return `Node.js ${nodeOfAction}: the tag alone ran a session as an Action`;
}

/** What a program prints; of one that fails, the end of all that it printed is in the error. */
export function run(file, args, { cwd, env = process.env, timeout }) {
  try {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const options = { cwd, env, timeout, encoding: 'utf8', stdio, killSignal: 'SIGKILL' };
    return execFileSync(file, args, { ...options, maxBuffer: 64 * 1024 * 1024 });
  } catch (fault) {
    const { code } = fault;
    const said = `${fault.stdout ?? ''}${fault.stderr ?? ''}`.trim().slice(-3000);
    const why = code === 'ETIMEDOUT' ? `has not ended within ${timeout / minute} minutes` : 'failed';
    throw new Error(`${[file, ...args].join(' ')} ${why}:\n${said}`, { cause: fault });
  }
}
