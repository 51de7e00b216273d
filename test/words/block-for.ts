import { taskBlock } from '../../src/config/tasks/task-documents.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import type { State } from '../../src/steering/state/state.ts';

/** The block that people get of a task about which they are asked. */
export function blockFor(state: State): string {
  return taskBlock(state.task, state.overrides, openInteraction(state)?.id);
}
