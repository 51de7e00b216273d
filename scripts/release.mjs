// Makes a release, and tries what it made: npm run release -- <version> [--publish]
// Everything happens in a temporary clone: a commit with the version, the changelog and what the documents say
// of it, the tag, the package, the Action, the notes and their checksums. Only with --publish does anything leave
// it: the commit and the tag are pushed, and .github/workflows/release.yml does the rest.
// That workflow calls `node scripts/release.mjs make <tag>`: it makes the files of the commit that is checked
// out and built, in the folder `release`, and tries them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commitVersion, git, identityIn, isVersion, releasable } from './release-commit.mjs';
import { makeFiles } from './release-files.mjs';
import { nodes, run, tryAction, tryPackage } from './try-release.mjs';

const minute = 60_000;
const usage = 'usage: npm run release -- <version> [--publish], with a version such as 1.2.3 or 1.2.3-rc.1';

try {
  const [first = '', second = ''] = process.argv.slice(2);
  if (first === 'make') make(process.cwd(), second.replace(/^v/, ''));
  else if (isVersion(first) && ['', '--publish'].includes(second)) release(first, second !== '');
  else throw new Error(usage);
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
}

function release(version, isPublished) {
  const root = git(process.cwd(), 'rev-parse', '--show-toplevel');
  // Without --publish it works offline as far as it can: what is known here suffices.
  const { branch, higher } = releasable(root, version, isPublished ? 'origin' : undefined);
  if (higher !== undefined) console.log(`v${higher} is higher, so this corrects an older version.`);
  const clone = join(mkdtempSync(join(tmpdir(), 'coxswain-release-')), 'clone');
  git(root, 'clone', '--quiet', '--no-hardlinks', root, clone);
  const date = new Date().toISOString().slice(0, 10);
  const commit = commitVersion(clone, version, { who: identityIn(root), date });
  console.log(`v${version} is ${commit}, in ${clone}`);
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: clone, timeout: 15 * minute });
  run('npm', ['run', '--silent', 'build'], { cwd: clone, timeout: 5 * minute });
  make(clone, version);
  const refs = [`${commit}:refs/heads/${branch}`, `${commit}:refs/tags/v${version}`];
  if (isPublished) publish(root, { clone, commit, refs });
  else console.log(howToPublish({ clone, commit, refs, branch, version }));
}

function publish(root, { clone, commit, refs }) {
  git(root, 'fetch', '--quiet', clone, commit);
  git(root, 'push', '--quiet', '--atomic', 'origin', ...refs);
  console.log('Pushed. The workflow "Release" tests all of it again, and publishes the package, the tags,');
  console.log('the image and the release.');
}

function howToPublish({ clone, commit, refs, branch, version }) {
  return `Nothing has left ${clone}: in its folder \`release\` is what would be published.
To publish this commit, push it and its tag, which starts the workflow "Release":
  git fetch ${clone} ${commit}
  git push --atomic origin ${refs.join(' ')}
Where ${branch} takes pull requests only, merge the commit as one, then tag what was merged:
  git tag v${version} <commit> && git push origin v${version}`;
}

/** Makes the files of the commit that is checked out and built, and tries them. */
function make(root, version) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  const tarball = makeFiles(root, version, name && `${server}/${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-try-'));
  try {
    for (const node of nodes) console.log(tryPackage(tarball, node, folder));
    console.log(tryAction(checkoutOf(root, version, folder), folder, root));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What GitHub's runner checks out for an Action: the tag as the workflow will push it, and nothing else. */
function checkoutOf(root, version, folder) {
  const [bare, checkout] = [join(folder, 'origin.git'), join(folder, 'action')];
  git(root, 'clone', '--quiet', '--bare', root, bare);
  git(bare, 'update-ref', 'refs/heads/main', git(root, 'rev-parse', 'HEAD'));
  git(bare, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  const push = [resolve(root, 'scripts/tag-release.mjs'), 'push', `v${version}`, bare];
  run(process.execPath, push, { cwd: root, timeout: minute });
  const alone = ['--depth', '1', '--branch', `v${version}`, pathToFileURL(bare).href];
  git(root, 'clone', '--quiet', ...alone, checkout);
  return checkout;
}
