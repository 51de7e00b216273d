import { united } from '../../repository/configuration.ts';
import { contributorsIn, historyOf } from '../../repository/contributors.ts';
import { webOf } from '../../repository/repository.ts';
import { nextTask, type Replaced, type Taking, takenAlong } from '../../steering/iterations/replacing.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { Replacement, SpawnedTask, Task } from '../../steering/shapes/task.ts';
import type { Event } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { startRefusalText } from '../../words/start-texts.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import { recordMissedEnd } from '../run/missed-moves.ts';
import type { Run } from '../run/run.ts';
import { beginning } from '../start/begin-ledger.ts';
import { longestTitle } from '../start/requested-task.ts';
import { startRun } from '../start/start.ts';
import type { InPlace } from '../start/starting.ts';

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
  const { inPlace, overrides } = inPlaceOf(state, wanted);
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

/**
 * What a run is for that takes the place of a failed one, and what it tightens. What goes along is decided
 * with the state; which words of it are kept, here.
 */
function inPlaceOf(
  state: Replaced,
  replacement: Taking,
): { readonly inPlace: InPlace; readonly overrides: TaskOverrides } {
  const { task, made } = replacement;
  const reason = beginning(state.standing.interrupt.failure_reason);
  return {
    inPlace: { ...takenAlong(state, replacement, reason), task: taskFrom(state, task, made) },
    overrides: united(state.overrides ?? {}, task.overrides ?? {}),
  };
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
