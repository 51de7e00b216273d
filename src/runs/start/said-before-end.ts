import { lastLabelling } from '../../github/read/missed-starts.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { lastClosingId } from '../../github/read/reopening.ts';
import { isBefore } from '../../steering/time.ts';
import type { Starting } from './starting.ts';

/** Whether a run was asked for before this pull request was closed, so that its run was the answer. */
export async function isSaidBeforeEnd(starting: Starting, pull: PullFacts): Promise<boolean> {
  const { at } = starting.request;
  const { closed_at } = pull;
  if (closed_at === null || isBefore(closed_at, at)) return false;
  return isBefore(at, closed_at) || !(await isKnownToFollow(starting, pull.number));
}

/** GitHub writes whole seconds. In the same one its events have an order, and words led to the run or not. */
async function isKnownToFollow(
  { request, repository, liveRuns }: Starting,
  number: number,
): Promise<boolean> {
  const { octokit } = repository;
  if (request.source !== null) {
    const ended = await liveRuns.of(repository, number).readLedger();
    return ended !== undefined && !ended.seen.has(request.cause);
  }
  if (request.issue === null) return false;
  const trigger = await liveRuns.triggers.of(repository);
  const [set, closing] = await Promise.all([
    lastLabelling(octokit, repository, { number: request.issue.number, trigger }),
    lastClosingId(octokit, repository, number),
  ]);
  return set !== undefined && closing !== undefined && set.id > closing;
}
