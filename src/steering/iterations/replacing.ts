import { type Contributors, isSame, type Person } from '../shapes/people.ts';
import type { AwaitingResolution, SettledInteraction } from '../shapes/standing.ts';
import type { EarlierRun, Replacement, SpawnedTask } from '../shapes/task.ts';
import type { State } from '../state/state.ts';
import { haveOthersPushed } from './authorship.ts';
import { isCiSkipped } from './iteration.ts';
import { spentWithFormer } from './spending.ts';

/** A run that people replace by others. */
export type Replaced = State & { readonly standing: AwaitingResolution };

type Made = Replacement['made'][number];

/** A task that takes its place, and who asked for that. */
export interface Taking {
  readonly by: Person;
  readonly at: string;
  readonly cause: string;
  readonly task: SpawnedTask;
  /** Those of its siblings that are there. */
  readonly made: readonly Made[];
  /** Who worked on the branch that it begins with, as GitHub names them; absent if it begins with none. */
  readonly workers?: Contributors;
}

/** A task that is still to be begun, after those on which it depends; undefined if there is none. */
export function nextTask(tasks: readonly SpawnedTask[], made: readonly Made[]): SpawnedTask | undefined {
  const left = tasks.filter(({ name }) => !made.some((each) => each.name === name));
  const isReady = ({ depends_on = [] }: SpawnedTask) => !left.some(({ name }) => depends_on.includes(name));
  // That they depend on each other in a circle was refused when they were asked for.
  return left.find(isReady) ?? left[0];
}

/**
 * What goes along with a task that takes the place of a failed one: what people and agents said to each
 * other, why earlier runs came to nothing, here for `reason`, and who has shaped the work. Approvals, allowed
 * rules and raised limits do not.
 */
export function takenAlong(state: Replaced, { by, at, cause, task, workers }: Taking, reason: string) {
  const { number, base, adopted } = state.run;
  const spent = spentWithFormer(state);
  const isCarried = task.carry === 'branch';
  // What another base holds, nobody has to have looked at for the one that the work may return to.
  const isKnown = state.people_unknown !== true && base === state.task.base && workers?.complete !== false;
  return {
    replaces: { number, cause, name: task.name, ...(Object.keys(spent).length > 0 && { spent }) },
    contributors: { people: [...peopleOf(state, by), ...(workers?.people ?? [])], complete: isKnown },
    earlier: earlierOf(state, by, { at, reason }),
    ...(isCarried && { from: { branch: state.run.branch, head: state.head } }),
    ...(isCarried && (adopted || haveOthersPushed(state)) && { others_pushed: true as const }),
    ...(isCarried && isCiSkipped(state) && { skips_ci: true as const }),
    inherited: state.interactions.filter(saysSomething).map(({ of: _, ...settled }) => settled),
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
  { run: { number }, earlier = [] }: State,
  { login, id }: Person,
  given: Pick<EarlierRun, 'at' | 'reason'>,
): readonly EarlierRun[] {
  return [{ number, by: { login, id }, ...given, how: 'replaced' as const }, ...earlier].slice(0, maxEarlier);
}

/**
 * Answers, reasons to deny something, and interrupts; what was allowed or approved was so for that run only.
 */
function saysSomething({ kind, how, reply, reason, answer }: SettledInteraction): boolean {
  const why = reason ?? answer?.why ?? '';
  if (kind === 'question') return reply !== undefined;
  return kind === 'interrupt' || (kind === 'permission' && how === 'denied' && why !== '');
}
