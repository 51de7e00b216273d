import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../git/git.ts';
import type { RepositoryFiles } from '../../onboarding/repository-files.ts';

/** Larger files say nothing about how a repository is built. */
const maxBytes = 1024 * 1024;

/** The files of a clone as they are now, without what Git ignores. */
export function filesIn(root: string): RepositoryFiles {
  return {
    files: async () => {
      const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
        cwd: root,
      });
      return [...new Set(listed.split('\0'))].filter((path) => path !== '');
    },
    read: (path) => textOf(join(root, path)),
  };
}

/** Undefined for what is no file, is gone, or is too large. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= maxBytes ? await readFile(path, 'utf8') : undefined;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && isNoFile(fault.code)) return undefined;
    throw new Error(`could not read ${path}`, { cause: fault });
  }
}

function isNoFile(code: unknown): boolean {
  return code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ELOOP';
}
