import { checkGit } from '../git/check.ts';
import { isRelevant } from '../github/events/delivery.ts';
import type { GitHubEvent } from '../github/events/github-event.ts';
import { readActionEvent } from '../github/events/payloads.ts';
import type { Log } from '../github/octokit/connect.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import { handleGitHubEvent } from '../runs/handle-event.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { Repository } from '../runs/repository.ts';
import { sweepRepository } from '../runs/sweep.ts';
import type { State } from '../steering/state.ts';
import type { ActionInputs } from './inputs.ts';
import { openRepository } from './job-context.ts';
import { assemble } from './services.ts';

/**
 * Handles one event and everything it leads to; nothing waits inside the job. Returns the runs it concerned,
 * or undefined, without any request, if it cannot concern a run. `ending` releases the work in progress.
 */
export async function runAction(
  inputs: ActionInputs,
  log: Log,
  ending: AbortSignal,
): Promise<readonly State[] | undefined> {
  const wanted = wantedBy(inputs);
  if (wanted !== 'sweep' && wanted.length === 0) return undefined;
  await checkGit();
  const clock = new GitHubClock();
  const liveRuns = await assemble(inputs, { log, clock });
  ending.addEventListener('abort', () => void release(liveRuns));
  try {
    const repository = await openRepository(inputs, { log, clock, incoming: wanted[0] });
    await handle(wanted, inputs, { repository, liveRuns });
  } finally {
    await finish(liveRuns);
  }
  const states = liveRuns.newest();
  await liveRuns.close();
  return states;
}

type Wanted = 'sweep' | readonly GitHubEvent[];

/** What to do, based on the event alone. */
function wantedBy({ mode, eventName, payload, runId }: ActionInputs): Wanted {
  if (mode === 'sweep' || eventName === 'schedule') return 'sweep';
  const incoming = readActionEvent(eventName, payload, { run_id: runId }).filter(isRelevant);
  const [first] = incoming;
  if (first?.kind === 'dispatch' && (first.inputs['prompt'] ?? '').trim() === '') {
    throw new Error('input prompt is empty: expected the task, as in `prompt: Fix the flaky test`');
  }
  return incoming;
}

interface RunContext {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

async function handle(wanted: Wanted, { overrides, base }: ActionInputs, context: RunContext): Promise<void> {
  // We cannot know whether another job still runs, so leases have to expire.
  if (wanted === 'sweep')
    return sweepRepository(context.repository, context.liveRuns, { isGone: () => false });
  for (const incoming of wanted)
    await handleGitHubEvent(incoming, { ...context, startOptions: { overrides, base } });
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
