import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

/** The objects are on the server already. */
interface WantedCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/**
 * A commit that the server makes and signs for us, because it names no author: then that is the App, and the
 * committer is GitHub. No branch leads to it. `signature` is null where the server does not sign for Apps, with
 * its reason.
 */
export async function createCommit(octokit: Octokit, where: RepositoryRef, wanted: WantedCommit) {
  const asked = { ...repoParams(where), ...wanted, parents: [...wanted.parents] };
  const { sha, verification } = (await octokit.rest.git.createCommit(asked)).data;
  const { verified, reason, signature, payload } = verification;
  // GitHub has signed it, and could not look at that just now.
  if (!verified && /^gpgverify_/.test(reason)) {
    const doing = `signing a commit of ${where.owner}/${where.name}`;
    throw new GitHubFault({ doing, status: 0, retriable: true, reason });
  }
  return verified && signature !== null && payload !== null
    ? { sha, payload, signature, reason }
    : { sha, payload: null, signature: null, reason };
}
