import { united } from '../../repository/configuration.ts';
import { contributorsIn, historyOf } from '../../repository/contributors.ts';
import { webOf } from '../../repository/repository.ts';
import { haveOthersPushed } from '../../steering/iterations/authorship.ts';
import { isCiSkipped } from '../../steering/iterations/iteration.ts';
import { spentWithFormer } from '../../steering/iterations/spending.ts';
import { type Contributors, isSame, type Person } from '../../steering/shapes/people.ts';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { AwaitingResolution, SettledInteraction } from '../../steering/shapes/standing.ts';
import type { EarlierRun, Replacement, SpawnedTask, Task } from '../../steering/shapes/task.ts';
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
  readonly state: State & { readonly standing: AwaitingResolution };
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
    const task = nextOf(spawning.tasks, made);
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

interface Wanted {
  readonly by: Person;
  readonly at: string;
  readonly cause: string;
  readonly task: SpawnedTask;
  /** Those of its siblings that are there. */
  readonly made: Replacement['made'];
  /** Who worked on the branch that it begins with, as GitHub names them; absent if it begins with none. */
  readonly workers?: Contributors;
}

/**
 * What a run is for that takes the place of a failed one, and what goes along: what people and agents said to
 * each other, why earlier runs came to nothing, and who has shaped the work. Approvals, allowed rules and
 * raised limits do not.
 */
function inPlaceOf(
  state: State & { readonly standing: AwaitingResolution },
  { by, at, cause, task, made, workers }: Wanted,
): { readonly inPlace: InPlace; readonly overrides: TaskOverrides } {
  const { number, base, adopted } = state.run;
  const spent = spentWithFormer(state);
  const isCarried = task.carry === 'branch';
  // What another base holds, nobody has to have looked at for the one that the work may return to.
  const isKnown = state.people_unknown !== true && base === state.task.base && workers?.complete !== false;
  const depends_on = (task.depends_on ?? []).map((each) => referenceIn(each, made));
  return {
    inPlace: {
      task: { ...taskFrom(state.task, { ...task, depends_on }), base },
      replaces: { number, cause, name: task.name, ...(Object.keys(spent).length > 0 && { spent }) },
      contributors: { people: [...peopleOf(state, by), ...(workers?.people ?? [])], complete: isKnown },
      earlier: earlierOf(state, by, at),
      ...(isCarried && { from: { branch: state.run.branch, head: state.head } }),
      ...(isCarried && (adopted || haveOthersPushed(state)) && { others_pushed: true as const }),
      ...(isCarried && isCiSkipped(state) && { skips_ci: true as const }),
      inherited: state.interactions.filter(saysSomething).map(({ of: _, ...settled }) => settled),
    },
    overrides: united(state.overrides ?? {}, task.overrides ?? {}),
  };
}

/** Siblings are named, because they have no number until they are made. */
function referenceIn(name: string, made: Replacement['made']): string {
  const sibling = made.find((each) => each.name === name);
  return sibling === undefined ? name : `#${sibling.number}`;
}

/** What the new task leaves out is as it was, but for its title. */
function taskFrom(old: Task, { name, carry: _, overrides: __, ...written }: SpawnedTask): Task {
  const [firstLine = ''] = written.description.trim().split('\n', 1);
  return {
    ...old,
    title: shortened(firstLine.trim(), longestTitle) || old.title,
    ...written,
    id: `${old.id}-${name}`,
  };
}

/** For whoever asked for the new run, there is a rule of its own. */
function peopleOf({ requested_by, contributors = [], iterations, queue }: State, by: Person) {
  const steers = [...iterations.flatMap((each) => each.steers), ...queue];
  const steerers = steers.map(({ author: login, author_id: id = 0 }) => ({ login, id }));
  const { login, id } = requested_by;
  return [...(isSame(requested_by, by) ? [] : [{ login, id }]), ...contributors, ...steerers];
}

/** Each is told to every agent. */
const maxEarlier = 4;

function earlierOf(
  {
    run: { number },
    standing: { interrupt },
    earlier = [],
  }: State & { readonly standing: AwaitingResolution },
  { login, id }: Person,
  at: string,
): readonly EarlierRun[] {
  const reason = beginning(interrupt.failure_reason);
  return [{ number, by: { login, id }, at, reason, how: 'replaced' as const }, ...earlier].slice(
    0,
    maxEarlier,
  );
}

/**
 * Answers, reasons to deny something, and interrupts; what was allowed or approved was so for that run only.
 */
function saysSomething({ kind, how, reply, reason, answer }: SettledInteraction): boolean {
  const why = reason ?? answer?.why ?? '';
  if (kind === 'question') return reply !== undefined;
  return kind === 'interrupt' || (kind === 'permission' && how === 'denied' && why !== '');
}
