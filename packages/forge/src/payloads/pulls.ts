import { type Context, fullName } from '../context.ts';
import type { AutoMerge, Json, PullIssue, Repository, Review, ReviewComment } from '../model.ts';
import { accountById, association, teamPayload } from './accounts.ts';
import { contentOf, reactionCounts } from './issues.ts';
import { apiLink, hrefs, htmlLink, nodeId } from './links.ts';
import { repositoryPayload, repositoryReference } from './repositories.ts';

/** A pull request as in lists. */
export function pullSummary(context: Context, issue: PullIssue): Json {
  const repository = context.store.repository(issue.repository_id);
  const { comments: _, state_reason: __, ...content } = contentOf(context, issue);
  return {
    id: issue.pull.id,
    node_id: nodeId('PullRequest', issue.pull.id),
    number: issue.number,
    ...addresses(context, repository, issue),
    ...content,
    draft: issue.pull.draft,
    merged_at: issue.pull.merged_at,
    merge_commit_sha: issue.pull.merge_commit_sha,
    requested_reviewers: issue.pull.requested_reviewer_ids.map((id) => accountById(context, id)),
    requested_teams: requestedTeams(context, issue.pull),
    head: end(context, repository, { ref: issue.pull.head_ref, sha: issue.pull.head_sha }),
    base: end(context, repository, { ref: issue.pull.base_ref, sha: issue.pull.base_sha }),
    author_association: association(context, repository, issue.user_id),
    auto_merge: autoMergePayload(context, issue.pull.auto_merge),
  };
}

/** The teams of which a review was requested. */
function requestedTeams(context: Context, { requested_team_ids = [] }: PullIssue['pull']): Json[] {
  const teams = context.store.data.teams.filter(({ id }) => requested_team_ids.includes(id));
  return teams.map((team) => teamPayload(context, team));
}

export interface ChangeStats {
  commits: number;
  additions: number;
  deletions: number;
  changed_files: number;
}

export interface Mergeability {
  mergeable: boolean | null;
  state: 'clean' | 'unstable' | 'dirty' | 'draft' | 'behind' | 'blocked' | 'unknown';
}

/** A single pull request, with the facts that need Git. */
export function pullPayload(
  context: Context,
  issue: PullIssue,
  { stats, merge }: { stats: ChangeStats; merge: Mergeability },
): Json {
  return {
    ...pullSummary(context, issue),
    merged: issue.pull.merged_at !== null,
    mergeable: merge.mergeable,
    rebaseable: merge.mergeable,
    mergeable_state: merge.state,
    merged_by: accountById(context, issue.pull.merged_by_id),
    comments: contentOf(context, issue)['comments'],
    review_comments: reviewsOf(context, issue).flatMap((review) => review.comments).length,
    maintainer_can_modify: false,
    ...stats,
  };
}

/** The open pull requests of a commit, as in check runs and check suites. */
export function pullReferences(context: Context, repository: Repository, head_sha: string): Json[] {
  const at = { repo: repositoryReference(context, repository) };
  return context.store
    .pulls(repository)
    .filter((issue) => issue.state === 'open' && issue.pull.head_sha === head_sha)
    .map(({ number, pull }) => ({
      id: pull.id,
      number,
      url: apiLink(context, repository, `/pulls/${number}`),
      head: { ref: pull.head_ref, sha: pull.head_sha, ...at },
      base: { ref: pull.base_ref, sha: pull.base_sha, ...at },
    }));
}

export function reviewPayload(context: Context, review: Review): Json {
  const repository = context.store.repository(review.repository_id);
  const html = htmlLink(context, repository, `/pull/${review.pull_number}#pullrequestreview-${review.id}`);
  const pull = apiLink(context, repository, `/pulls/${review.pull_number}`);
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: accountById(context, review.user_id),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: association(context, repository, review.user_id),
    _links: hrefs({ html, pull_request: pull }),
    commit_id: review.commit_id,
    ...(review.submitted_at === null ? {} : { submitted_at: review.submitted_at }),
  };
}

export function reviewCommentPayload(context: Context, review: Review, comment: ReviewComment): Json {
  const repository = context.store.repository(review.repository_id);
  const url = apiLink(context, repository, `/pulls/comments/${comment.id}`);
  const html = htmlLink(context, repository, `/pull/${review.pull_number}#discussion_r${comment.id}`);
  const pull = apiLink(context, repository, `/pulls/${review.pull_number}`);
  return {
    url,
    html_url: html,
    pull_request_url: pull,
    _links: hrefs({ self: url, html, pull_request: pull }),
    pull_request_review_id: review.id,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: '',
    path: comment.path,
    position: comment.position,
    original_position: comment.position ?? 1,
    commit_id: review.commit_id,
    original_commit_id: review.commit_id,
    user: accountById(context, review.user_id),
    body: comment.body,
    created_at: comment.created_at,
    updated_at: comment.edits.at(-1)?.edited_at ?? comment.created_at,
    author_association: association(context, repository, review.user_id),
    ...(comment.line === null ? {} : { line: comment.line, original_line: comment.line }),
    start_line: comment.start_line,
    original_start_line: comment.start_line,
    start_side: comment.start_line === null ? null : comment.side,
    side: comment.side,
    subject_type: 'line',
    reactions: reactionCounts([], url),
  };
}

export function reviewsOf(context: Context, issue: PullIssue): Review[] {
  return context.store.data.reviews.filter(
    (review) => review.repository_id === issue.repository_id && review.pull_number === issue.number,
  );
}

function addresses(context: Context, repository: Repository, issue: PullIssue): Json {
  const url = apiLink(context, repository, `/pulls/${issue.number}`);
  const issue_url = apiLink(context, repository, `/issues/${issue.number}`);
  const html = htmlLink(context, repository, `/pull/${issue.number}`);
  const links = {
    commits: `${url}/commits`,
    review_comments: `${url}/comments`,
    review_comment: apiLink(context, repository, '/pulls/comments{/number}'),
    comments: `${issue_url}/comments`,
    statuses: apiLink(context, repository, `/statuses/${issue.pull.head_sha}`),
  };
  return {
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url,
    ...Object.fromEntries(Object.entries(links).map(([name, link]) => [`${name}_url`, link])),
    _links: hrefs({ self: url, html, issue: issue_url, ...links }),
  };
}

function end(context: Context, repository: Repository, { ref, sha }: { ref: string; sha: string }): Json {
  return {
    label: `${fullName(context, repository).split('/')[0]}:${ref}`,
    ref,
    sha,
    user: accountById(context, repository.owner_id),
    repo: repositoryPayload(context, repository),
  };
}

function autoMergePayload(context: Context, auto: AutoMerge | null): Json | null {
  if (auto === null) return null;
  const { enabled_by_id, merge_method, commit_title, commit_message } = auto;
  return {
    enabled_by: accountById(context, enabled_by_id),
    merge_method,
    commit_title: commit_title ?? '',
    commit_message: commit_message ?? '',
  };
}
