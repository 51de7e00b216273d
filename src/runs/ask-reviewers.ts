import { readPull } from '../github/read/pulls.ts';
import { requestReviews } from '../github/write/request-reviews.ts';
import { targetOf } from './comment-target.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

/** Requests reviews from people and teams, as far as GitHub lets us; a workflow's token cannot ask teams. */
export async function askReviewers(run: Run, of: readonly string[], services: Services): Promise<void> {
  const { repository, number } = run;
  const { author, open } = await readPull(repository.octokit, repository, number);
  if (!open) return;
  const askable = of.filter((name) => services.presenter === 'app' || !name.includes('/'));
  const target = targetOf(repository, number, services);
  const refused = await requestReviews(target, { of: askable, author });
  if (refused.length > 0)
    services.log.warn(`${run.name}: GitHub lets us request no review from ${refused.join(', ')}`);
}
