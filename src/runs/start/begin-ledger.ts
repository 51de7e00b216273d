import { ourLabel } from '../../github/names.ts';
import { readPull } from '../../github/read/pulls.ts';
import { roleOf } from '../../github/read/roles.ts';
import { LedgerBroken, LedgerKeyUnknown } from '../../ledger/errors.ts';
import { messageOf } from '../../repository/faults.ts';
import { areReady } from '../../steering/branch/task-dependencies.ts';
import type { CommandEventOf } from '../../steering/iterations/step.ts';
import { type Contributors, covers } from '../../steering/shapes/people.ts';
import type { Settings, TaskOverrides } from '../../steering/shapes/settings.ts';
import type { Phase } from '../../steering/shapes/standing.ts';
import type { Dependency, EarlierRun, RunIdentity, Task } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import { beginningOf } from '../../text/characters.ts';
import { dependenciesOf, namedIn } from '../dependencies/dependencies.ts';
import { turnOf } from '../dependencies/waking.ts';
import type { LiveRun } from '../live/live-run.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { Run } from '../run/run.ts';
import type { CheckedTask } from './requested-task.ts';
import { CannotStart, type Starting } from './starting.ts';

export interface Beginning {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly head: string;
  readonly task: Task;
  readonly settings: Settings;
  readonly overrides?: TaskOverrides;
  readonly adopted: boolean;
  /** GitHub signs its commits. */
  readonly signs: boolean;
  /** Who shaped the task or the branch before the run, if that matters. */
  readonly contributors?: Contributors;
  /** Runs on the same issue that were rejected. */
  readonly earlier?: readonly EarlierRun[];
  /** What has to be merged before it begins. */
  readonly on: readonly Dependency[];
}

/** Records the first event of a run; idempotent. */
export async function beginLedger(
  starting: Starting,
  { task, settings, overrides, signs, contributors, earlier = [], on, ...beginning }: Beginning,
): Promise<Run> {
  const { request, repository, liveRuns } = starting;
  const { owner, name, id } = repository;
  const run = liveRuns.of(repository, beginning.number);
  await Promise.all([mark(starting, beginning.number), liveRuns.services.noteRun?.(repository)]);
  const identity: RunIdentity = {
    id: `${owner}/${name}#${beginning.number}`,
    repository_id: id,
    owner,
    repo: name,
    presenter: liveRuns.services.presenter,
    issue: request.issue?.number ?? null,
    ...beginning,
  };
  const { cause, at, by, source } = request;
  const rules = { settings, ...(overrides === undefined ? {} : { overrides }) };
  const people = whoWorked(contributors);
  const { inPlace } = starting;
  const behind = await turnIn(starting, { ...beginning, settings, on });
  const fields = {
    ...(inPlace && { replaces: inPlace.replaces, inherited: inPlace.inherited }),
    ...(inPlace?.others_pushed && { others_pushed: true as const }),
    ...(inPlace?.skips_ci && { skips_ci: true as const }),
    ...(signs && { signs }),
    run: identity,
    task,
    ...rules,
    by,
    source,
    ...people,
    ...(earlier.length > 0 && { earlier }),
    ...(on.length > 0 && { on }),
    ...(behind && { behind }),
  };
  await run.record({ type: 'run_started', id: cause, at, ...fields });
  return run;
}

/** The runs that it has to wait behind; a pull request that somebody else has opened waits for none. */
async function turnIn(
  { repository, liveRuns, inPlace }: Starting,
  { number, adopted, settings, on }: Pick<Beginning, 'number' | 'adopted' | 'settings' | 'on'>,
): Promise<readonly number[] | undefined> {
  if (adopted || !areReady(on)) return undefined;
  const coming = { number, ...(inPlace && { replaces: inPlace.replaces.number }) };
  return turnOf({ repository, liveRuns }, { ...coming, most: settings.open_runs });
}

/**
 * The task with all that it depends on, by its own words, those of its issue and GitHub's own dependencies,
 * as they are when it is taken: later edits change nothing. Refuses what cannot be waited for, together with
 * everything else that is wrong with the task.
 */
export async function withDependencies(
  { request, repository, liveRuns, inPlace }: Starting,
  { task, problems: known }: CheckedTask,
  pull?: number,
): Promise<Pick<Beginning, 'task' | 'on'>> {
  const { issue, text } = request;
  const place = { repository, liveRuns };
  const words = [text, issue?.body ?? ''].join('\n\n');
  // What takes the place of another task has its dependencies from whoever wrote it, not from the issue.
  const named = inPlace ? [] : await namedIn(place, { text: words, issue: issue?.number });
  const names = [...new Set([...task.depends_on, ...named])];
  const own = [inPlace ? undefined : issue?.number, pull].flatMap((number) => number ?? []);
  const found = await dependenciesOf(place, { base: task.base, own, names });
  const problems = [...known, ...found.problems];
  if (problems.length > 0) throw new CannotStart({ why: 'task_problems', problems });
  const { on } = found;
  return { task: { ...task, depends_on: on.map(({ number }) => `#${number}`) }, on };
}

