import { coxswain } from './author.ts';
import { git } from './git.ts';
import type { Mirror } from './mirror.ts';
import { inside } from './objects.ts';
import { listRemote, pushRefs } from './remote.ts';
import { resetConfig } from './reset-config.ts';

/** The remote rejected a push and gave a reason. */
export class PushRefused extends Error {
  override name = 'PushRefused';
  /** The server's message. */
  readonly reason: string;

  constructor(what: string, reason: string) {
    super(`could not push ${what}: ${reason}`);
    this.reason = reason;
  }
}

/** A branch to create. */
interface Claim {
  readonly branch: string;
  /** The commit to start from, present in the mirror. */
  readonly base: string;
  /** With cause and task as trailers. */
  readonly message: string;
  /** ISO 8601; two equal claims are the same commit. */
  readonly at: string;
}

/**
 * Creates the branch of a run with one empty commit, unless it already exists: a second or repeated
 * claim gets the existing branch.
 * Throws `PushRefused` when a rule of the repository forbids it.
 */
export async function claimBranch(mirror: Mirror, claim: Claim): Promise<{ sha: string; created: boolean }> {
  const ref = `refs/heads/${claim.branch}`;
  await resetConfig(mirror.dir);
  const sha = await emptyCommit(mirror, claim);
  const pushed = await pushRefs(mirror, [{ ref, from: null, to: sha }]);
  if (pushed.landed) return { sha, created: pushed.changed };
  if (pushed.kind === 'declined') throw new PushRefused(`branch ${claim.branch}`, pushed.message);
  const there = (await listRemote(mirror.remote, [ref])).get(ref);
  if (there === undefined) throw new Error(`could not push branch ${claim.branch}: ${pushed.message}`);
  await mirror.fetch([`+${ref}:${ref}`]);
  // If the server's answer was lost, the branch is at our own commit. (Two equal claims may both see this.)
  return { sha: there, created: there === sha };
}

/** A commit of ours in the mirror that changes nothing. */
export async function emptyCommit(
  { dir }: Pick<Mirror, 'dir'>,
  { base, message, at }: Omit<Claim, 'branch'>,
): Promise<string> {
  const env = {
    ...inside(dir).env,
    GIT_AUTHOR_NAME: coxswain.name,
    GIT_AUTHOR_EMAIL: coxswain.email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: coxswain.name,
    GIT_COMMITTER_EMAIL: coxswain.email,
    GIT_COMMITTER_DATE: at,
  };
  const command = ['commit-tree', `${base}^{tree}`, '-p', base, '-F', '-'];
  return (await git(command, { cwd: dir, env, input: message })).trim();
}
