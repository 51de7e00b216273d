import { type OpenPull, readPull } from '../../github/read/pulls.ts';
import { hasBlock } from '../../github/show/block.ts';
import { unbegunText } from '../../github/words/starting.ts';
import { Comments } from '../../github/write/comments.ts';
import { targetOf } from '../comment-target.ts';
import { messageOf } from '../faults.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import { claimAt } from '../start/claim.ts';

/** How long a job may take from opening the pull request to beginning its run, in milliseconds. */
const patienceMs = 10 * 60_000;

/**
 * Says on the pull request of a run that was started by hand that its job ended before the run began. Only
 * that job knows the task, and it goes on where it stopped when somebody runs it again; what an issue asks
 * for is started by the sweep.
 */
export async function tellUnbegun(
  repository: Repository,
  liveRuns: LiveRuns,
  pulls: readonly OpenPull[],
): Promise<void> {
  const { clock, log, presenter } = liveRuns.services;
  // Only a workflow is started by hand.
  if (presenter !== 'action') return;
  const since = clock.now().getTime() - patienceMs;
  const ours = pulls.filter(({ author }) => author === repository.own.login);
  for (const { number } of ours.filter(({ updated_at }) => Date.parse(updated_at) < since)) {
    const where = `${repository.owner}/${repository.name}#${number}`;
    await tell(repository, liveRuns, number).catch((fault: unknown) =>
      log.warn(`could not tell that the run on ${where} never began: ${messageOf(fault)}`),
    );
  }
}

async function tell(repository: Repository, { services }: LiveRuns, number: number): Promise<void> {
  const { head_ref, created_at, url, body } = await readPull(repository.octokit, repository, number);
  if (hasBlock(body)) return;
  const mirror = await repository.mirror();
  await mirror.fetch([`+refs/heads/${head_ref}:refs/heads/${head_ref}`]);
  const claim = await claimAt(mirror, `refs/heads/${head_ref}`);
  const [, job] = /^Coxswain-Cause: dispatch:(\d{1,15})$/m.exec(claim?.text ?? '') ?? [];
  if (job === undefined) return;
  const comments = new Comments(targetOf(repository, number, services), created_at);
  await comments.create({ kind: 'reply', id: `unbegun:${number}` }, async () =>
    unbegunText(new URL(`../actions/runs/${job}`, url).href),
  );
}
