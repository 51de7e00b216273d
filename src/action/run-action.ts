import type { NotifyTarget } from '../config/operator/targets.ts';
import { checkGit } from '../git/git-version.ts';
import type { GitHubEvent, GitHubEventOf } from '../github/events/github-event.ts';
import { dispatchedCommand } from '../github/listen/hear-request.ts';
import type { Log } from '../github/octokit/connect.ts';
import { LedgerOfApp } from '../ledger/errors.ts';
import type { Notifier } from '../notify/target-message.ts';
import { GitHubClock } from '../repository/github-clock.ts';
import { webOf } from '../repository/repository.ts';
import { handleGitHubEvent } from '../runs/handle-event.ts';
import { mergeIfWaiting } from '../runs/look-again.ts';
import type { LiveRuns, RepositoryRuns } from '../runs/run/live-runs.ts';
import { releaseLost } from '../runs/run/overdue.ts';
import type { Run } from '../runs/run/run.ts';
import { sweepRepository } from '../runs/sweep.ts';
import type { Lease } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { refusalText } from '../words/index.ts';
import { runAgainText } from '../words/start-texts.ts';
import type { ActionInputs, JobWork } from './inputs.ts';
import { assemble, LostJobs, openRepository } from './job-services.ts';

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
  let states: readonly State[] = [];
  try {
    const repository = await openRepository(inputs, log, clock, work);
    if (!ending.aborted) await handle(work, inputs, liveRuns.in(repository));
  } finally {
    await finish(liveRuns);
    states = liveRuns.changed();
    await liveRuns.close();
  }
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
  runs: RepositoryRuns,
): Promise<void> {
  const { log } = runs.services;
  const lostJobs = new LostJobs(runs.repository, { run_id: runId, run_attempt: runAttempt }, log);
  const isGone = (hold: Lease) => lostJobs.isGone(hold);
  const startOptions = { overrides, filledIn: tightening, base };
  if (work.kind === 'sweep') {
    await sweepRepository(runs, { isGone, startOptions });
    return;
  }
  for (const incoming of work.events) {
    const handling = () => handleGitHubEvent(incoming, runs, { startOptions });
    await (isCommand(incoming) ? sayOnRun(incoming, runs, handling) : handling());
  }
  // Nothing tells a job that what an approved run has waited for is there.
  const heard = runs.open;
  await mergeIfWaiting(
    heard.map(({ number }) => number),
    runs,
  );
  // Whoever says something about a run need not wait for the sweep to find that nobody works on it.
  for (const run of heard) if (run.newest !== undefined) await releaseLost(run, run.newest, { isGone });
}

/** Waits for everything the event led to: events lead to attempts, whose results are events again. */
async function finish(liveRuns: LiveRuns): Promise<void> {
  const { engine } = liveRuns.services;
  do {
    await liveRuns.drained();
    await engine.idle();
  } while (!liveRuns.quiet);
}

/** The runner gives a cancelled job a few seconds, which is enough to release its attempts. */
async function release(liveRuns: LiveRuns): Promise<void> {
  await liveRuns.services.engine.stop();
  await liveRuns.close();
}

/** Whether a manual start says something on a run. */
function isCommand(incoming: GitHubEvent): incoming is GitHubEventOf<'dispatch'> {
  return incoming.kind === 'dispatch' && dispatchedCommand(incoming) !== undefined;
}

/**
 * Says on a run what the inputs say. Whoever started the workflow looks at its job, so what is wrong fails
 * that: throws if it is none, if there is no such run, or if it is refused. `handling` records what is said.
 */
async function sayOnRun(
  incoming: GitHubEventOf<'dispatch'>,
  runs: RepositoryRuns,
  handling: () => Promise<void>,
): Promise<void> {
  const said = dispatchedCommand(incoming);
  if (said === undefined) return;
  if ('problem' in said) throw new Error(said.problem);
  const run = runs.of(said.number);
  const web = webOf(runs.repository);
  const known = await knownOf(run, web);
  // Somebody with maintain begins a run anew whose ledger is lost.
  if (known === undefined && said.command.type !== 'resume') throw new Error(noRun(run));
  const id = `dispatch:${incoming.run_id}`;
  const { again_by, sender } = incoming;
  const isRecorded = typeof known === 'object' && known.seen.has(id);
  if (again_by !== undefined && !isRecorded)
    throw new Error(`${run.name}: ${runAgainText({ by: sender.login, again_by })}`);
  await handling();
  const { newest } = run;
  if (newest === undefined) throw new Error(noRun(run));
  const refusal = refusalIn(newest, id, web);
  if (refusal !== undefined) throw new Error(`${run.name}: ${refusal}`);
}

/** What cannot be read is told on the pull request, when the command is recorded. */
async function knownOf(run: Run, web: string) {
  return run.readLedger().catch((fault: unknown) => {
    if (!(fault instanceof LedgerOfApp)) return 'lost';
    throw new Error(
      `the App presents ${run.name}, and only it writes there: say it as a comment on ${web}/pull/${run.number}`,
      { cause: fault },
    );
  });
}

function noRun({ name }: Run): string {
  return `${name} is no run: expected the number of a pull request that is one, which has the label coxswain`;
}

/** The refusal that the run still has to post as a reply to this event. */
function refusalIn({ owed }: State, id: string, web: string): string | undefined {
  const reply = owed.find((effect) => effect.do === 'reply' && effect.id.startsWith(`${id}:`));
  if (reply?.do !== 'reply' || reply.words.say !== 'refused') return undefined;
  const { refusal, possible } = reply.words;
  return refusalText(refusal, { possible, web });
}
