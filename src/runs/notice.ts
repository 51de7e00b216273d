import type { StartRequest } from '../github/listen/hearing.ts';
import { type StartRefusal, startRefusalText } from '../github/words/starting.ts';
import type { Repository } from './workshop.ts';

/**
 * Tells the person who asked for a run why there is none, once for each cause: the marker in the
 * comment is found again when the same thing is heard twice.
 */
export async function tellWhyNot(
  repository: Repository,
  request: StartRequest,
  refusal: StartRefusal,
): Promise<void> {
  const number = request.issue?.number ?? request.adopt?.number;
  if (number === undefined) throw new Error(`the run cannot start: ${startRefusalText(refusal)}`);
  const { octokit, owner, name: repo, own } = repository;
  const marker = `<!-- coxswain:reply ${request.cause} -->`;
  const place = { owner, repo, issue_number: number };
  const comments = await octokit.paginate(octokit.rest.issues.listComments, {
    ...place,
    since: request.at,
    per_page: 100,
  });
  if (comments.some(({ body, user }) => user?.login === own.login && body?.includes(marker))) return;
  await octokit.rest.issues.createComment({ ...place, body: `${startRefusalText(refusal)}\n\n${marker}` });
}
