import { ourLabel } from '../../github/names.ts';
import { areReady } from '../../steering/branch/task-dependencies.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { Settings, TaskOverrides } from '../../steering/shapes/settings.ts';
import type { Dependency, EarlierRun, RunIdentity, Task } from '../../steering/shapes/task.ts';
import { dependenciesOf, namedIn } from '../dependencies/dependencies.ts';
import { turnOf } from '../dependencies/turns.ts';
import type { Run } from '../run/run.ts';
import { CannotStart } from './cannot-start.ts';
import type { Starting } from './starting.ts';
import type { CheckedTask } from './task.ts';

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
