import { type GitOptions, git, type Remote } from '../../git/git.ts';
import { inside } from '../../git/objects.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';

export interface SnapshotFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the newest commit of a branch, which was fetched without its history. */
export interface Snapshot {
  /** Undefined if there is no such file, or it is too large to be what it should be. */
  file(path: string): Promise<string | undefined>;
  /** The files directly in a folder, those that are too large left out. */
  files(folder: string): Promise<readonly SnapshotFile[]>;
}

/** Larger files are not read: no configuration and no workflow is that long. */
const maxBytes = 512 * 1024;

/** Fetches the newest commit of a branch, and removes it afterwards. */
export function withSnapshot<T>(
  remote: Remote,
  branch: string,
  use: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder('doctor', async (dir) => {
    const options: GitOptions = { ...inside(dir), remote };
    await git(['init', '--quiet', '--bare', dir], { cwd: dir });
    const wanted = [remote.url, `+refs/heads/${branch}:refs/heads/snapshot`];
    await git(['fetch', '--quiet', '--depth=1', '--no-tags', ...wanted], options);
    return await use(snapshotIn(options));
  });
}

function snapshotIn(options: GitOptions): Snapshot {
  const list = async (path: string) => {
    const lines = (await git(['ls-tree', '-l', '-z', 'refs/heads/snapshot', '--', path], options)).split(
      '\0',
    );
    return lines.flatMap((line) => {
      const [, size, name] = /^100\d{3} blob [0-9a-f]+ +(\d+)\t(.*)$/s.exec(line) ?? [];
      return name !== undefined && Number(size) <= maxBytes ? [name] : [];
    });
  };
  const read = (path: string) => git(['cat-file', 'blob', `refs/heads/snapshot:${path}`], options);
  return {
    file: async (path) => ((await list(path)).includes(path) ? read(path) : undefined),
    files: async (folder) => {
      const paths = await list(`${folder}/`);
      return Promise.all(paths.map(async (path) => ({ path, text: await read(path) })));
    },
  };
}
