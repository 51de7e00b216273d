import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { Input } from '../input.ts';
import type { Signature } from './commits.ts';
import { type Git, zeroSha } from './plumbing.ts';

/** A name and an email address in a commit, which nobody checks. */
export type Signed = Pick<Signature, 'name' | 'email'>;

/** The environment of a commit made on the website or by the API: by a person, committed by GitHub. */
export function webIdentity(context: Context, user_id: number, author?: Signed): Record<string, string> {
  const { name, email } = author ?? signedAs(context, user_id);
  return identityOf(context, { author: { name, email }, committer: gitHub });
}

/** The environment of a commit that a person makes on their own. */
export function ownIdentity(context: Context, user_id: number, author?: Signed): Record<string, string> {
  const self = author ?? signedAs(context, user_id);
  return identityOf(context, { author: self, committer: self });
}

/** The author of a commit, as a request names them; free text. */
export function signedIn(input: Input): Signed | undefined {
  const author = input.object('author');
  return author && { name: author.requiredText('name'), email: author.requiredText('email') };
}

const gitHub: Signed = { name: 'GitHub', email: 'noreply@github.com' };

function signedAs({ store }: Context, user_id: number): Signed {
  const { login } = store.account(user_id);
  return { name: login, email: `${user_id}+${login}@users.noreply.forge.example` };
}

function identityOf(
  context: Context,
  { author, committer }: { author: Signed; committer: Signed },
): Record<string, string> {
  const date = `${Math.floor(context.now().getTime() / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: date,
  };
}

/** The merged tree of two commits; undefined if they conflict. */
export async function mergedTree(git: Git, commits: [string, string]): Promise<string | undefined> {
  const result = await git.about(['merge-tree', '--write-tree'], commits);
  return result.code === 0 ? result.stdout.split('\n')[0] : undefined;
}

function blobOf(git: Git, content: Buffer): Promise<string> {
  return git.run(['hash-object', '-w', '--stdin'], { input: content });
}

let trees = 0;

/** A program stays executable when its text changes. */
async function modeOf(git: Git, commit: string, path: string): Promise<string> {
  const entry = await git.run(['ls-tree', '-z', commit, '--', `:(literal)${path}`]);
  return entry.startsWith('100755 ') ? '100755' : '100644';
}

/** The tree of a commit with one file set, or removed if there is no content. */
export async function changedTree(
  git: Git,
  commit: string,
  { path, content }: { path: string; content: Buffer | null },
): Promise<string> {
  trees += 1;
  const index = join(git.dir, `forge-index-${process.pid}-${trees}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await git.run(['read-tree', commit], { env });
    const entry =
      content === null ? `0 ${zeroSha}` : `${await modeOf(git, commit, path)} ${await blobOf(git, content)}`;
    await git.run(['update-index', '-z', '--index-info'], { env, input: `${entry}\t${path}\0` });
    return await git.run(['write-tree'], { env });
  } finally {
    rmSync(index, { force: true });
  }
}
