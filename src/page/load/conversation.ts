import type { ThreadPlace } from '../routes.ts';
import type { Reader } from './github-reader.ts';

/** What people (and we) said under an issue or a pull request. */
export interface Conversation {
  /** Oldest first. */
  readonly comments: readonly Comment[];
  /** How many older ones there are that are not shown here. */
  readonly earlier: number;
}

export interface Comment {
  /** `comment-5`, `review-7`: unique on the page. */
  readonly id: string;
  readonly author: string;
  readonly bot: boolean;
  readonly body: string;
  readonly at: string;
  readonly edited: boolean;
  readonly url: string;
  /** `approved`, `requested changes`; null for a plain comment. */
  readonly verdict: string | null;
}

export interface IssueFacts {
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly at: string;
  readonly open: boolean;
  readonly labels: readonly string[];
  readonly url: string;
}

const perPage = 100;
/** The newest pages that are read. */
const mostPages = 3;

export async function readConversation(reader: Reader, place: ThreadPlace): Promise<Conversation> {
  const { comments, earlier } = await readComments(reader, place);
  const reviews = place.at === 'pull' ? await readReviews(reader, place) : [];
  const all = [...comments, ...reviews].sort((one, other) => one.at.localeCompare(other.at));
  return { comments: all, earlier };
}

export async function readIssue(reader: Reader, { owner, repo, number }: ThreadPlace): Promise<IssueFacts> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const { data } = await reader.get(route, { owner, repo, issue_number: number });
  return {
    title: data.title,
    body: data.body ?? '',
    author: data.user?.login ?? 'ghost',
    at: data.created_at,
    open: data.state === 'open',
    labels: namesOf(data.labels),
    url: data.html_url,
  };
}

export function namesOf(labels: readonly (string | { readonly name?: string | null })[]): readonly string[] {
  return labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}

async function readComments(reader: Reader, { owner, repo, number }: ThreadPlace): Promise<Conversation> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const read = (page: number) =>
    reader.get(route, { owner, repo, issue_number: number, per_page: perPage, page });
  const first = await read(1);
  const from = Math.max(1, first.pages - mostPages + 1);
  const rest = Array.from(
    { length: first.pages - Math.max(from, 2) + 1 },
    (_, index) => Math.max(from, 2) + index,
  );
  const later = await Promise.all(rest.map(read));
  const shown = [...(from === 1 ? first.data : []), ...later.flatMap(({ data }) => data)];
  const comments = shown.map((comment) => ({
    id: `comment-${comment.id}`,
    author: comment.user?.login ?? 'ghost',
    bot: comment.user?.type === 'Bot',
    body: comment.body ?? '',
    at: comment.created_at,
    edited: comment.updated_at !== comment.created_at,
    url: comment.html_url,
    verdict: null,
  }));
  return { comments, earlier: (from - 1) * perPage };
}

const verdicts: Readonly<Record<string, string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested changes',
  DISMISSED: 'had a review dismissed',
};

/** Reviews that say something: a verdict, or words. */
async function readReviews(
  reader: Reader,
  { owner, repo, number }: ThreadPlace,
): Promise<readonly Comment[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const { data } = await reader.get(route, { owner, repo, pull_number: number, per_page: perPage });
  const spoken = data.filter(({ body, state }) => body !== '' || verdicts[state] !== undefined);
  return spoken.map((review) => ({
    id: `review-${review.id}`,
    author: review.user?.login ?? 'ghost',
    bot: review.user?.type === 'Bot',
    body: review.body,
    at: review.submitted_at ?? '',
    edited: false,
    url: review.html_url,
    verdict: verdicts[review.state] ?? null,
  }));
}
