/**
 * What a release changes in the documents: the changelog's "Unreleased" becomes the version, and whoever comes
 * is told of what is published instead of a clone.
 */

const heading = /^## (.+)$/gm;

/** The part under a heading, without it; undefined if there is none. */
function sectionOf(changelog, title) {
  const parts = [...changelog.matchAll(heading)];
  const at = parts.findIndex(([, name = '']) => name === title || name.startsWith(`${title} `));
  const [from, next] = [parts[at], parts[at + 1]];
  if (from === undefined) return undefined;
  return changelog.slice(from.index + from[0].length, next?.index).trim();
}

/** What is new in a version: its own section, or what is not released yet. Throws if nothing is written. */
export function notesOf(changelog, version) {
  const own = sectionOf(changelog, version);
  if (own) return own;
  const notes = sectionOf(changelog, 'Unreleased') ?? '';
  if (/^- /m.test(notes)) return notes;
  throw new Error(
    `CHANGELOG.md tells nothing of ${version}: expected entries such as "- Runs can be paused." under "## Unreleased"`,
  );
}

/** The changelog with this version, `date` as in 2026-11-29; the next one begins with an empty "Unreleased". */
export function withVersion(changelog, version, date) {
  if (datedIn(changelog).includes(version)) return changelog;
  if (sectionOf(changelog, version) !== undefined)
    throw new Error(`CHANGELOG.md has ${version} already, which was never released: choose a higher version`);
  notesOf(changelog, version);
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`);
}

/** Whether any version was released: only those have a date. */
export function isReleased(changelog) {
  return datedIn(changelog).length > 0;
}

function datedIn(changelog) {
  return [...changelog.matchAll(/^## (\S+) \(\d{4}-\d{2}-\d{2}\)$/gm)].map(([, version = '']) => version);
}

/** What the documents say before the first release, and from then on. */
export const ways = [
  {
    path: 'README.md',
    before:
      'git clone <this repository> coxswain && cd coxswain\nnpm start    # a small GitHub, the App and an agent on your machine: Node.js 20.19 and Git 2.38, no account\n',
    after:
      'npx coxswain demo    # a small GitHub, the App and an agent on your machine: Node.js 20.19 and Git 2.38, no account\n',
  },
  {
    path: 'README.md',
    before:
      'npm ci && npm run build                           # in a clone of Coxswain: nothing is on npm yet\nalias coxswain="node $PWD/dist/cli/coxswain.js"\ncd your-repository\ncoxswain init\n',
    after:
      'npm install --global coxswain    # or npx coxswain; as an App also the image ghcr.io/<this repository>\ncd your-repository\ncoxswain init\n',
  },
  {
    path: 'README.md',
    before:
      'No release is published yet: [tag one in your fork](CONTRIBUTING.md#release) and name it under `uses:`.\n',
    after: 'Name this repository and its major version under `uses:`, as `npx coxswain init` does.\n',
  },
  {
    path: 'docs/getting-started.md',
    before:
      'npm ci && npm run build    # in a clone of Coxswain: no release is published yet\nalias coxswain="node $PWD/dist/cli/coxswain.js"\n',
    after: 'npm install --global coxswain    # or npx coxswain\n',
  },
  {
    path: 'docs/action.md',
    before: '1. No release is published yet: [make one in your fork](../CONTRIBUTING.md#release).\n',
    after:
      '1. Decide whose release runs: that of this repository, or [one of your fork](../CONTRIBUTING.md#release).\n',
  },
  {
    path: 'docs/action.md',
    before: 'on the default branch, name your fork under `uses:`',
    after: 'on the default branch, name that repository under `uses:`',
  },
];

/** A document as it is from the first release on. Throws if it no longer says what is replaced. */
export function withWays(path, text) {
  return ways
    .filter((way) => way.path === path)
    .reduce((document, { before, after }) => {
      if (document.includes(after)) return document;
      if (document.includes(before)) return document.replace(before, () => after);
      throw new Error(
        `${path} says neither what it says before a release nor after: ${JSON.stringify(before)}`,
      );
    }, text);
}

/** A document or a test in which examples name the major version of this release. */
export function withMajor(text, version) {
  const [major] = version.split('.');
  return text.replaceAll(/(your-name\\?\/coxswain@v)\d+/g, `$1${major}`);
}
