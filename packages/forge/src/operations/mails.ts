import { markdownAsOnGitHub } from '../../../../src/html/markdown.ts';
import type { Context } from '../context.ts';
import type { Edit, Issue, IssueEvent, Repository, Team } from '../model.ts';
import type { Made } from '../model-base.ts';
import { issueEventsOf } from './issue-events.ts';

/** What GitHub would mail to everybody who takes part in an issue or a pull request or watches it. */
export interface Mail {
  /** Of the text or the event that it tells of. */
  id: number;
  /** The issue's or the pull request's. */
  number: number;
  /** ISO 8601 */
  at: string;
  /** Whose deed it is: they get no mail of it. */
  by: string;
  /** A review is requested from, and an edit mentions, only those in `names`, so only they are mailed. */
  about:
    | 'opened'
    | 'commented'
    | 'reviewed'
    | 'review_requested'
    | 'mentioned'
    | 'merged'
    | 'closed'
    | 'reopened';
  /** The logins and teams that it is sent to even if they watch nothing. */
  names: string[];
}

/**
 * The mails of a repository, oldest first, derived from what happened there. GitHub sends none of labels,
 * checks, edits or pushes (unless somebody asks for those), nor when a draft becomes ready or the reverse. It
 * does not say whether those are mailed whom an edit is the first to mention, so they count as if they were.
 */
export function mailsOf(context: Context, repository: Repository): Mail[] {
  const mails = context.store.issues(repository).flatMap((issue) => mailsAbout(context, issue));
  return mails.sort((one, other) => one.at.localeCompare(other.at) || one.id - other.id);
}

/** A text and who wrote it. */
type Written = Made & Readonly<{ user_id: number; body: string | null; edits: Edit[] }>;

function mailsAbout(context: Context, issue: Issue): Mail[] {
  const { number, repository_id } = issue;
  const isHere = (one: { repository_id: number }) => one.repository_id === repository_id;
  const { comments, reviews } = context.store.data;
  const written = (about: Mail['about'], text: Written, body = originalOf(text)): Mail[] => {
    const { id, created_at: at, user_id } = text;
    const posted = { id, number, at, by: loginOf(context, user_id), about, names: mentionsIn(context, body) };
    return [posted, ...addedMentions(context, number, text)];
  };
  return [
    ...written('opened', issue),
    ...comments
      .filter((comment) => isHere(comment) && comment.issue_number === number)
      .flatMap((comment) => written('commented', comment)),
    ...reviews
      .filter((review) => isHere(review) && review.pull_number === number && review.submitted_at !== null)
      .flatMap((review) => written('reviewed', review, bodiesOf(review.body, review.comments))),
    ...issueEventsOf(context, issue).flatMap((event, index, all) =>
      eventMail(context, event, all[index - 1]).map((mail) => ({
        id: event.id,
        number,
        at: event.created_at,
        ...mail,
      })),
    ),
  ];
}

/** What is closed by its merge is only told to be merged; a comment that was deleted had been mailed. */
function eventMail(
  context: Context,
  event: IssueEvent,
  before: IssueEvent | undefined,
): Pick<Mail, 'by' | 'about' | 'names'>[] {
  const by = loginOf(context, event.actor_id);
  switch (event.event) {
    case 'merged':
    case 'reopened':
      return [{ by, about: event.event, names: [] }];
    case 'closed':
      return before?.event === 'merged' ? [] : [{ by, about: event.event, names: [] }];
    case 'review_requested':
      return [{ by, about: event.event, names: [reviewerIn(context, event)] }];
    case 'comment_deleted':
      return [{ by: loginOf(context, event.author_id), about: 'commented', names: [] }];
    default:
      return [];
  }
}

function reviewerIn(
  context: Context,
  event: Extract<IssueEvent, { event: 'review_requested' | 'review_request_removed' }>,
): string {
  if ('reviewer_id' in event) return loginOf(context, event.reviewer_id);
  return teamName(context, context.store.team(event.team_id));
}

/** One mail for each edit that mentions somebody whom no earlier version of the text does. */
function addedMentions(context: Context, number: number, { id, edits }: Written): Mail[] {
  const known = new Set<string>();
  return edits.flatMap(({ body, editor_id, edited_at: at }, index) => {
    const names = mentionsIn(context, body).filter((name) => !known.has(name));
    for (const name of names) known.add(name);
    if (index === 0 || names.length === 0) return [];
    return [{ id, number, at, by: loginOf(context, editor_id), about: 'mentioned' as const, names }];
  });
}

function originalOf({ edits: [first], body }: Pick<Written, 'edits' | 'body'>): string {
  return first?.body ?? body ?? '';
}

function bodiesOf(body: string, comments: { body: string }[]): string {
  return [body, ...comments.map((comment) => comment.body)].join('\n\n');
}

const mention = /(?<![\w/`@.-])@([a-z\d][a-z\d_-]*(?:\/[\w.-]*\w)?)/gi;

/** The accounts and teams that a text mentions, as Markdown: those in code are no mentions. */
function mentionsIn(context: Context, body: string): string[] {
  const text = markdownAsOnGitHub(body).text.replace(/<(pre|code)\b[\s\S]*?<\/\1>|<[^>]*>/g, ' ');
  const named = new Set([...text.matchAll(mention)].map(([, name = '']) => name.toLowerCase()));
  const { accounts, teams } = context.store.data;
  const all = [...accounts.map(({ login }) => login), ...teams.map((team) => teamName(context, team))];
  return all.filter((name) => named.has(name.toLowerCase()));
}

function teamName(context: Context, { organization_id, slug }: Team): string {
  return `${loginOf(context, organization_id)}/${slug}`;
}

function loginOf(context: Context, id: number): string {
  return context.store.account(id).login;
}
