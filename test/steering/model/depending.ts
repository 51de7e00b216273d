import { waitedFor } from '../../../src/steering/branch/task-dependencies.ts';
import type { Dependency, TaskFacts } from '../../../src/steering/shapes/task.ts';
import type { Event } from '../../../src/steering/state/event.ts';
import type { State } from '../../../src/steering/state/state.ts';
import type { Hub } from './hub.ts';
import type { Process } from './process.ts';

/** What runs depend on and what is known of tasks that people write, as src/runs finds it out. */

/** How far what a run may depend on has come, by its number. */
export function onOf({ others }: Hub, numbers: readonly number[]): readonly Dependency[] {
  return numbers.map((number) => ({ number, is: others.get(number) ?? 'open' }));
}

/** The event, with what is found of the task that its command describes. */
export function withFacts(event: Event, hub: Hub, state: State | undefined): Event {
  if (event.type !== 'said' || state === undefined) return event;
  const { command } = event;
  const isAny =
    command.type === 'spawn' ? command.tasks.length > 0 : command.type === 'retry' && command.changes;
  if (!isAny) return event;
  const names = command.type === 'retry' ? (command.changes?.depends_on ?? []) : [];
  const on = onOf(
    hub,
    names.map((name) => Number(name.slice(1))),
  );
  const { overrides = {} } = (command.type === 'retry' && command.changes) || {};
  const all = { ...state.overrides, ...overrides };
  const task_facts: TaskFacts = {
    problems: [],
    ...(on.length > 0 && { on }),
    ...(Object.keys(all).length > 0 && { overrides: all }),
  };
  return { ...event, task_facts };
}

/** Looks whether a run that waits can begin, or waits for something else by now. */
export async function looksAgain(process: Process): Promise<void> {
  const { hub } = process;
  const state = process.read();
  if (state?.standing.phase !== 'blocked') return;
  const base = state.run.base;
  const on = onOf(
    hub,
    (waitedFor(state) ?? []).map(({ number }) => number),
  );
  await process.pause();
  const at = process.clock;
  for (const { number, is } of on) {
    const to = hub.replacing.get(number);
    if (is !== 'closed' || to === undefined) continue;
    await process.record({ type: 'relinked', id: `relinked:${number}`, at, from: [number], to: [to] });
    return;
  }
  const known = on.map(({ number, is }) => `${number}=${is}`).join(',');
  await process.record({ type: 'dependencies_read', id: `dependencies:${known}@${state.seq}`, at, base, on });
}
