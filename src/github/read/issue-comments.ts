import type { Account } from '../events/github-event.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { saidThrough, textIn } from '../said-mark.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository.ts';

/** What people have written on an issue. */
export interface IssueConversation {
  readonly author: Account;
  /** The text of the issue as GitHub shows it. */
  readonly html: string;
  /** The newest comments of people, oldest first; bots' are left out. */
  readonly comments: readonly IssueComment[];
  /** Whether there are comments that were not read. */
  readonly has_earlier: boolean;
}

export interface IssueComment {
  readonly node_id: string;
  readonly author: Account;
  /** ISO 8601. */
  readonly at: string;
  /** Without the seal of a door. */
  readonly body: string;
  readonly html: string;
  /** The App that wrote it, by its name in URLs; undefined if none did, or a door of ours. */
  readonly via_app: string | undefined;
}

const perPage = 100;

/**
 * Reads an issue and its newest 100 to 200 comments, of however many; undefined if the issue is no longer in
 * this repository.
 */
export async function readIssueComments(
  octokit: Octokit,
  where: RepositoryRef & { readonly id: number; readonly own: Own },
  number: number,
): Promise<IssueConversation | undefined> {
  const issue = await issueOf(octokit, where, number);
  if (issue === undefined) return undefined;
  const last = Math.max(1, Math.ceil(issue.comments / perPage));
  const pages = [last - 1, last].filter((page) => page > 0);
  const asked = { ...repoParams(where), issue_number: number, per_page: perPage, mediaType };
  const found: CommentData[] = [];
  for (const page of pages) found.push(...(await octokit.rest.issues.listComments({ ...asked, page })).data);
  return {
    author: accountOf(issue.user),
    html: issue.body_html ?? '',
    comments: found.map((data) => commentFrom(data, where, number)).filter(({ author }) => !author.bot),
    has_earlier: last > pages.length,
  };
}

/** GitHub answers for an issue that was moved with the one in the other repository. */
async function issueOf(octokit: Octokit, where: RepositoryRef, number: number) {
  const asked = { ...repoParams(where), issue_number: number, mediaType };
  const data = (await unless(octokit.rest.issues.get(asked), 404, 410))?.data;
  const path = `/repos/${where.owner}/${where.name}`.toLowerCase();
  const isHere = data?.repository_url.toLowerCase().endsWith(path) && data.number === number;
  return isHere ? data : undefined;
}

/** As text and as HTML: only there are the addresses under which images can be read. */
const mediaType = { format: 'full' };

type CommentData = Answers['issues']['listComments']['response']['data'][number];

function commentFrom(
  { node_id, user, created_at, performed_via_github_app, ...text }: CommentData,
  { id: repository_id, own }: { readonly id: number; readonly own: Own },
  number: number,
): IssueComment {
  const { body = '', body_html: html = '' } = text;
  const author = accountOf(user);
  const there = { repository_id, number, user_id: author.id };
  const { via_app } = saidThrough({ ...there, body, created_at, via_app: performed_via_github_app }, own);
  return { node_id, author, at: created_at, body: textIn(body), html, via_app };
}
