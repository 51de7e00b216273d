import { type MissedStart, missedStarts } from '../../github/read/missed-starts.ts';
import { messageOf } from '../faults.ts';
import { handleGitHubEvent } from '../handle-event.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import type { StartOptions } from '../start/starting.ts';

/**
 * How far back a new process looks, in milliseconds: each job of the Action is one. Schedules stop for a
 * while, such as when the minutes of a month are used up.
 */
const usualMs = 7 * 24 * 60 * 60_000;

/** GitHub's times have whole seconds, and what happened during the last sweep may have been missed by it. */
const marginMs = 60_000;

/**
 * Starts the runs for which people have asked since the last sweep and whose webhooks never came, or whose
 * process ended before it had opened the pull request: the branch that it claimed is found again. What was
 * refused with a reply is over: who wants it then asks again.
 */
export async function sweepStarts(
  repository: Repository,
  liveRuns: LiveRuns,
  startOptions: StartOptions = {},
): Promise<void> {
  const { services, passedOver, startsReadUpTo } = liveRuns;
  const now = services.clock.now();
  const last = startsReadUpTo.get(repository.id);
  const from = last === undefined ? now.getTime() - usualMs : Date.parse(last) - marginMs;
  let isComplete = true;
  const since = new Date(from).toISOString().replace(/\.\d+Z$/, 'Z');
  const trigger = await liveRuns.triggers.of(repository);
  for (const start of await missedStarts(repository.octokit, repository, { since, trigger })) {
    const key = `${repository.id}:${idOf(start)}`;
    if (passedOver.has(key)) continue;
    await handleGitHubEvent(start, { repository, liveRuns, startOptions, isLookedFor: true }).then(
      () => void passedOver.set(key, true),
      (fault: unknown) => {
        isComplete = false;
        const issue = `${repository.owner}/${repository.name}#${start.issue.number}`;
        const why = `the next sweep will retry: ${messageOf(fault)}`;
        services.log.warn(`could not start the run for ${issue}; ${why}`);
      },
    );
  }
  if (isComplete) startsReadUpTo.set(repository.id, now.toISOString());
}

function idOf(start: MissedStart): string {
  return start.kind === 'comment'
    ? `comment:${start.comment.id}`
    : `labelled:${start.issue.number}@${start.at}`;
}
