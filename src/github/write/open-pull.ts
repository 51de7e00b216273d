import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, whatExists } from '../octokit/fault.ts';
import { factsOf, findPullByHead, type PullFacts } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

export interface Opened {
  readonly pull: PullFacts;
  /** False if an earlier try had opened it. */
  readonly created: boolean;
  /** GitHub's reason why it is not a draft. */
  readonly no_draft: string | null;
}

export interface NewPull {
  readonly where: RepositoryRef;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  /** Our own login: a pull request that someone else opened for the branch is not ours. */
  readonly own: { readonly login: string };
}

/**
 * Opens a draft, or an ordinary pull request if the plan has no drafts. If an earlier try already opened one,
 * that one is returned, so a crash or a lost answer does no harm.
 */
export async function openDraftPull(octokit: Octokit, wanted: NewPull): Promise<Opened> {
  try {
    return { pull: await open(octokit, wanted, true), created: true, no_draft: null };
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    if (/draft/i.test(fault.reason)) return openOrdinaryPull(octokit, wanted, fault.reason);
    return foundAfter(fault, octokit, wanted);
  }
}

async function openOrdinaryPull(octokit: Octokit, wanted: NewPull, no_draft: string): Promise<Opened> {
  try {
    return { pull: await open(octokit, wanted, false), created: true, no_draft };
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    return { ...(await foundAfter(fault, octokit, wanted)), no_draft };
  }
}

async function open(octokit: Octokit, wanted: NewPull, draft: boolean): Promise<PullFacts> {
  const { where, branch: head, base, title, body } = wanted;
  const { data } = await octokit.rest.pulls.create({ ...repoParams(where), head, base, title, body, draft });
  return factsOf(data);
}

async function foundAfter(fault: GitHubFault, octokit: Octokit, wanted: NewPull): Promise<Opened> {
  const pull = await whatExists(fault, async () => {
    const found = await findPullByHead(octokit, wanted.where, wanted.branch);
    return found?.open === true ? found : undefined;
  });
  if (pull.author !== wanted.own.login) throw fault;
  return { pull, created: false, no_draft: null };
}

function isRefusal(fault: unknown): fault is GitHubFault {
  return fault instanceof GitHubFault && fault.status === 422;
}
