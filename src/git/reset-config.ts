import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/**
 * Puts a mirror's configuration back to what we gave it.
 * Whoever works in a worktree without a sandbox can change it: an innocent `git config` or
 * `git lfs install` there, or a filter that we would run, ends here.
 */
export async function resetConfig(gitDir: string): Promise<void> {
  const path = join(gitDir, 'config');
  if (existsSync(path) && (await readFile(path, 'utf8')) === config) return;
  const fresh = `${path}.${process.pid}.sealed`;
  await writeFile(fresh, config);
  await rename(fresh, path);
}
