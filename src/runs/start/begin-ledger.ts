import { defined } from '../../config/schema/schema-forms.ts';
import { ourLabel } from '../../github/names.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
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
import { turnOf } from '../dependencies/turns.ts';
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
  const { request, runs, inPlace } = starting;
  const { repository, services } = runs;
  const run = runs.of(beginning.number);
  // People and other tools find runs by their label, which a crash before the first rendering must not lose.
  const labelled = { ...repoParams(repository), issue_number: beginning.number, labels: [ourLabel] };
  const labelling = repository.octokit.rest.issues.addLabels(labelled);
  await Promise.all([labelling, services.noteRun?.(repository)]);
  const { cause: id, at, by, source, issue } = request;
  const { replaces, inherited, others_pushed, skips_ci } = inPlace ?? {};
  const { people, complete } = contributors ?? { people: [], complete: true };
  const behind = await turnIn(starting, { ...beginning, settings, on });
  await run.record({
    ...{ type: 'run_started', id, at },
    ...defined({ replaces, inherited, others_pushed, skips_ci, overrides, behind }),
    ...(signs && { signs }),
    run: identityOf(run, { ...beginning, issue: issue?.number ?? null }),
    ...{ task, settings },
    ...{ by, source },
    ...(people.length > 0 && { contributors: people }),
    ...(!complete && { people_unknown: true }),
    ...(earlier.length > 0 && { earlier }),
    ...(on.length > 0 && { on }),
  });
  return run;
}

/** Who a run is, which never changes but for its base. */
export function identityOf(
  { name: id, number, repository, services: { presenter } }: Run,
  beginning: Pick<RunIdentity, 'branch' | 'base' | 'head' | 'issue' | 'adopted'>,
): RunIdentity {
  const { id: repository_id, owner, name: repo } = repository;
  return { id, repository_id, owner, repo, number, presenter, ...beginning };
}

/** The runs that it has to wait behind; a pull request that somebody else has opened waits for none. */
async function turnIn(
  { runs, inPlace }: Starting,
  { number, adopted, settings, on }: Pick<Beginning, 'number' | 'adopted' | 'settings' | 'on'>,
): Promise<readonly number[] | undefined> {
  if (adopted || !areReady(on)) return undefined;
  const coming = { number, ...(inPlace && { replaces: inPlace.replaces.number }) };
  return turnOf(runs, { ...coming, most: settings.open_runs });
}

/**
 * The task with all that it depends on, by its own words, those of its issue and GitHub's own dependencies,
 * as they are when it is taken: later edits change nothing. Refuses what cannot be waited for, together with
 * everything else that is wrong with the task.
 */
export async function withDependencies(
  { request, runs, inPlace }: Starting,
  { task, problems: known }: CheckedTask,
  pull?: number,
): Promise<Pick<Beginning, 'task' | 'on'>> {
  const { issue, text } = request;
  const words = [text, issue?.body ?? ''].join('\n\n');
  // What takes the place of another task has its dependencies from whoever wrote it, not from the issue.
  const named = inPlace ? [] : await namedIn(runs, { text: words, issue: issue?.number });
  const names = [...new Set([...task.depends_on, ...named])];
  const own = [inPlace ? undefined : issue?.number, pull].flatMap((number) => number ?? []);
  const found = await dependenciesOf(runs, { base: task.base, own, names });
  const problems = [...known, ...found.problems];
  if (problems.length > 0) throw new CannotStart({ why: 'task_problems', problems });
  const { on } = found;
  return { task: { ...task, depends_on: on.map(({ number }) => `#${number}`) }, on };
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
  { runs }: Starting,
  { issue, numbers }: { readonly issue: number; readonly numbers: readonly number[] },
): Promise<readonly EarlierRun[]> {
  const givenUp = new Map<number, GivingUp>();
  const waiting = [...numbers];
  for (let read = 0; read < maxRead && waiting.length > 0; read++) {
    const number = Math.max(...waiting);
    waiting.splice(waiting.indexOf(number), 1);
    const run = runs.of(number);
    const state = await stateOf(run);
    if (state?.run.issue !== issue) continue;
    waiting.push(...(state.replaced_by?.made ?? []).map((made) => made.number));
    const said = await unlessForeign(run, givingUpOf(run, state));
    if (said !== undefined) givenUp.set(number, said);
  }
  const found: EarlierRun[] = [];
  for (const [number, said] of [...givenUp].toSorted(([one], [other]) => other - one)) {
    const { role } = await roleOf(runs.repository.octokit, runs.repository, said.by);
    if (!covers(role, 'write')) continue;
    const { login, id } = said.by;
    const how = said.command.type === 'abandon' ? { how: 'abandoned' as const } : {};
    found.push({ number, by: { login, id }, at: said.at, reason: beginning(said.command.reason), ...how });
    if (found.length === maxRuns) break;
  }
  return found;
}

/**
 * What another run has come to; undefined if its ledger is not ours. Throws if a newer version has written
 * it: that run may be at work.
 */
export async function stateOf(run: Run): Promise<State | undefined> {
  return (await unlessForeign(run, run.readLedger()))?.state;
}

/** What a ledger says; undefined if it is not ours. */
async function unlessForeign<T>(run: Run, asked: Promise<T>) {
  return asked.catch((fault: unknown) => {
    if (!(fault instanceof LedgerBroken || fault instanceof LedgerKeyUnknown)) throw fault;
    run.services.log.warn(`could not learn why ${run.name} has ended: ${messageOf(fault)}`);
    return undefined;
  });
}

type OpenRun = { readonly number: number; readonly phase?: Phase | undefined };

/** An open run that has taken the place of one that has ended, or of one that had; undefined if none is. */
export async function openSuccessor(starting: Starting, number: number): Promise<OpenRun | undefined> {
  const { runs } = starting;
  const state = await stateOf(runs.of(number));
  if (state?.standing.phase !== 'abandoned') return undefined;
  for (const made of state.replaced_by?.made ?? []) {
    const successor = runs.of(made.number);
    if ((await successor.pull()).open) {
      const its = await stateOf(successor);
      return { number: made.number, phase: its?.standing.phase };
    }
    const found = await openSuccessor(starting, made.number);
    if (found !== undefined) return found;
  }
  return undefined;
}

type GivingUp = CommandEventOf<'reject' | 'abandon'>;

/** What was said, if a run has ended with it and with a reason. */
async function givingUpOf(run: Run, { standing }: State): Promise<GivingUp | undefined> {
  if (standing.phase !== 'rejected' && standing.phase !== 'abandoned') return undefined;
  const { by, reason } = standing;
  if (reason === '') return undefined;
  return (await run.ledger.events()).findLast(
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
