import type { PullTarget } from './pull-target.ts';

/** How a pull request should be; `untouched`: it stays as people left it. */
export type PullState = 'draft' | 'ready' | 'untouched';

/** What is needed to convert a pull request to a draft and back. */
export interface Draftable {
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
