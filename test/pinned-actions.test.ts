import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sources } from './release/sources.ts';

/** A tag can be moved to other code by whoever owns the action, or has taken it over; a commit cannot. */

const root = fileURLToPath(new URL('..', import.meta.url));

/** A release that readers make themselves, in a repository of their own. */
const ownRelease = /^your-name\/coxswain@/;
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} +# v\d+\.\d+\.\d+$/;

/** `uses:` in every workflow, example and document, as `path:line text`. */
function actionsIn(paths: readonly string[]): readonly { readonly place: string; readonly action: string }[] {
  return paths.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const action = /^\s*(?:- )?uses:\s*(.+?)\s*$/.exec(line)?.[1];
        return action === undefined
          ? []
          : [{ place: `${path}:${index + 1}`, action: action.replace(/['"]/g, '') }];
      }),
  );
}

test('every action of others is pinned to a commit, with its version beside it', () => {
  const paths = sources.filter((path) => /\.(?:ya?ml|md)$/.test(path) && !path.startsWith('test/fixtures/'));
  const actions = actionsIn(paths);
  expect(actions.map(({ place }) => place)).toContainEqual(
    expect.stringMatching(/^\.github\/workflows\/ci\.yml:\d+$/),
  );
  const loose = actions.filter(
    ({ action }) => !action.startsWith('./') && !ownRelease.test(action) && !pinned.test(action),
  );
  expect(loose).toEqual([]);
});