function whoWorked(known: Contributors | undefined) {
  const { people, complete } = known ?? { people: [], complete: true };
  return {
    ...(people.length > 0 && { contributors: people }),
    ...(!complete && ({ people_unknown: true } as const)),
  };
}

/**
 * People and other tools find runs by their label, so it is set before the ledger is created. Otherwise a
 * crash before the first rendering would leave a run without it.
 */
async function mark({ repository }: Starting, issue_number: number): Promise<void> {
  const { octokit, owner, name: repo } = repository;
  await octokit.rest.issues.addLabels({ owner, repo, issue_number, labels: [ourLabel] });
}

/** Each costs a fetch. */
const maxRead = 8;
const maxRuns = 3;
const maxWords = 500;
const maxCharacters = 5_000;

/**
 * Which of these runs, or of those that took their place, people gave up, who and why, newest first. Only
 * a ledger that is ours says so, and only the words of people who may still steer are for an agent.
 */
export async function runsGivenUp(
  { repository, liveRuns }: Starting,
  { issue, numbers }: { readonly issue: number; readonly numbers: readonly number[] },
): Promise<readonly EarlierRun[]> {
  const givenUp = new Map<number, GivingUp>();
  const waiting = [...numbers];
  for (let read = 0; read < maxRead && waiting.length > 0; read++) {
    const number = Math.max(...waiting);
    waiting.splice(waiting.indexOf(number), 1);
    const run = liveRuns.of(repository, number);
    const state = (await unlessForeign(run, run.readLedger(), liveRuns))?.state;
    if (state?.run.issue !== issue) continue;
    waiting.push(...(state.replaced_by?.made ?? []).map((made) => made.number));
    const said = await unlessForeign(run, givingUpOf(run, state), liveRuns);
    if (said !== undefined) givenUp.set(number, said);
  }
  const found: EarlierRun[] = [];
  for (const [number, said] of [...givenUp].toSorted(([one], [other]) => other - one)) {
    const { role } = await roleOf(repository.octokit, repository, said.by);
    if (!covers(role, 'write')) continue;
    const { login, id } = said.by;
    const how = said.command.type === 'abandon' ? { how: 'abandoned' as const } : {};
    found.push({ number, by: { login, id }, at: said.at, reason: beginning(said.command.reason), ...how });
    if (found.length === maxRuns) break;
  }
  return found;
}

/** What a ledger says; undefined if it is not ours. */
export async function unlessForeign<T>(run: LiveRun, asked: Promise<T>, { services }: LiveRuns) {
  return asked.catch((fault: unknown) => {
    if (!(fault instanceof LedgerBroken || fault instanceof LedgerKeyUnknown)) throw fault;
    services.log.warn(`could not learn why ${run.name} has ended: ${messageOf(fault)}`);
    return undefined;
  });
}

type OpenRun = { readonly number: number; readonly phase?: Phase | undefined };

/** An open run that has taken the place of one that has ended, or of one that had; undefined if none is. */
export async function openSuccessor(starting: Starting, number: number): Promise<OpenRun | undefined> {
  const { repository, liveRuns } = starting;
  const stateOf = async (run: LiveRun) => (await unlessForeign(run, run.readLedger(), liveRuns))?.state;
  const state = await stateOf(liveRuns.of(repository, number));
  if (state?.standing.phase !== 'abandoned') return undefined;
  for (const made of state.replaced_by?.made ?? []) {
    const { open } = await readPull(repository.octokit, repository, made.number);
    if (open) {
      const its = await stateOf(liveRuns.of(repository, made.number));
      return { number: made.number, phase: its?.standing.phase };
    }
    const found = await openSuccessor(starting, made.number);
    if (found !== undefined) return found;
  }
  return undefined;
}

type GivingUp = CommandEventOf<'reject' | 'abandon'>;

/** What was said, if a run has ended with it and with a reason. */
async function givingUpOf(run: LiveRun, { standing }: State): Promise<GivingUp | undefined> {
  if (standing.phase !== 'rejected' && standing.phase !== 'abandoned') return undefined;
  const { by, reason } = standing;
  if (reason === '') return undefined;
  return (await run.events()).findLast(
    (event): event is GivingUp =>
      // Older versions gave a click a reason of their own, which nobody has said.
      event.type === 'said' &&
      event.source.from !== 'click' &&
      (event.command.type === 'reject' || event.command.type === 'abandon') &&
      event.by.login === by &&
      event.command.reason === reason,
  );
}

export function beginning(text: string): string {
  const kept = beginningOf(
    text
      .split(/(?<=\s)/)
      .slice(0, maxWords)
      .join(''),
    maxCharacters,
  ).trimEnd();
  return kept.length < text.trimEnd().length ? `${kept} [cut]` : kept;
}
