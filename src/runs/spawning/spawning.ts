import { readPull } from '../../github/read/pulls.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { Replacement, SpawnedTask } from '../../steering/shapes/task.ts';
import type { Event } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { startRefusalText } from '../../words/start-texts.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import { contributorsIn, historyOf } from '../repository/contributors.ts';
import { missedClosing } from '../run/missed-moves.ts';
import type { Run } from '../run/run.ts';
import { webOf } from '../run/sources.ts';
import { startRun } from '../start/start.ts';
import { inPlaceOf } from './in-place.ts';

type Spawning = NonNullable<AwaitingResolution['spawning']>;
type Made = Replacement['made'][number];

/** A run that is to be replaced, what by, and when that was asked for. */
interface Replacing {
  readonly state: State & { readonly standing: AwaitingResolution };
  readonly spawning: Spawning;
  readonly at: string;
}

/**
 * Makes the runs that take the place of one, dependencies first, and records them there. Wherever this is
 * killed, it finds what it has made when it begins again, because each has a cause of its own.
 */
export async function spawnRuns(run: Run, { owed }: State, liveRuns: LiveRuns): Promise<void> {
  const effect = owed.find((each) => each.do === 'spawn');
  const events = await run.events();
  const at = events.find(({ id }) => effect?.id === `${id}:spawn`)?.at;
  if (at === undefined) throw new Error(`${run.name} owes runs that nobody asked for`);
  const fresh: Made[] = [];
  for (;;) {
    const replacing = await stillReplacing(run, { at, liveRuns });
    if (replacing === undefined) return;
    const { state, spawning } = replacing;
    const made = [...(state.replaced_by?.made ?? []), ...fresh];
    const task = nextOf(spawning.tasks, made);
    if (task === undefined) return recordSpawned(run, { cause: spawning.cause, made }, liveRuns);
    const started = await start(run, { ...replacing, task, made, liveRuns });
    if ('why' in started) {
      const refused = { name: task.name, why: started.why };
      return recordSpawned(run, { cause: spawning.cause, made, refused }, liveRuns);
    }
    fresh.push({ name: task.name, number: started.number });
  }
}

/** Undefined if somebody has merged the run meanwhile, or what takes its place is recorded already. */
async function stillReplacing(
  run: Run,
  { at, liveRuns }: { readonly at: string; readonly liveRuns: LiveRuns },
): Promise<Replacing | undefined> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return undefined;
  const { state, seen } = snapshot;
  const { standing } = state;
  if (standing.phase !== 'awaiting_resolution' || standing.spawning === undefined) return undefined;
  const pull = await readPull(run.repository.octokit, run.repository, run.number);
  // Whoever closes it only does before us what follows anyhow.
  if (!pull.merged) return { state: { ...state, standing }, spawning: standing.spawning, at };
  const closed = await missedClosing(run, pull, { seen, log: liveRuns.services.log });
  if (closed !== undefined && !seen.has(closed.id)) await run.record(closed);
  return undefined;
}

/** A task that is still to be begun, after those on which it depends; undefined if there is none. */
function nextOf(tasks: readonly SpawnedTask[], made: readonly Made[]): SpawnedTask | undefined {
  const left = tasks.filter(({ name }) => !made.some((each) => each.name === name));
  const isReady = ({ depends_on = [] }: SpawnedTask) => !left.some(({ name }) => depends_on.includes(name));
  // That they depend on each other in a circle was refused when they were asked for.
  return left.find(isReady) ?? left[0];
}

interface Starting extends Replacing {
  readonly task: SpawnedTask;
  readonly made: readonly Made[];
  readonly liveRuns: LiveRuns;
}

/** Starts one of the runs, or finds it; `why` says to people why it cannot start. */
async function start(
  run: Run,
  { state, spawning, at, task, made, liveRuns }: Starting,
): Promise<{ readonly number: number } | { readonly why: string }> {
  const { repository, number } = run;
  const { issue, base } = state.run;
  const { by, cause } = spawning;
  const workers = task.carry === 'branch' ? await workersOn(run, state) : undefined;
  const wanted = { by, at, cause, task, made, ...(workers && { workers }) };
  const { inPlace, overrides } = inPlaceOf(state, wanted);
  const started = await startRun({
    request: {
      ...{ at, by, adopt: null, text: '', source: null },
      cause: `spawn:${number}:${cause}:${encodeURIComponent(task.name)}`,
      issue: issue === null ? null : { number: issue, title: '', body: '', open: true },
    },
    ...{ repository, liveRuns, inPlace },
    // Where the configuration is the inputs of a workflow, what was filled in there is what tightens it.
    startOptions: { base, worker_profile: inPlace.task.worker_profile, overrides, filledIn: overrides },
  });
  if (started.outcome === 'started') return { number: started.run.number };
  if (started.outcome === 'refused') return { why: startRefusalText(started.refusal, webOf(repository)) };
  throw new Error(`${task.name} in the place of #${number} came to nothing`);
}

/** Who worked on the branch of the run, which the new one's own history will not tell. */
async function workersOn({ repository, number }: Run, { run }: State): Promise<Contributors> {
  const pull = await readPull(repository.octokit, repository, number);
  const history = await historyOf(repository, pull);
  return contributorsIn(repository, { ...pull, adopted: run.adopted }, history);
}

/** A second try is another event, also if it comes to the same. */
async function recordSpawned(
  run: Run,
  spawned: Omit<Extract<Event, { type: 'spawned' }>, 'type' | 'id' | 'at'>,
  { services }: LiveRuns,
): Promise<void> {
  const { cause, refused } = spawned;
  const before = (await run.events()).filter((each) => each.type === 'spawned' && each.cause === cause);
  const id = refused === undefined ? cause : `${cause}:${refused.name}:${before.length}`;
  const at = services.clock.now().toISOString();
  await run.record({ type: 'spawned', id: `spawned:${id}`, at, ...spawned });
}
