import { listCommits } from '../git/commits.ts';
import type { Issue, Json } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import {
  commentedPayload,
  committedPayload,
  issueEventPayload,
  reviewedPayload,
} from '../payloads/issue-events.ts';
import { commentsOf, issuePayload } from '../payloads/issues.ts';
import { reviewsOf } from '../payloads/pulls.ts';
import { needs } from '../permissions.ts';
import { notFound, ok } from '../responses.ts';
import { page, type RepositoryRequest, type Route, repositoryRoute } from '../router.ts';
import { isPull } from '../store.ts';
import { issueIn, numberOf } from './shared.ts';

const read = needs('read', { issues: 'read' }, { pull_requests: 'read' });

export const timelineRoutes: Route[] = [
  repositoryRoute('GET /issues/{issue_number}/events', read, (request) => {
    const { context, repository } = request;
    const events = issueEventsOf(context, issueIn(request));
    return page(request, events, (event) => issueEventPayload(context, repository, event));
  }),
  /** Events, comments, submitted reviews and commits, oldest first. */
  repositoryRoute('GET /issues/{issue_number}/timeline', read, async (request) => {
    const { context, repository } = request;
    const issue = issueIn(request);
    const events = issueEventsOf(context, issue).map((event) => ({
      at: event.created_at,
      payload: issueEventPayload(context, repository, event),
    }));
    const comments = commentsOf(context, issue).map((comment) => ({
      at: comment.created_at,
      payload: commentedPayload(context, comment),
    }));
    const items = [...(await commits(request, issue)), ...comments, ...reviews(request, issue), ...events];
    const ordered = items.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    return page(request, ordered, ({ payload }) => payload);
  }),
  repositoryRoute(
    'GET /issues/events/{event_id}',
    needs('read', { issues: 'read' }),
    ({ context, repository, params }) => {
      const id = numberOf(params['event_id']);
      for (const issue of context.store.issues(repository)) {
        const event = issueEventsOf(context, issue).find((one) => one.id === id);
        if (!event) continue;
        return ok({ ...issueEventPayload(context, repository, event), issue: issuePayload(context, issue) });
      }
      throw notFound();
    },
  ),
];

/** When something happened, and how the timeline tells it. */
interface Item {
  at: string;
  payload: Json;
}

function reviews({ context }: RepositoryRequest, issue: Issue): Item[] {
  if (!isPull(issue)) return [];
  return reviewsOf(context, issue).flatMap((review) =>
    review.submitted_at === null
      ? []
      : [{ at: review.submitted_at, payload: reviewedPayload(context, review) }],
  );
}

async function commits({ context, repository, git }: RepositoryRequest, issue: Issue): Promise<Item[]> {
  if (!isPull(issue)) return [];
  const { base_sha, head_sha } = issue.pull;
  const found = await listCommits(git, [`${base_sha}..${head_sha}`]);
  return found.map((commit) => ({
    at: commit.committer.date,
    payload: committedPayload(context, repository, commit),
  }));
}
