import { createHmac } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, timestamp } from '../context.ts';
import type { CommitSignature } from '../model.ts';
import { type Git, type GitOptions, type RefChange, zeroSha } from './plumbing.ts';

/**
 * Signs a commit that is not written yet, as GitHub does with its own key; returns its id. What the forge has
 * signed it remembers, so nothing else counts as verified.
 */
export async function writeSigned(context: Context, git: Git, payload: string): Promise<string> {
  const signature = signatureOf(payload);
  const sha = await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: withHeader(payload, signature),
  });
  context.store.data.signatures[sha] = { payload, signature, verified_at: timestamp(context) };
  return sha;
}

/** Like `git commit-tree`, for a commit that GitHub itself makes and signs. */
export async function commitSigned(
  context: Context,
  git: Git,
  args: string[],
  options: GitOptions,
): Promise<string> {
  const unsigned = await git.run(['commit-tree', ...args], options);
  return writeSigned(context, git, String(await git.bytes(['cat-file', 'commit', unsigned])));
}

/** The text of a signature; whether a key made it, nobody checks. */
function signatureOf(payload: string): string {
  const bytes = [1, 2, 3, 4, 5].map((part) =>
    createHmac('sha512', `web-flow ${part}`).update(payload).digest(),
  );
  const lines =
    Buffer.concat(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PGP SIGNATURE-----', '', ...lines, '-----END PGP SIGNATURE-----', ''].join('\n');
}

/** GitHub keeps the line feed at the end of the signature, which Git itself would leave out. */
function withHeader(payload: string, signature: string): string {
  const end = payload.indexOf('\n\n');
  return `${payload.slice(0, end)}\ngpgsig ${signature.replaceAll('\n', '\n ')}${payload.slice(end)}`;
}

/** What GitHub says of a commit's signature. */
export function verificationOf({ store }: Context, sha: string) {
  const known: CommitSignature | undefined = store.data.signatures[sha];
  if (known !== undefined) return { verified: true, reason: 'valid', ...known };
  return { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };
}

/** A file for the update hook that lists every commit with a verified signature. */
export function verifiedList({ dir, store }: Context): string {
  const path = join(dir, 'verified-commits');
  writeFileSync(
    `${path}.new`,
    [zeroSha, ...Object.keys(store.data.signatures)].map((sha) => `${sha}\n`).join(''),
  );
  // In one step, because the hook of another push may be reading it.
  renameSync(`${path}.new`, path);
  return path;
}

/**
 * The commits of a change that have no verified signature, of a new branch those that no other branch has.
 */
export async function unsignedIn(
  { store }: Context,
  git: Git,
  { before, after }: RefChange,
): Promise<string[]> {
  if (after === zeroSha) return [];
  const range = before === zeroSha ? [after, '--not', '--branches'] : [`${before}..${after}`];
  const listed = (await git.run(['rev-list', ...range])).split('\n').filter((sha) => sha !== '');
  return listed.filter((sha) => store.data.signatures[sha] === undefined);
}

/** GitHub's words for commits without a verified signature. */
export function unsignedText(shas: string[]): string {
  const count = shas.length === 1 ? '1 violation' : `${shas.length} violations`;
  return `Commits must have verified signatures.\n  Found ${count}:\n\n${shas.map((sha) => `  ${sha}`).join('\n')}`;
}
