import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, isFinalRefusal, MissingPermission, whatExists } from '../octokit/fault.ts';
import { factsOf, findPullByHead, type PullFacts } from '../read/pulls.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';
import { type CommentTarget, type PullTarget, repoParamsOf } from './pull-target.ts';

interface Opened {
  readonly pull: PullFacts;
  /** False if an earlier try had opened it. */
  readonly created: boolean;
}

interface NewPull {
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
export async function openDraftPull(octokit: Octokit, wanted: NewPull, draft = true): Promise<Opened> {
  try {
    return { pull: await open(octokit, wanted, draft), created: true };
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    if (draft && /draft/i.test(fault.reason)) return openDraftPull(octokit, wanted, false);
    return foundAfter(fault, octokit, wanted);
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
  return { pull, created: false };
}

function isRefusal(fault: unknown): fault is GitHubFault {
  return fault instanceof GitHubFault && fault.status === 422;
}

/** How a pull request should be; `untouched`: it stays as people left it. */
export type PullState = 'draft' | 'ready' | 'untouched';

/** What is needed to convert a pull request to a draft and back. */
interface Draftable {
  readonly node_id: string;
  readonly open: boolean;
  readonly draft: boolean;
}

/** Converts to or from a draft, which only GraphQL can do. Returns the pull request as it is afterwards. */
export async function setDraft<P extends Draftable>(
  target: PullTarget,
  pull: P,
  wanted: PullState,
): Promise<P> {
  if (!pull.open) return pull;
  if (wanted === 'ready' && pull.draft) {
    await target.octokit.graphql(toReady, { id: pull.node_id });
    return { ...pull, draft: false };
  }
  if (wanted === 'draft' && !pull.draft) return { ...pull, draft: await toDraftIfPossible(target, pull) };
  return pull;
}

const toReady = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } }
}`;

const toDraft = `mutation ($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { id } }
}`;

/** Private repositories on some plans have no drafts; there a run is an ordinary pull request with labels. */
async function toDraftIfPossible(target: PullTarget, { node_id }: Draftable): Promise<boolean> {
  try {
    await target.octokit.graphql(toDraft, { id: node_id });
    return true;
  } catch (error) {
    if (!(error instanceof Error && /draft.*not (?:supported|available|allowed)/i.test(error.message)))
      throw error;
    target.log.info(`${target.run.id} stays an ordinary pull request: ${error.message}`);
    return false;
  }
}

/**
 * Requests reviews of people (`@ada`) and teams (`@acme/core`), but not of the author, who opened the
 * pull request and whom GitHub lets nobody ask; who was asked before stays asked. GitHub refuses all of
 * them if one has no access, so then each is asked alone. Returns those from whom GitHub does not let us
 * request one.
 */
export async function requestReviews(
  target: CommentTarget,
  { of, author }: { readonly of: readonly string[]; readonly author: string },
): Promise<readonly string[]> {
  const wanted = of.filter((name) => name.toLowerCase() !== `@${author.toLowerCase()}`);
  if (wanted.length === 0 || (await isAccepted(target, wanted))) return [];
  if (wanted.length === 1) return wanted;
  const refused: string[] = [];
  for (const name of wanted) if (!(await isAccepted(target, [name]))) refused.push(name);
  return refused;
}

async function isAccepted(target: CommentTarget, names: readonly string[]): Promise<boolean> {
  const teams = names.filter((name) => name.includes('/'));
  try {
    await target.octokit.rest.pulls.requestReviewers({
      ...repoParamsOf(target),
      pull_number: target.run.number,
      reviewers: names.filter((name) => !name.includes('/')).map((name) => name.slice(1)),
      team_reviewers: teams.map((name) => name.slice(name.indexOf('/') + 1)),
    });
    return true;
  } catch (fault) {
    // Nothing depends on it: the pull request says who is needed.
    if (isFinalRefusal(fault) || fault instanceof MissingPermission) return false;
    throw fault;
  }
}
