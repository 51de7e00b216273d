import type { NotifyTarget } from '../config/operator/targets.ts';
import { checkGit } from '../git/check.ts';
import type { Log } from '../github/octokit/connect.ts';
import type { Notifier } from '../notify/message.ts';
import { handleGitHubEvent } from '../runs/handle-event.ts';
import type { LiveRuns } from '../runs/live/live-runs.ts';
import { mergeIfWaiting } from '../runs/look-again.ts';
import { GitHubClock } from '../runs/repository/github-clock.ts';
import type { Repository } from '../runs/repository/repository.ts';
import { releaseLost } from '../runs/run/release-lost.ts';
import { sweepRepository } from '../runs/sweep.ts';
import type { Lease } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { isCommand, sayOnRun } from './dispatched.ts';
import type { ActionInputs } from './inputs.ts';
import { openRepository } from './job-context.ts';
import type { JobWork } from './job-work.ts';
import { assemble, LostJobs } from './services.ts';

interface Job {
  readonly inputs: ActionInputs;
  readonly work: Exclude<JobWork, { kind: 'nothing' }>;
  readonly log: Log;
  /** Releases the work in progress. */
  readonly ending: AbortSignal;
}

/**
 * Does the job's work and everything it leads to. Nothing waits for people inside the job, except an agent
 * that asks for permission. Returns its runs.
 */
export async function runAction({ inputs, work, log, ending }: Job): Promise<readonly State[]> {
  await checkGit();
  const clock = new GitHubClock();
  const targets = await inputs.targets();
  const notifier = await notifierFor(targets);
  const liveRuns = assemble(inputs, { log, clock, targets, notifier });
  ending.addEventListener('abort', () => void release(liveRuns));
  try {
    const repository = await openRepository(inputs, { log, clock, work });
    if (!ending.aborted) await handle(work, inputs, { repository, liveRuns });
  } finally {
    await finish(liveRuns);
  }
  const states = liveRuns.changed();
  await liveRuns.close();
  return states;
}

/** What sends is loaded only where there is somebody to send to. */
async function notifierFor(targets: readonly NotifyTarget[] | null): Promise<Notifier | undefined> {
  if (targets === null) return undefined;
  const { notifierOf } = await import('../notify/notifier.ts');
  return notifierOf(targets);
}

async function handle(
  work: Job['work'],
  { overrides, tightening, base, runId, runAttempt }: ActionInputs,
  { repository, liveRuns }: { readonly repository: Repository; readonly liveRuns: LiveRuns },
): Promise<void> {
  const { log, clock } = liveRuns.services;
  const lostJobs = new LostJobs(repository, { run_id: runId, run_attempt: runAttempt }, log);
  const isGone = (hold: Lease) => lostJobs.isGone(hold);
  const startOptions = { overrides, filledIn: tightening, base };
  if (work.kind === 'sweep') {
    await sweepRepository(repository, liveRuns, { isGone, startOptions });
    return;
  }
  for (const incoming of work.events) {
    const context = { repository, liveRuns, startOptions };
    const handling = () => handleGitHubEvent(incoming, context);
    await (isCommand(incoming) ? sayOnRun(incoming, { ...context, handling }) : handling());
  }
  // Nothing tells a job that what an approved run has waited for is there.
  const heard = liveRuns.openIn(repository);
  await mergeIfWaiting(
    heard.map(({ number }) => number),
    { repository, liveRuns },
  );
  // Whoever says something about a run need not wait for the sweep to find that nobody works on it.
  for (const run of heard)
    if (run.newest !== undefined) await releaseLost(run, run.newest, { isGone, now: clock.now() });
}

/** Waits for everything the event led to: events lead to attempts, whose results are events again. */
async function finish(liveRuns: LiveRuns): Promise<void> {
  const { engine, timers } = liveRuns.services;
  do {
    await liveRuns.drained();
    await engine.idle();
  } while (!liveRuns.quiet);
  timers.stop();
}

/** The runner gives a cancelled job a few seconds, which is enough to release its attempts. */
async function release(liveRuns: LiveRuns): Promise<void> {
  await liveRuns.services.engine.stop();
  await liveRuns.close();
}
