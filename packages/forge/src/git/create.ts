import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Context, gitDir, gitOf } from '../context.ts';
import type { Repository } from '../model.ts';
import { type Git, runGit } from './plumbing.ts';

/** The content of a file, with its mode if it is not a regular file. */
export type FileContent =
  | string
  | Buffer
  | { content: string | Buffer; mode: '100644' | '100755' | '120000' };

const settings: Record<string, string> = {
  'http.receivepack': 'true',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'true',
  'receive.advertiseAtomic': 'true',
  // Only GitHub writes refs/pull/*; a push gets "deny updating a hidden ref".
  'receive.hideRefs': 'refs/pull',
  'receive.denyDeleteCurrent': 'ignore',
  'receive.autogc': 'false',
  'gc.auto': '0',
  'core.logAllRefUpdates': 'false',
};

/** Creates an empty bare repository with only the forge's hook. */
export async function createGitRepository(context: Context, repository: Repository): Promise<void> {
  const dir = gitDir(context, repository);
  mkdirSync(dir, { recursive: true });
  const result = await runGit([
    'init',
    '--quiet',
    '--bare',
    '--template=',
    `--initial-branch=${repository.default_branch}`,
    dir,
  ]);
  if (result.code !== 0) throw new Error(`could not create ${dir}: ${result.stderr.trim()}`);
  const hooks = join(dir, 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'update'), updateHook, { mode: 0o755 });
  const lines = Object.entries(settings).map(([name, value]) => {
    const [section, key] = name.split('.');
    return `[${section}]\n\t${key} = ${value}\n`;
  });
  writeFileSync(join(dir, 'config'), lines.join(''), { flag: 'a' });
}

/** The default branch begins with what is checked out in a repository of this machine; returns its SHA. */
export async function copyHistory(context: Context, repository: Repository, folder: string): Promise<string> {
  const git = gitOf(context, repository);
  const branch = `refs/heads/${repository.default_branch}`;
  // An absolute path, so that it is never taken for an option or the name of a remote.
  await git.run(['fetch', '--quiet', '--no-tags', resolve(folder), `HEAD:${branch}`]);
  return madeAt(git, branch);
}

/** Commits these files to the default branch. */
export async function commitFiles(
  context: Context,
  repository: Repository,
  { files, message }: { files: Record<string, FileContent>; message: string },
): Promise<string> {
  const git = gitOf(context, repository);
  const seconds = Math.floor(context.now().getTime() / 1000);
  const branch = `refs/heads/${repository.default_branch}`;
  const parent = await git.ref(branch);
  const input = [
    `commit ${branch}\ncommitter forge <forge@forge.example> ${seconds} +0000\n${data(message)}`,
    parent === undefined ? '' : `from ${parent}\n`,
    ...Object.entries(files).map(
      ([path, file]) => `M ${modeOf(file)} inline ${quoted(path)}\n${data(contentOf(file))}`,
    ),
    '\n',
  ];
  await git.run(['fast-import', '--quiet', '--date-format=raw'], {
    input: Buffer.from(input.join(''), 'latin1'),
  });
  return madeAt(git, branch);
}

async function madeAt(git: Git, branch: string): Promise<string> {
  const sha = await git.ref(branch);
  if (sha === undefined) throw new Error(`could not create ${branch} in ${git.dir}`);
  return sha;
}

function modeOf(file: FileContent): string {
  return typeof file === 'string' || Buffer.isBuffer(file) ? '100644' : file.mode;
}

function contentOf(file: FileContent): string | Buffer {
  return typeof file === 'string' || Buffer.isBuffer(file) ? file : file.content;
}

function quoted(path: string): string {
  return Buffer.from(JSON.stringify(path)).toString('latin1');
}

/** Binary content is passed as Latin-1, one character per byte. */
function data(content: string | Buffer): string {
  const bytes = Buffer.from(content);
  return `data ${bytes.length}\n${bytes.toString('latin1')}\n`;
}

/**
 * The forge's update hook. Rules that need only a ref's name and change are checked before Git starts, and
 * FORGE_REFUSED lists their refs; rules that need the pushed objects (still in quarantine) are checked here.
 * A rejected ref does not stop the others, unless the push is atomic: then Git updates none.
 * Each repository has a copy, so the variables and the output must stay readable for older copies.
 */
const updateHook = `#!/bin/sh
ref=$1 old=$2 new=$3
zero=0000000000000000000000000000000000000000
within() { case " $2 " in *" $1 "*) return 0;; esac; return 1; }
refuse() { echo "forge-refusal $ref $1" >&2; exit 1; }

within "$ref" "$FORGE_REFUSED" && exit 1
[ "$new" = "$zero" ] && exit 0
if [ "$old" != "$zero" ] && within "$ref" "$FORGE_NO_FORCE"; then
  git merge-base --is-ancestor "$old" "$new" || refuse force
fi
if within "$ref" "$FORGE_SIGNED"; then
  range="$old..$new"
  [ "$old" != "$zero" ] || range="$new --not --branches"
  unsigned=$(git rev-list $range | grep -vxF -f "$FORGE_VERIFIED" | tr '\\n' ' ')
  [ -z "$unsigned" ] || refuse "unsigned $unsigned"
fi
if [ -n "$FORGE_GUARD_WORKFLOWS" ]; then
  changed=$(git log --format= --name-only --diff-merges=first-parent "$new" --not --all -- \\
    .github/workflows | head -n 1)
  [ -z "$changed" ] || refuse "workflow $changed"
fi
exit 0
`;
