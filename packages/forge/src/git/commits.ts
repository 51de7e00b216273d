import type { Git } from './plumbing.ts';

export interface Signature {
  name: string;
  email: string;
  date: string;
}

export interface CommitRecord {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
  /** Only filled by `listTouches`. */
  files: FileChange[];
}

export interface FileChange {
  filename: string;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed';
  sha: string | null;
  additions: number;
  deletions: number;
  patch?: string;
  previous_filename?: string;
}

const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01';

export async function readCommit(git: Git, sha: string): Promise<CommitRecord> {
  const [commit] = parsed(await git.tell(['log', '-1', `--format=${format}`], [sha]));
  if (commit === undefined) throw new Error(`could not read commit ${sha} in ${git.dir}`);
  return commit;
}

/** The commits of a range such as `a..b`, oldest first (as in pull requests) or newest first. */
export async function listCommits(git: Git, range: string[], order: 'oldest' | 'newest' = 'oldest') {
  const reverse = order === 'oldest' ? ['--reverse'] : [];
  return parsed(await git.run(['log', `--format=${format}`, '--topo-order', ...reverse, ...range, '--']));
}

/** The commits that the head has and the base has not, oldest first. */
export async function commitsBetween(git: Git, base: string, head: string): Promise<CommitRecord[]> {
  const log = ['log', `--format=${format}`, '--topo-order', '--reverse'];
  return parsed(await git.tell(log, [head, `^${base}`]));
}

/** The newest commits of a range, with the files that each changed. */
export async function listTouches(git: Git, range: string[], most: number): Promise<CommitRecord[]> {
  const options = ['--name-status', '--no-renames', '--diff-merges=first-parent', '--root'];
  const output = await git.run([
    'log',
    `--format=%x02${format}`,
    `--max-count=${most}`,
    ...options,
    ...range,
    '--',
  ]);
  return output
    .split('\x02')
    .slice(1)
    .flatMap((entry) => {
      const [head = '', names = ''] = entry.split('\x01');
      return parsed(head).map((commit) => ({ ...commit, files: touchesIn(names) }));
    });
}

function touchesIn(names: string): FileChange[] {
  return [...names.matchAll(/^([ADMT])\t(.+)$/gm)].map(([, letter = '', filename = '']) => ({
    filename,
    status: statuses[letter] ?? 'modified',
    sha: null,
    additions: 0,
    deletions: 0,
  }));
}

/** The changes between two trees, with patches in GitHub's format (from the first `@@`). */
export async function listChanges(git: Git, from: string, to: string): Promise<FileChange[]> {
  const options = ['diff', '--no-color', '--no-ext-diff', '--find-renames', '--full-index'];
  const [raw = '', numbers = '', patch = ''] = await Promise.all(
    [['--raw', '-z'], ['--numstat', '-z'], ['--patch']].map((kind) =>
      git.tell([...options, ...kind], [from, to]),
    ),
  );
  const counts = numbersIn(numbers);
  const patches = patchesIn(patch);
  return rawIn(raw).map((change, index) => ({
    ...change,
    ...(counts[index] ?? { additions: 0, deletions: 0 }),
    ...(patches[index] ? { patch: patches[index] } : {}),
  }));
}

function parsed(output: string): CommitRecord[] {
  return output
    .split('\x01')
    .map((entry) => entry.replace(/^\n/, '').split('\0'))
    .filter((fields) => fields.length >= 10)
    .map(toCommit);
}

function toCommit(fields: string[]): CommitRecord {
  const [
    sha = '',
    tree = '',
    parents = '',
    an = '',
    ae = '',
    ad = '',
    cn = '',
    ce = '',
    cd = '',
    message = '',
  ] = fields;
  return {
    sha,
    tree,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author: { name: an, email: ae, date: utc(ad) },
    committer: { name: cn, email: ce, date: utc(cd) },
    message: message.trimEnd(),
    files: [],
  };
}

function utc(date: string): string {
  return new Date(date).toISOString().replace('.000Z', 'Z');
}

const statuses: Record<string, FileChange['status']> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  T: 'changed',
};

function rawIn(output: string): FileChange[] {
  const words = output.split('\0');
  const changes: FileChange[] = [];
  for (let at = 0; words[at]?.startsWith(':'); ) {
    const [, , oldBlob = '', newBlob = '', letter = ''] = (words[at] ?? '').slice(1).split(' ');
    const status = statuses[letter.charAt(0)] ?? 'modified';
    const first = words[at + 1] ?? '';
    const renamed = status === 'renamed';
    const sha = status === 'removed' ? oldBlob : newBlob;
    changes.push({
      filename: renamed ? (words[at + 2] ?? '') : first,
      status,
      sha,
      additions: 0,
      deletions: 0,
      ...(renamed ? { previous_filename: first } : {}),
    });
    at += renamed ? 3 : 2;
  }
  return changes;
}

/** With `-z` a rename is `added removed NUL old NUL new`; binary files count as `-`. */
function numbersIn(output: string): { additions: number; deletions: number }[] {
  return output
    .split('\0')
    .map((entry) => /^(\d+|-)\t(\d+|-)\t/.exec(entry))
    .filter((match) => match !== null)
    .map(([, added, removed]) => ({ additions: Number(added) || 0, deletions: Number(removed) || 0 }));
}

function patchesIn(output: string): (string | undefined)[] {
  return output
    .split(/^diff --git /m)
    .slice(1)
    .map((section) => {
      const start = section.search(/^@@/m);
      return start === -1 ? undefined : section.slice(start).trimEnd();
    });
}

/** A file or folder of a commit. */
export interface Entry {
  type: string;
  sha: string;
  size: number;
  path: string;
}

/** What `ls-tree` lists; nothing if there is no such tree. */
export async function listTree(git: Git, ...args: string[]): Promise<Entry[]> {
  const { stdout } = await git.attempt(['ls-tree', '-l', '-z', ...args]);
  const found = stdout.matchAll(/\d+ (\w+) ([0-9a-f]+) +(\d+|-)\t([^\0]*)\0/g);
  return [...found].map(([, type = '', sha = '', size, path = '']) => ({
    type,
    sha,
    size: Number(size) || 0,
    path,
  }));
}
