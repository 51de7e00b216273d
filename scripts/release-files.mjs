/** The files of a release, of a commit that is built. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.mjs';
import { run } from './try-release.mjs';

const minute = 60_000;

/**
 * Makes the package, the Action, the notes, the list of all parts and their checksums in the folder `release`;
 * returns the path of the package, which names `repository`, the address that it was made in, if there is one.
 */
export function makeFiles(root, version, repository) {
  const made = join(root, 'release');
  const name = (suffix) => join(made, `coxswain-${suffix}`);
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  writeFileSync(join(made, 'NOTES.md'), `${notesOf(changelog, version)}\n`);
  pack(root, made, repository);
  const parts = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  writeFileSync(name(`${version}.cdx.json`), npm(root, 'sbom', ...parts, '--omit', 'dev'));
  const action = ['-czf', name(`action-${version}.tgz`), '-C', 'dist', 'action'];
  run('tar', action, { cwd: root, timeout: minute });
  const lines = readdirSync(made).map((each) => `${sha256(join(made, each))}  ${each}\n`);
  writeFileSync(join(made, 'SHA256SUMS'), lines.join(''));
  return name(`${version}.tgz`);
}

/** With its repository, without which npm takes no provenance; the manifest stays as it is. */
function pack(root, made, repository) {
  const manifest = join(root, 'package.json');
  const before = readFileSync(manifest, 'utf8');
  try {
    if (repository !== undefined)
      npm(root, 'pkg', 'set', 'repository.type=git', `repository.url=git+${repository}.git`);
    npm(root, 'pack', '--pack-destination', made);
  } finally {
    writeFileSync(manifest, before);
  }
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function npm(cwd, ...args) {
  return run('npm', args, { cwd, timeout: 3 * minute });
}
