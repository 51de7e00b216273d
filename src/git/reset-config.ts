import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths that other file systems take for `.git` are refused everywhere. */
const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tprotectHFS = true
\tprotectNTFS = true
`;

/**
 * Restores a mirror's original configuration.
 * Without a sandbox, programs in a worktree can change it, by `git config` or `git lfs install`, even to a
 * filter that our own Git would run.
 */
export async function resetConfig(gitDir: string): Promise<void> {
  const path = join(gitDir, 'config');
  if (existsSync(path) && (await readFile(path, 'utf8')) === config) return;
  // A unique name: several commands may reset the configuration at the same time.
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  await writeFile(fresh, config);
  await rename(fresh, path);
}
