import type { Context } from '../context.ts';
import type { PullIssue, PullRequestRule, Repository, Review } from '../model.ts';
import { reviewsOf } from '../payloads/pulls.ts';
import { atLeast, covers, roleOf } from '../permissions.ts';

/** GitHub's message if the pull request lacks the reviews that the rule demands. */
export function reviewViolation(
  context: Context,
  issue: PullIssue,
  { parameters }: PullRequestRule,
): string | undefined {
  const opinions = opinionsOn(context, issue);
  if (opinions.some(({ state }) => state === 'CHANGES_REQUESTED')) return 'Changes have been requested.';
  const approvals = opinions.filter(
    ({ state, commit_id }) =>
      state === 'APPROVED' &&
      (!parameters.dismiss_stale_reviews_on_push || commit_id === issue.pull.head_sha),
  );
  const needed = parameters.required_approving_review_count;
  if (approvals.length < needed) {
    const reviews = needed === 1 ? 'approving review is' : 'approving reviews are';
    return `At least ${needed} ${reviews} required by reviewers with write access.`;
  }
  const pusher_id = lastPusher(context, issue);
  if (parameters.require_last_push_approval && !approvals.some(({ user_id }) => user_id !== pusher_id)) {
    return 'New changes require approval from someone other than the last pusher.';
  }
  return undefined;
}

/** The newest verdict of each reviewer with write access; comments are none. */
function opinionsOn(context: Context, issue: PullIssue): Review[] {
  const repository = context.store.repository(issue.repository_id);
  const verdicts = reviewsOf(context, issue).filter(
    ({ state, user_id }) =>
      ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state) &&
      mayWrite(context, repository, user_id),
  );
  return [...new Map(verdicts.map((review) => [review.user_id, review])).values()];
}

function mayWrite({ store }: Context, repository: Repository, account_id: number): boolean {
  if (atLeast(roleOf(store.account(account_id), repository), 'write')) return true;
  const app = store.data.apps.find(({ bot_id }) => bot_id === account_id);
  return store.data.installations.some(
    ({ app_id, repository_ids, permissions }) =>
      app_id === app?.id &&
      repository_ids.includes(repository.id) &&
      covers(permissions, { contents: 'write' }),
  );
}

function lastPusher({ store }: Context, { repository_id, pull }: PullIssue): number | null | undefined {
  const ref = `refs/heads/${pull.head_ref}`;
  return store.data.activities.findLast((one) => one.repository_id === repository_id && one.ref === ref)
    ?.actor_id;
}
