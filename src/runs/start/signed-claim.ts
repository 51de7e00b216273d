import { type Claim, claimBranch, emptyCommit, PushRefused } from '../../git/claim-branch.ts';
import { isSigned } from '../../git/objects.ts';
import { demandsSignatures } from '../../github/read/branch-rules.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { Repository } from '../repository/repository.ts';
import { signedByGitHub, wantsSignatures } from '../repository/signing.ts';

/** What decides whether the commits of a run are signed. */
interface Signing {
  /** The branch that it is to be merged into. */
  readonly base: string;
  readonly settings: Pick<Settings, 'commits'>;
}

/**
 * Claims the branch of a run, with a signature where the configuration or a rule demands one: that of the
 * base is asked for, that of the branch itself refuses the first push. Throws `NotSigned` before any agent
 * works.
 */
export async function claimAsDemanded(
  repository: Repository,
  claim: Omit<Claim, 'sign'>,
  { base, settings }: Signing,
): Promise<{ sha: string; created: boolean; signs: boolean }> {
  const mirror = await repository.mirror();
  const sign = (commit: string) => signedByGitHub(repository, commit);
  const signs = await signsCommits(repository, { base, settings });
  try {
    const claimed = await claimBranch(mirror, { ...claim, ...(signs && { sign }) });
    // An earlier try may have found out that it has to be signed.
    return { ...claimed, signs: signs || (await isSigned(mirror.dir, claimed.sha)) };
  } catch (fault) {
    const isAsked = settings.commits?.sign === undefined && fault instanceof PushRefused;
    if (!isAsked || !wantsSignatures(fault.reason)) throw fault;
    return { ...(await claimBranch(mirror, { ...claim, sign })), signs: true };
  }
}

/** As configured, or because a rule of the base or of a branch that is there demands it. */
export async function signsCommits(
  { octokit, ...where }: Repository,
  { base, settings, branch }: Signing & { readonly branch?: string },
): Promise<boolean> {
  const { sign } = settings.commits ?? {};
  if (sign !== undefined) return sign === 'github';
  if (branch !== undefined && (await demandsSignatures(octokit, where, branch))) return true;
  // Also where we squash, which GitHub signs: people and merge queues may merge in other ways.
  return demandsSignatures(octokit, where, base);
}

/**
 * The same for the branch of a pull request that is adopted. Nothing is pushed to it yet, so GitHub signs a
 * commit that nobody uses: whether it does so has to be known before an agent works. Throws `NotSigned`.
 */
export async function signsAdopted(
  repository: Repository,
  { head_ref: branch, head_sha }: Pick<PullFacts, 'head_ref' | 'head_sha'>,
  { at, ...signing }: Signing & { readonly at: string },
): Promise<boolean> {
  if (!(await signsCommits(repository, { ...signing, branch }))) return false;
  const mirror = await repository.mirror();
  await mirror.fetch([`+refs/heads/${branch}:refs/heads/${branch}`]);
  const message = 'Ask whether commits are signed\n';
  await signedByGitHub(repository, await emptyCommit(mirror, { base: head_sha, message, at }));
  return true;
}
