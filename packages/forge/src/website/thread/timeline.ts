import { commitsBetween } from '../../git/commits.ts';
import type { Issue, IssueEvent, PullIssue } from '../../model.ts';
import { issueEventsOf } from '../../operations/issue-events.ts';
import { commentsOf } from '../../payloads/issues.ts';
import { reviewsOf } from '../../payloads/pulls.ts';
import { isPull } from '../../store.ts';
import { commitLink, type Html, html, person, time } from '../html.ts';
import type { RepositoryVisit } from '../visit.ts';
import { eventWords } from './event-words.ts';
import { reviewCard } from './reviews.ts';
import { commentCard } from './thread.ts';

/** One entry; `id` orders what happened in the same second, and commits have none. */
interface Item {
  at: string;
  id: number;
  shown: Html;
}

/** Comments, reviews, commits and events, oldest first. */
export async function timeline(visit: RepositoryVisit, issue: Issue): Promise<Html[]> {
  const { context } = visit;
  const comments = commentsOf(context, issue).map((comment) => ({
    at: comment.created_at,
    id: comment.id,
    shown: commentCard(visit, comment),
  }));
  const events = issueEventsOf(context, issue).map((event) => ({
    at: event.created_at,
    id: event.id,
    shown: eventLine(visit, event),
  }));
  const ofPull = isPull(issue) ? [...reviewItems(visit, issue), ...(await commitItems(visit, issue))] : [];
  const items: Item[] = [...comments, ...events, ...ofPull];
  items.sort((one, other) => Date.parse(one.at) - Date.parse(other.at) || one.id - other.id);
  return items.map(({ shown }) => shown);
}

function eventLine({ context, at }: RepositoryVisit, event: IssueEvent): Html {
  const words = eventWords(context, event, at);
  return html`<p class="event" id="event-${event.id}">${person(context, event.actor_id)} ${words} ${time(event.created_at)}</p>`;
}

function reviewItems(visit: RepositoryVisit, issue: PullIssue): Item[] {
  return reviewsOf(visit.context, issue).flatMap((review) =>
    review.submitted_at === null
      ? []
      : [{ at: review.submitted_at, id: review.id, shown: reviewCard(visit, issue, review) }],
  );
}

async function commitItems({ git, at }: RepositoryVisit, { pull }: PullIssue): Promise<Item[]> {
  const commits = await commitsBetween(git, pull.base_sha, pull.head_sha);
  return commits.map(({ sha, message, author, committer: { date } }) => ({
    at: date,
    id: 0,
    shown: html`<p class="event" id="commit-${sha}"><b>${author.name}</b> added ${commitLink(at, sha)} ${message.split('\n', 1)[0] || '(no message)'} ${time(date)}</p>`,
  }));
}
