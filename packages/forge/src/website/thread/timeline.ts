import { type CommitRecord, commitsBetween } from '../../git/commits.ts';
import type { Issue, IssueEvent, PullIssue } from '../../model.ts';
import { issueEventsOf } from '../../operations/issue-events.ts';
import { commentsOf } from '../../payloads/issues.ts';
import { reviewsOf } from '../../payloads/pulls.ts';
import { isPull } from '../../store.ts';
import { firstLine } from '../diff.ts';
import { commitLink, type Html, html, joined, labelTag, person, plural, time } from '../html.ts';
import type { RepositoryVisit } from '../visit.ts';
import { eventWords } from './event-words.ts';
import { reviewCard } from './reviews.ts';
import { commentCard } from './thread.ts';

/** One entry; `id` orders what happened in the same second, and commits have none. */
interface Item {
  at: string;
  id: number;
  shown: Html;
  /** An event that is told together with others before and after it. */
  label?: LabelEvent;
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
    ...(isLabelEvent(event) && { label: event }),
  }));
  const ofPull = isPull(issue) ? [...reviewItems(visit, issue), ...(await commitItems(visit, issue))] : [];
  const items: Item[] = [...comments, ...events, ...ofPull];
  items.sort((one, other) => Date.parse(one.at) - Date.parse(other.at) || one.id - other.id);
  return withLabelsTogether(visit, items);
}

/** Changes of labels that follow each other are one entry. */
function withLabelsTogether(visit: RepositoryVisit, items: Item[]): Html[] {
  const entries: { shown: Html; labels: LabelEvent[] }[] = [];
  for (const { shown, label } of items) {
    const labels = entries.at(-1)?.labels ?? [];
    const before = labels.at(-1);
    if (label && before && belongTogether(before, label)) labels.push(label);
    else entries.push({ shown, labels: label ? [label] : [] });
  }
  return entries.map(({ shown, labels }) => (labels.length > 0 ? labelLine(visit, labels) : shown));
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

/** Commits that were made one after the other are one entry. */
async function commitItems(visit: RepositoryVisit, { pull }: PullIssue): Promise<Item[]> {
  const commits = await commitsBetween(visit.git, pull.base_sha, pull.head_sha);
  const groups = new Map<string, CommitRecord[]>();
  for (const commit of commits) {
    const key = `${commit.committer.date} ${commit.author.name}`;
    groups.set(key, [...(groups.get(key) ?? []), commit]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ at: first.committer.date, id: 0, shown: commitLines(visit, group) }] : [];
  });
}

function commitLines({ at }: RepositoryVisit, group: CommitRecord[]): Html {
  const [first] = group;
  const lines = group.map(({ sha, message }) => html`<li>${commitLink(at, sha)} ${firstLine(message)}</li>`);
  return html`<div class="event" id="commits-${first?.sha}"><b>${first?.author.name}</b> added ${plural(group.length, 'commit')} ${time(first?.committer.date ?? '')}<ul class="plain">${lines}</ul></div>`;
}

export type LabelEvent = IssueEvent & { event: 'labeled' | 'unlabeled' };

export function isLabelEvent(event: IssueEvent): event is LabelEvent {
  return event.event === 'labeled' || event.event === 'unlabeled';
}

const togetherMs = 60_000;

/** Whether two events are told as one: somebody changed labels, and went on changing labels. */
export function belongTogether(one: LabelEvent, next: LabelEvent): boolean {
  const between = Date.parse(next.created_at) - Date.parse(one.created_at);
  return one.actor_id === next.actor_id && between <= togetherMs;
}

/** All labels that somebody added and removed at one time, in one line. */
export function labelLine({ context }: RepositoryVisit, events: LabelEvent[]): Html {
  const [first] = events;
  if (!first) return html``;
  const part = (kind: LabelEvent['event'], verb: string) => {
    const labels = events.filter(({ event }) => event === kind).map(({ label }) => labelTag(label));
    const noun = labels.length === 1 ? 'label' : 'labels';
    return labels.length === 0 ? [] : [html`${verb} the ${noun} ${joined(labels, ' ')}`];
  };
  const parts = [...part('labeled', 'added'), ...part('unlabeled', 'removed')];
  return html`<p class="event" id="event-${first.id}">${person(context, first.actor_id)} ${joined(parts, ' and ')} ${time(first.created_at)}</p>`;
}
