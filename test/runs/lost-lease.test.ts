import { expect, test } from 'vitest';
import { releaseLost } from '../../src/runs/run/overdue.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { story } from '../steering/story.ts';

/** Work is given to another process, but not while anybody may still be doing it. */

interface Looked {
  /** In milliseconds after the lease ends. */
  readonly after: number;
  readonly gone?: string;
}

/** What a sweep records of a run that `engine` works on. */
async function found({ after, gone }: Looked): Promise<readonly Event['type'][]> {
  const { state } = story().starts().engine.takes('engine');
  if (state.standing.phase !== 'working') throw new Error('nobody works');
  const until = Date.parse(state.standing.hold.until);
  const recorded: Event['type'][] = [];
  const run = {
    now: () => new Date(until + after).toISOString(),
    record: async ({ type }: Event) => {
      recorded.push(type);
      return { state, fresh: true };
    },
  };
  await releaseLost(run, state, { isGone: ({ holder }) => holder === gone });
  return recorded;
}

test('a lease is lost when its time is over, and not before', async () => {
  expect(await found({ after: -1 })).toEqual([]);
  expect(await found({ after: 0 })).toEqual([]);
  expect(await found({ after: 1 })).toEqual(['hold_lost']);
});

test('a lease is lost at once when its own process is gone', async () => {
  expect(await found({ after: -60_000, gone: 'engine' })).toEqual(['hold_lost']);
  expect(await found({ after: -60_000, gone: 'another' })).toEqual([]);
});
