import { openPulls } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
import { united } from '../../repository/configuration.ts';
import { contributorsIn, historyOf } from '../../repository/contributors.ts';
import { webOf } from '../../repository/repository.ts';
import { nextTask, type Replaced, takenAlong } from '../../steering/iterations/replacing.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { Replacement, SpawnedTask, Task } from '../../steering/shapes/task.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { issueDoneText } from '../../words/parts/resolution-texts.ts';
import { startRefusalText } from '../../words/start-texts.ts';
import { notEnded } from '../dependencies/dependencies.ts';
import { noteTurned } from '../dependencies/waking.ts';
import { recordMissedEnd } from '../run/catch-up.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { Run } from '../run/run.ts';
import { beginning, stateOf } from '../start/begin-ledger.ts';
import { longestTitle } from '../start/requested-task.ts';
import { startRun } from '../start/start.ts';

type Spawning = NonNullable<AwaitingResolution['spawning']>;
type Made = Replacement['made'][number];

/** A run that is to be replaced, what by, and when that was asked for. */
interface Replacing {
  readonly state: Replaced;
  readonly spawning: Spawning;
  readonly at: string;
}

/**
 * Makes the runs that take the place of one, dependencies first, and records them there. Wherever this is
 * killed, it finds what it has made when it begins again, because each has a cause of its own.
 */
export async function spawnRuns(run: Run, { owed }: State, runs: RepositoryRuns): Promise<void> {
  const effect = owed.find((each) => each.do === 'spawn');
  const events = await run.ledger.events();
  const at = events.find(({ id }) => effect?.id === `${id}:spawn`)?.at;
  if (at === undefined) throw new Error(`${run.name} owes runs that nobody asked for`);
  const fresh: Made[] = [];
  for (;;) {
    const replacing = await stillReplacing(run, at);
    if (replacing === undefined) return;
    const { state, spawning } = replacing;
    const made = [...(state.replaced_by?.made ?? []), ...fresh];
    const task = nextTask(spawning.tasks, made);
    if (task === undefined) return recordSpawned(run, { cause: spawning.cause, made });
    const started = await start(run, { ...replacing, task, made, runs });
    if ('why' in started) {
      const refused = { name: task.name, why: started.why };
      return recordSpawned(run, { cause: spawning.cause, made, refused });
    }
    fresh.push({ name: task.name, number: started.number });
  }
}

/** Undefined if somebody has merged the run meanwhile, or what takes its place is recorded already. */
async function stillReplacing(run: Run, at: string): Promise<Replacing | undefined> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return undefined;
  const { state } = snapshot;
  const { standing } = state;
  if (standing.phase !== 'awaiting_resolution' || standing.spawning === undefined) return undefined;
  const pull = await run.pull();
  // Whoever closes it only does before us what follows anyhow.
  if (!pull.merged) return { state: { ...state, standing }, spawning: standing.spawning, at };
  await recordMissedEnd(run);
  return undefined;
}

interface Starting extends Replacing {
  readonly task: SpawnedTask;
  readonly made: readonly Made[];
  readonly runs: RepositoryRuns;
}

/** Starts one of the runs, or finds it; `why` says to people why it cannot start. */
async function start(
  run: Run,
  { state, spawning, at, task, made, runs }: Starting,
): Promise<{ readonly number: number } | { readonly why: string }> {
  const { repository, number } = run;
  const { issue, base } = state.run;
  const { by, cause } = spawning;
  const workers = task.carry === 'branch' ? await workersOn(run, state) : undefined;
  const wanted = { by, at, cause, task, made, ...(workers && { workers }) };
  const along = takenAlong(state, wanted, beginning(state.standing.interrupt.failure_reason));
  const inPlace = { ...along, task: taskFrom(state, task, made) };
  const overrides = united(state.overrides ?? {}, task.overrides ?? {});
  const started = await startRun({
    request: {
      ...{ at, by, adopt: null, text: '', source: null },
      cause: `spawn:${number}:${cause}:${encodeURIComponent(task.name)}`,
      issue: issue === null ? null : { number: issue, title: '', body: '', open: true },
    },
    ...{ runs, inPlace },
    // Where the configuration is the inputs of a workflow, what was filled in there is what tightens it.
    startOptions: { base, worker_profile: inPlace.task.worker_profile, overrides, filledIn: overrides },
  });
  if (started.outcome === 'started') return { number: started.run.number };
  if (started.outcome === 'refused') return { why: startRefusalText(started.refusal, webOf(repository)) };
  throw new Error(`${task.name} in the place of #${number} came to nothing`);
}

/** Who worked on the branch of the run, which the new one's own history will not tell. */
async function workersOn(run: Run, { run: { adopted } }: State): Promise<Contributors> {
  const pull = await run.pull();
  const history = await historyOf(run.repository, pull);
  return contributorsIn(run.repository, { ...pull, adopted }, history);
}

