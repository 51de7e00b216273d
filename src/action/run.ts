import { checkGit } from '../git/check.ts';
import type { GitHubEvent } from '../github/events/github-event.ts';
import { readActionEvent } from '../github/events/payloads.ts';
import { isRelevant } from '../github/events/relevance.ts';
import type { Log } from '../github/octokit/connect.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import { handleGitHubEvent } from '../runs/handle-event.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { Repository } from '../runs/repository.ts';
import { sweepRepository } from '../runs/sweep.ts';
import type { State } from '../steering/state.ts';
import type { ActionInputs } from './inputs.ts';
import { openRepository } from './job-context.ts';
import { createLiveRuns } from './services.ts';

/**
 * Handles one event with everything that follows from it; nothing waits for people inside the job.
 * Returns the runs it concerned, or undefined, without any API request, when it cannot concern one.
 * `ending` releases the attempts that are running.
 */
export async function runAction(
  inputs: ActionInputs,
  log: Log,
  ending: AbortSignal,
): Promise<readonly State[] | undefined> {
  const trigger = triggerOf(inputs);
  if (trigger !== 'sweep' && trigger.length === 0) return undefined;
  await checkGit();
  const clock = new GitHubClock();
  const liveRuns = await createLiveRuns(inputs, { log, clock });
  ending.addEventListener('abort', () => void releaseAttempts(liveRuns));
  try {
    const repository = await openRepository(inputs, { log, clock, incoming: trigger[0] });
    await handle(trigger, inputs, { repository, liveRuns });
  } finally {
    await settleAll(liveRuns);
  }
  const states = liveRuns.newest();
  await liveRuns.close();
  return states;
}

type Trigger = 'sweep' | readonly GitHubEvent[];

/** What to do, from the event alone. */
function triggerOf({ mode, eventName, payload, runId }: ActionInputs): Trigger {
  if (mode === 'sweep' || eventName === 'schedule') return 'sweep';
  const incoming = readActionEvent(eventName, payload, { run_id: runId }).filter(isRelevant);
  const [first] = incoming;
  if (first?.kind === 'dispatch' && (first.inputs['prompt'] ?? '').trim() === '') {
    throw new Error('input prompt is empty: expected the task in words, as in `prompt: Fix the flaky test`');
  }
  return incoming;
}

interface RunContext {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

async function handle(
  trigger: Trigger,
  { overrides, base }: ActionInputs,
  context: RunContext,
): Promise<void> {
  // We cannot know whether another job is still running, so leases expire only by time.
  if (trigger === 'sweep')
    return sweepRepository(context.repository, context.liveRuns, { isGone: () => false });
  for (const incoming of trigger)
    await handleGitHubEvent(incoming, { ...context, startOptions: { overrides, base } });
}

/** Waits for everything that follows: events start attempts, and attempts record events. */
async function settleAll(liveRuns: LiveRuns): Promise<void> {
  const { engine, timers } = liveRuns.services;
  do {
    await liveRuns.drained();
    await engine.idle();
  } while (!liveRuns.quiet);
  timers.stop();
}

/** The runner leaves a cancelled job a few seconds, enough to release its attempts. */
async function releaseAttempts(liveRuns: LiveRuns): Promise<void> {
  await liveRuns.services.engine.stop();
  await liveRuns.close();
}
