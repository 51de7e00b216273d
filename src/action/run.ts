import { checkGit } from '../git/check.ts';
import type { Heard } from '../github/listen/github-event.ts';
import { readActionEvent } from '../github/listen/payloads.ts';
import { concernsUs } from '../github/listen/relevance.ts';
import type { Log } from '../github/octokit/connect.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import { takeIn } from '../runs/handle-event.ts';
import type { Lanes } from '../runs/live-runs.ts';
import type { Repository } from '../runs/services.ts';
import { sweepRepository } from '../runs/sweep.ts';
import type { State } from '../steering/state.ts';
import type { ActionInputs } from './inputs.ts';
import { placeOf } from './job-context.ts';
import { furnish } from './services.ts';

/**
 * One event, from hearing it to the last thing it led to; nothing waits inside the job.
 * Answers with the runs it concerned, or undefined when it can concern none, which takes no call to anybody.
 * `ending` gives back what is at work.
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
  const lanes = await furnish(inputs, { log, clock });
  ending.addEventListener('abort', () => void giveBack(lanes));
  try {
    const repository = await placeOf(inputs, { log, clock, heard: wanted[0] });
    await take(wanted, inputs, { repository, lanes });
  } finally {
    await finish(lanes);
  }
  const states = lanes.newest();
  await lanes.close();
  return states;
}

type Wanted = 'sweep' | readonly Heard[];

/** What there is to do, from the event alone. */
function wantedBy({ mode, eventName, payload, runId }: ActionInputs): Wanted {
  if (mode === 'sweep' || eventName === 'schedule') return 'sweep';
  const heard = readActionEvent(eventName, payload, { run_id: runId }).filter(concernsUs);
  const [first] = heard;
  if (first?.kind === 'dispatch' && (first.inputs['prompt'] ?? '').trim() === '') {
    throw new Error('input prompt is empty: expected the task in words, as in `prompt: Fix the flaky test`');
  }
  return heard;
}

interface Place {
  readonly repository: Repository;
  readonly lanes: Lanes;
}

async function take(wanted: Wanted, { overrides, base }: ActionInputs, place: Place): Promise<void> {
  // Whether another job still runs is not ours to know, so holds end when their time is over.
  if (wanted === 'sweep') return sweepRepository(place.repository, place.lanes, { isGone: () => false });
  for (const heard of wanted) await takeIn(heard, { ...place, wish: { overrides, base } });
}

/** Everything the event led to: what was told leads to attempts, and they tell something again. */
async function finish(lanes: Lanes): Promise<void> {
  const { engine, timers } = lanes.workshop;
  do {
    await lanes.settled();
    await engine.idle();
  } while (!lanes.quiet);
  timers.stop();
}

/** The runner leaves a cancelled job some seconds: enough to say that its attempts are free to be taken. */
async function giveBack(lanes: Lanes): Promise<void> {
  await lanes.workshop.engine.stop();
  await lanes.close();
}
