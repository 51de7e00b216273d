import type { StartRequest } from '../github/events/run-event.ts';
import { type StartRefusal, startRefusalText } from '../github/words/starting.ts';
import { isAlwaysAnswered } from '../steering/reply-limit.ts';
import type { Repository } from './services.ts';

const anyMarker = '<!-- coxswain:reply';

/** On a public repository everybody can ask; those who may not are told so this often an hour on an issue. */
const mostNotices = 10;
const withinMs = 3_600_000;

/**
 * Tells the person who asked for a run why there is none, once for each cause: the marker in the
 * comment is found again when the same thing is heard twice.
 */
export async function replyStartRefused(
  repository: Repository,
  request: StartRequest,
  refusal: StartRefusal,
): Promise<void> {
  const number = request.issue?.number ?? request.adopt?.number;
  if (number === undefined) throw new Error(`the run cannot start: ${startRefusalText(refusal)}`);
  const { octokit, owner, name: repo, own } = repository;
  const marker = `${anyMarker} ${request.cause} -->`;
  const place = { owner, repo, issue_number: number };
  const comments = await octokit.paginate(octokit.rest.issues.listComments, {
    ...place,
    since: new Date(Date.parse(request.at) - withinMs).toISOString(),
    per_page: 100,
  });
  const ours = comments.filter(({ body, user }) => user?.login === own.login && body?.includes(anyMarker));
  if (ours.some(({ body }) => body?.includes(marker))) return;
  if (!isAlwaysAnswered(request.by.role) && ours.length >= mostNotices) return;
  await octokit.rest.issues.createComment({ ...place, body: `${startRefusalText(refusal)}\n\n${marker}` });
}
