// Installs a packed Coxswain into an empty folder, as its users do, and tries what it offers.
// Usage: node scripts/try-package.mjs <coxswain-1.2.3.tgz>
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [tarball] = process.argv.slice(2);
if (!tarball) throw new Error('usage: node scripts/try-package.mjs <path of the tarball>');
const cwd = mkdtempSync(join(tmpdir(), 'coxswain-package-'));
const run = (file, ...args) =>
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

try {
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', 'install', '--no-audit', '--no-fund', resolve(tarball));
  const bin = join(cwd, 'node_modules', '.bin', 'coxswain');
  console.log(`version: ${run(bin, '--version').trim()}`);
  const { requests } = JSON.parse(run(bin, 'demo', '--headless', '--json'));
  console.log(`demo: ${requests.total} requests`);
  const script = "const { coxswain } = await import('coxswain'); console.log(typeof coxswain)";
  const entry = run(process.execPath, '--input-type=module', '--eval', script).trim();
  if (entry !== 'function') throw new Error(`the entry for Probot is ${entry}: expected a function`);
  if (existsSync(join(cwd, 'node_modules', '@coxswain'))) throw new Error('a package of ours was installed');
  console.log('entry for Probot: a function');
} finally {
  rmSync(cwd, { recursive: true, force: true });
}
