import { join } from 'node:path';
import { git } from './git.ts';
import { inside } from './objects.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/**
 * Whether files are generated, as far as a commit says so to GitHub: by `linguist-generated` in its
 * `.gitattributes`.
 */
export function generatedFiles(
  gitDir: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  // Without files, Git reads attributes only from an index; reading them from a commit takes Git 2.43.
  return inTemporaryFolder('attributes', async (folder) => {
    const { env, ...place } = inside(gitDir);
    const options = { ...place, env: { ...env, GIT_INDEX_FILE: join(folder, 'index') } };
    await git(['read-tree', '--end-of-options', commit], options);
    const input = paths.map((path) => `${path}\0`).join('');
    const command = ['check-attr', '--cached', '-z', '--stdin', 'linguist-generated'];
    const fields = (await git(command, { ...options, input })).split('\0');
    return new Map(
      paths.flatMap((path, index) => {
        const value = fields[index * 3 + 2] ?? 'unspecified';
        return value === 'unspecified' ? [] : [[path, value === 'set' || value === 'true'] as const];
      }),
    );
  });
}
