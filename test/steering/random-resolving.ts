import { waitedFor } from '../../src/steering/branch/task-dependencies.ts';
import type { Command } from '../../src/steering/commands/index.ts';
import { spawningIn } from '../../src/steering/iterations/interactions.ts';
import type { Dependency, TaskFacts } from '../../src/steering/shapes/task.ts';
import type { EventOf, EventType, Stamp } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { Dice } from './random-dice.ts';
import { sha } from './samples.ts';

/** What random events need for tasks that wait for others, and for those that are changed or replaced. */

type Fields<T extends EventType> = Omit<EventOf<T>, keyof Stamp>;

export const resolvingEvents = {
  dependencies_read: (state: State, dice: Dice): Fields<'dependencies_read'> => ({
    type: 'dependencies_read',
    base: dice.validOr(state.run.base, 'elsewhere'),
    on: (waitedFor(state) ?? onFor(dice)).map(({ number }) => ({ number, is: anyState(dice) })),
    ...dice.oneOf({}, { behind: [5] }, { behind: [5, 6] }, { behind: [] }),
  }),
  relinked: (state: State, dice: Dice): Fields<'relinked'> => ({
    type: 'relinked',
    from: [dice.validOr(waitedFor(state)?.[0]?.number ?? 3, 99)],
    to: dice.oneOf([5], [5, 6], [], [state.run.number]),
  }),
  base_merged: (state: State, dice: Dice, n: number): Fields<'base_merged'> => ({
    type: 'base_merged',
    hold: dice.hold(state),
    head_before: dice.validOr(state.head, sha(0)),
    head: dice.oneOf(sha(n), state.head),
    base: dice.oneOf('main', 'other'),
    base_sha: sha(7),
  }),
  spawned: (state: State, dice: Dice, n: number): Fields<'spawned'> => ({
    type: 'spawned',
    cause: dice.validOr(spawningIn(state)?.cause ?? 'none', 'none'),
    made: dice.oneOf(
      [{ name: 'less', number: 20 }],
      [{ name: `more-${n}`, number: 100 + n }],
      [
        { name: 'less', number: 20 },
        { name: `more-${n}`, number: 100 + n },
      ],
    ),
    ...dice.oneOf({}, {}, { refused: { name: 'rest', why: 'the base is gone' } }),
  }),
};

export function resolutionFor(state: State, dice: Dice): Command {
  const task_id = dice.oneOf({}, { task_id: dice.validOr(state.task.id, 'other#1') });
  return dice.oneOf<Command>(
    { type: 'spawn', ...task_id, tasks: [{ name: 'less', description: 'do less' }] },
    { type: 'spawn', tasks: [] },
    { type: 'abandon', reason: dice.oneOf('', 'no use') },
    { type: 'retry', ...task_id, changes: { description: 'otherwise' } },
    { type: 'retry', changes: { depends_on: ['#3', '#4'], overrides: { attempts: { max: 1 } } } },
    { type: 'retry', changes: { depends_on: [] } },
  );
}

/** What was found of the task that a command describes. */
export function factsFor({ overrides }: State, command: Command, dice: Dice): { task_facts?: TaskFacts } {
  const describes = 'tasks' in command || ('changes' in command && command.changes !== undefined);
  if (!describes) return {};
  const asksFor = 'changes' in command ? command.changes?.depends_on : undefined;
  return {
    task_facts: {
      problems: dice.validOr([], dice.oneOf([], ['an agent `x` is not defined'])),
      ...(asksFor !== undefined && asksFor.length > 0 && { on: onFor(dice) }),
      ...('changes' in command &&
        command.changes?.overrides && { overrides: { ...overrides, attempts: { max: 1 } } }),
    },
  };
}

function onFor(dice: Dice): readonly Dependency[] {
  return [3, 4].map((number) => ({ number, is: anyState(dice) }));
}

function anyState(dice: Dice): Dependency['is'] {
  return dice.oneOf('ready', 'ready', 'ready', 'open', 'merged', 'closed');
}