/** A second try is another event, also if it comes to the same. */
async function recordSpawned(
  run: Run,
  spawned: Omit<Extract<Event, { type: 'spawned' }>, 'type' | 'id' | 'at'>,
): Promise<void> {
  const { cause, refused } = spawned;
  const before = (await run.ledger.events()).filter(
    (each) => each.type === 'spawned' && each.cause === cause,
  );
  const id = refused === undefined ? cause : `${cause}:${refused.name}:${before.length}`;
  await run.record({ type: 'spawned', id: `spawned:${id}`, at: run.now(), ...spawned });
}

/** What the new task leaves out is as it was, but for its title. */
function taskFrom({ task: old, run: { base } }: Replaced, task: SpawnedTask, made: readonly Made[]): Task {
  const { name, carry: _, overrides: __, ...written } = task;
  const [firstLine = ''] = written.description.trim().split('\n', 1);
  return {
    ...old,
    title: shortened(firstLine.trim(), longestTitle) || old.title,
    ...written,
    depends_on: (written.depends_on ?? []).map((each) => referenceIn(each, made)),
    id: `${old.id}-${name}`,
    base,
  };
}

/** Siblings are named, because they have no number until they are made. */
function referenceIn(name: string, made: readonly Made[]): string {
  const sibling = made.find((each) => each.name === name);
  return sibling === undefined ? name : `#${sibling.number}`;
}

/**
 * Closes the issue if no other run is at work on it any more: of several that have taken the place of one,
 * GitHub knows of none that it is the last.
 */
export async function closeIssueIfLast(run: Run, state: State, runs: RepositoryRuns): Promise<void> {
  const { repository } = run;
  const { octokit } = repository;
  const { issue, number, base } = state.run;
  // As with GitHub's own words for it, only what is in the default branch closes an issue.
  if (issue === null || state.replaces === undefined || base !== repository.default_branch) return;
  if (await isWorkedOn(run, issue, runs)) return;
  const { data } = await octokit.rest.issues.get({ ...repoParams(repository), issue_number: issue });
  if (data.state === 'closed') return;
  const merged = await mergedBeside(run, state, runs);
  const text = issueDoneText(state.replaces.number, merged);
  await run.say(`issue_done:${number}`, text, { since: state.started_at, on: issue });
  const closed = { state: 'closed', state_reason: 'completed' } as const;
  await octokit.rest.issues.update({ ...repoParams(repository), issue_number: issue, ...closed });
  // What is done with a workflow's token starts no workflow, so nobody else hears of it.
  await noteTurned(issue, runs);
}

/** Whether another run is in progress on the issue, whatever it has taken the place of. */
async function isWorkedOn(
  { repository, number }: Run,
  issue: number,
  runs: RepositoryRuns,
): Promise<boolean> {
  const { octokit, own } = repository;
  for (const pull of await openPulls(octokit, repository)) {
    if (pull.author !== own.login || pull.number === number) continue;
    const state = await stateOf(runs.of(pull.number));
    if (state?.run.issue === issue && !isOver(state.standing.phase)) return true;
  }
  return false;
}

/** The runs that were made with this one and are merged, and this one. */
async function mergedBeside(
  { number }: Run,
  { replaces }: State,
  runs: RepositoryRuns,
): Promise<readonly number[]> {
  const old = replaces && (await stateOf(runs.of(replaces.number)));
  const merged: number[] = [];
  for (const made of old?.replaced_by?.made ?? []) {
    if (made.number === number) continue;
    const pull = await runs.of(made.number).pull();
    if (pull.merged) merged.push(made.number);
  }
  return [...merged, number].toSorted((one, other) => one - other);
}

/**
 * In whose place a run is whose ledger was lost, and what is in its own. Only what the ledgers of those
 * others say counts; the description, which anyone may have changed, tells which of them to look at.
 */
export async function linksFound(
  run: Run,
  runs: RepositoryRuns,
): Promise<Pick<EventOf<'run_started'>, 'replaces' | 'replaced_by'>> {
  const { number } = run;
  const { body } = await run.pull();
  const [, named] = /\btakes the place of #(\d{1,9})\b/i.exec(body) ?? [];
  const old = named === undefined ? undefined : await runs.of(Number(named)).readLedger();
  const { cause, made = [] } = old?.state.replaced_by ?? {};
  const own = made.find((each) => each.number === number);
  const fresh = (await notEnded(runs)).flatMap((other) =>
    other.replaces?.number === number ? [{ ...other.replaces, number: other.number }] : [],
  );
  const [first] = fresh;
  return {
    ...(own !== undefined && cause !== undefined && { replaces: { ...own, number: Number(named), cause } }),
    ...(first !== undefined && {
      replaced_by: {
        cause: first.cause,
        made: fresh.map(({ name, number: made }) => ({ name, number: made })),
      },
    }),
  };
}
