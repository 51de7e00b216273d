import { type Mirror, resetConfig } from './mirror.ts';
import { makeCommit } from './objects.ts';
import { listRemote, pushRefs, remoteTip } from './remote.ts';

/** The remote rejected a push and gave a reason. */
export class PushRefused extends Error {
  override name = 'PushRefused';
  /** What the server said. */
  readonly reason: string;

  constructor(what: string, reason: string) {
    super(`could not push ${what}: ${reason}`);
    this.reason = reason;
  }
}

/** Git cannot create a branch because another one has the name of its folder. */
export class BranchObstructed extends Error {
  override name = 'BranchObstructed';
  readonly obstacle: string;

  constructor(branch: string, obstacle: string) {
    super(`could not push branch ${branch}: there is a branch ${obstacle}, so Git allows none below it`);
    this.obstacle = obstacle;
  }
}

/** A branch to create. */
export interface Claim {
  readonly branch: string;
  /** The commit to start from, present in the mirror. */
  readonly base: string;
  /** It ends with trailers that name cause and task. */
  readonly message: string;
  /** ISO 8601; two equal claims are the same commit, unless they are signed. */
  readonly at: string;
  /** The commit or tree whose files it has; absent: those of the base, so that it is empty. */
  readonly filesOf?: string;
  /** Replaces the commit by one with a signature, which is another one every time. */
  readonly sign?: (commit: string) => Promise<string>;
}

/**
 * Creates a branch of ours with one commit, empty where it is a run's, unless it already exists: a second or
 * repeated claim gets the existing branch.
 * Throws `PushRefused` when a rule of the repository forbids it, `BranchObstructed` if its name is not free.
 */
export async function claimBranch(mirror: Mirror, claim: Claim): Promise<{ sha: string; created: boolean }> {
  const ref = `refs/heads/${claim.branch}`;
  await resetConfig(mirror.dir);
  const unsigned = await emptyCommit(mirror, claim);
  const sha = (await claim.sign?.(unsigned)) ?? unsigned;
  const pushed = await pushRefs(mirror, [{ ref, from: null, to: sha }]);
  if (pushed.landed) return { sha, created: pushed.changed };
  if (pushed.kind === 'declined') throw new PushRefused(`branch ${claim.branch}`, pushed.message);
  const there = await remoteTip(mirror.remote, claim.branch);
  if (there === undefined) {
    const obstacle = await obstacleTo(mirror, ref);
    if (obstacle === undefined) throw new Error(`could not push branch ${claim.branch}: ${pushed.message}`);
    throw new BranchObstructed(claim.branch, obstacle);
  }
  await mirror.fetchBranches(claim.branch);
  // If the server's answer was lost, the branch is at our own commit. (Two equal claims may both see this.)
  return { sha: there, created: there === sha };
}

/** A branch whose name is a folder of this one's: `coxswain` for `coxswain/fix-1`. */
async function obstacleTo({ remote }: Mirror, ref: string): Promise<string | undefined> {
  const folders = ref.split('/').slice(0, -1);
  const names = folders.slice(2).map((_, index) => folders.slice(0, index + 3).join('/'));
  const found = await listRemote(remote, names);
  return names.find((name) => found.has(name))?.replace('refs/heads/', '');
}

/** A commit of ours in the mirror that changes nothing, or that has other files. */
export function emptyCommit(
  { dir }: Mirror,
  { base, message, at, filesOf = base }: Omit<Claim, 'branch' | 'sign'>,
): Promise<string> {
  return makeCommit(dir, `${filesOf}^{tree}`, { parents: [base], message, at });
}
