import type { Endpoints } from '@octokit/types';
import { textIn } from '../../github/marks.ts';
import { byTime } from '../../steering/shapes/time.ts';
import type { GitHubReader } from './github-reader.ts';
import type { IssueRoute } from './page-routes.ts';

export interface Conversation {
  /** They come oldest first. */
  readonly comments: readonly Comment[];
  /** How many older ones there are that are not shown here. */
  readonly older: number;
}

export interface Comment {
  /** It is unique on the page, such as `comment-5` or `review-7`. */
  readonly id: string;
  readonly author: string;
  readonly bot: boolean;
  readonly body: string;
  readonly at: string;
  readonly edited: boolean;
  readonly url: string;
  /** What a review decided, such as `approved`; null for a plain comment. */
  readonly verdict: string | null;
}

const perPage = 100;
/** The newest pages that are read. */
const maxPages = 3;

export async function loadConversation(reader: GitHubReader, route: IssueRoute): Promise<Conversation> {
  const { comments, older } = await loadComments(reader, route);
  const reviews = route.page === 'pull' ? await loadReviews(reader, route) : [];
  const all = [...comments, ...reviews].sort(byTime);
  return { comments: all, older };
}

const commentsRoute = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';

async function loadComments(
  reader: GitHubReader,
  { owner, repo, number }: IssueRoute,
): Promise<Conversation> {
  const read = (page: number) =>
    reader.get(commentsRoute, { owner, repo, issue_number: number, per_page: perPage, page });
  const first = await read(1);
  const from = Math.max(1, first.pages - maxPages + 1);
  const rest = pagesBetween(Math.max(from, 2), first.pages);
  const later = await Promise.all(rest.map(read));
  const shown = [...(from === 1 ? first.data : []), ...later.flatMap(({ data }) => data)];
  const comments = shown.map((comment) => ({
    ...postOf(comment),
    body: textIn(comment.body ?? ''),
    id: `comment-${comment.id}`,
    at: comment.created_at,
    edited: comment.updated_at !== comment.created_at,
    verdict: null,
  }));
  return { comments, older: (from - 1) * perPage };
}

function pagesBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const verdicts: Readonly<Record<string, string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested changes',
  DISMISSED: 'had a review dismissed',
};

/** Leaves out reviews that have neither a verdict nor a text. */
async function loadReviews(
  reader: GitHubReader,
  { owner, repo, number }: IssueRoute,
): Promise<readonly Comment[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const { data } = await reader.get(route, { owner, repo, pull_number: number, per_page: perPage });
  const meaningful = data.filter(({ body, state }) => body !== '' || verdicts[state] !== undefined);
  return meaningful.map((review) => ({
    ...postOf(review),
    id: `review-${review.id}`,
    at: review.submitted_at ?? '',
    edited: false,
    verdict: verdicts[review.state] ?? null,
  }));
}

export type IssueModel = Awaited<ReturnType<typeof loadIssue>>;

export async function loadIssue(reader: GitHubReader, { owner, repo, number }: IssueRoute) {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const { data } = await reader.get(route, { owner, repo, issue_number: number });
  return {
    ...postOf(data),
    title: data.title,
    at: data.created_at,
    open: data.state === 'open',
    labels: labelNames(data.labels),
    isPull: data.pull_request !== undefined,
  };
}

type Data = Endpoints['GET /repos/{owner}/{repo}/issues/{issue_number}']['response']['data'];

/** What an issue, a comment and a review have in common. */
function postOf({
  user,
  body,
  html_url: url,
}: Pick<Data, 'user' | 'html_url'> & Partial<Pick<Data, 'body'>>) {
  return { author: user?.login ?? 'ghost', bot: user?.type === 'Bot', body: body ?? '', url };
}

export function labelNames(
  labels: readonly (string | { readonly name?: string | null })[],
): readonly string[] {
  return labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}
