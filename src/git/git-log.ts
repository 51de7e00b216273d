import { resolve } from 'node:path';
import { simpleGit } from 'simple-git';
import type { CommitLine } from '../steering/shapes/attempt-result.ts';
import { shortened } from '../text/characters.ts';
import { resetConfig } from './mirror.ts';

/** Longer subjects are cut. */
const maxSubjectLength = 200;

/**
 * The commits that `to` has and `from` has not, newest first; a merge counts as one commit.
 * `mirrorDir` is a mirror of ours: it has no worktree, no index and, after the reset, no configuration that
 * could start a program (signature check, file system monitor, pager, external diff).
 */
export async function commitsBetween(
  mirrorDir: string,
  { from, to, max = 250 }: { from: string; to: string; max?: number },
): Promise<readonly CommitLine[]> {
  await resetConfig(mirrorDir);
  const git = simpleGit({ baseDir: resolve(mirrorDir), timeout: { block: 60_000 } });
  // simple-git removes all GIT_ variables; without a home there is no user configuration either.
  git.env({
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/dev/null',
    LC_ALL: 'C.UTF-8',
  });
  // Records end in NUL, so that no subject can look like another commit.
  const format = ['-z', '--format=%H %s', '--first-parent', '--no-show-signature', `--max-count=${max}`];
  const listing = await git.raw(['log', ...format, `${from}..${to}`, '--']);
  return listing.split('\0').flatMap((record) => {
    const [, sha, subject = ''] = /^([0-9a-f]{40,64}) (.*)$/s.exec(record) ?? [];
    return sha === undefined ? [] : [{ sha, subject: shortened(subject, maxSubjectLength) }];
  });
}
