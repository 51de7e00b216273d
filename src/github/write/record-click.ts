import type { Octokit } from '../octokit/connect.ts';
import { type Click, clickId, clickName, type OwnChecks, wasClicked } from '../read/own-checks.ts';
import { repoParams } from '../read/repository.ts';

/**
 * Records a click on Approve as a check run of its own, which only we can write: a click leaves no text that
 * could be read again, and anyone with write access can force-push the ledger.
 */
export async function recordClick(octokit: Octokit, place: OwnChecks, click: Click): Promise<void> {
  if (await wasClicked(octokit, place, click)) return;
  await octokit.rest.checks.create({
    ...repoParams(place.where),
    name: clickName(click),
    head_sha: click.source.head_sha,
    external_id: clickId(place, click),
    status: 'completed',
    conclusion: 'neutral',
  });
}
