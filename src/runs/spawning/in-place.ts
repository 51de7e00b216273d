import { haveOthersPushed } from '../../steering/iterations/authorship.ts';
import { isCiSkipped, spentWithFormer } from '../../steering/iterations/iteration.ts';

import { type Contributors, isSame, type Person } from '../../steering/shapes/people.ts';

import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { AwaitingResolution, SettledInteraction } from '../../steering/shapes/standing.ts';
import type { EarlierRun, Replacement, SpawnedTask, Task } from '../../steering/shapes/task.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { united } from '../repository/united.ts';
import { beginning } from '../start/earlier-runs.ts';
import type { InPlace } from '../start/starting.ts';
import { longestTitle } from '../start/task.ts';

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
export function inPlaceOf(
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
