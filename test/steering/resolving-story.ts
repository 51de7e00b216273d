import type { TaskFacts } from '../../src/steering/shapes/task.ts';
import type { Story } from './story.ts';
import { parseCommand } from './story-words.ts';

/** What other runs do to the one of a story, and what is known of a task that somebody writes. */

type Is = 'open' | 'closed' | 'merged' | 'ready';

/** What has to be merged, by its number. */
export function dependsOn(states: Readonly<Record<number, Is>>) {
  return { on: Object.entries(states).map(([number, is]) => ({ number: Number(number), is })) };
}

/** GitHub says of its dependencies how they stand. */
export function hearsOf(run: Story, states: Readonly<Record<number, Is>>): Story {
  return run.apply({ type: 'dependencies_read', base: run.state.run.base, ...dependsOn(states) });
}

export function isRelinked(run: Story, from: readonly number[], to: readonly number[]): Story {
  return run.apply({ type: 'relinked', from, to });
}

/** The engine merges the base into the branch before its agent begins. */
export function mergesBase(run: Story, head = run.newCommit(), base = run.state.run.base): Story {
  const head_before = run.state.head;
  return run.apply({ type: 'base_merged', hold: run.hold, head_before, head, base, base_sha: head });
}

/** The runs are there that were to take its place; `refused` cannot be made. */
export function isSpawned(run: Story, numbers: Readonly<Record<string, number>>, refused?: string): Story {
  const { standing } = run.state;
  const spawning = standing.phase === 'awaiting_resolution' ? standing.spawning : undefined;
  return run.apply({
    ...{ type: 'spawned', cause: spawning?.cause ?? 'none' },
    made: Object.entries(numbers).map(([name, number]) => ({ name, number })),
    ...(refused !== undefined && { refused: { name: refused, why: 'the base is gone' } }),
  });
}

/** Somebody writes a task, of which this was found. */
export function writes(
  run: Story,
  by: Parameters<Story['says']>[0],
  text: string,
  task_facts: Partial<TaskFacts> = {},
): Story {
  const written_at = new Date(run.now).toISOString();
  const source = { from: 'comment', comment_id: 900, text_sha256: text, written_at } as const;
  const facts: TaskFacts = { problems: [], ...task_facts };
  return run.apply({ type: 'said', command: parseCommand(text), by, source, task_facts: facts });
}

/** A comment with a block that describes tasks. */
export function block(command: string, ...lines: readonly string[]): string {
  return [`/${command}`, '', '```coxswain', ...lines, '```'].join('\n');
}
