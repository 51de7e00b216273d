import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { git } from '../../src/git/git.ts';

/** A plain repository to arrange commits in. */
export interface WorkCopy {
  readonly dir: string;
  readonly gitDir: string;
  git(...args: string[]): Promise<string>;
  /** Writes files; null deletes. */
  write(files: Readonly<Record<string, string | Uint8Array | null>>): Promise<void>;
  /** Commits everything and returns the commit. */
  commit(files?: Readonly<Record<string, string | Uint8Array | null>>): Promise<string>;
  remove(): Promise<void>;
}

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** A new one, or a copy of one that was prepared once for several tests. */
export async function workCopy({ copyOf }: { readonly copyOf?: WorkCopy } = {}): Promise<WorkCopy> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-work-'));
  const run = async (...args: string[]): Promise<string> =>
    (await git(args, { cwd: dir, env: identity })).trim();
  await (copyOf ? cp(copyOf.dir, dir, { recursive: true }) : run('init', '--quiet', '--template='));
  const write: WorkCopy['write'] = async (files) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await (content === null ? rm(join(dir, path)) : writeFile(join(dir, path), content));
    }
  };
  return {
    dir,
    gitDir: join(dir, '.git'),
    git: run,
    write,
    commit: async (files = {}) => {
      await write(files);
      await run('add', '--all');
      await run('commit', '--quiet', '--allow-empty', '-m', 'change');
      return run('rev-parse', 'HEAD');
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
