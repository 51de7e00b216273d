import { expect, test } from 'vitest';
import { adapters, work } from '../../src/agent/index.ts';
import type { AgentAdapter, ChoiceOf } from '../../src/agent/port/agent-adapter.ts';
import { agentFixture, default_branch, hold } from './agent-fixture.ts';
import { stateOf } from './states.ts';

/** An adapter that breaks when its agent is cancelled. */
function breaking(started: () => void): AgentAdapter<ChoiceOf<'scripted'>> {
  return {
    start: async () => {
      let reject: (fault: Error) => void = () => undefined;
      const done = new Promise<never>((_, rejected) => {
        reject = rejected;
      });
      const cancel = async (): Promise<void> => {
        reject(new Error('the adapter broke'));
        await done;
      };
      started();
      return { done, cancel, park: cancel, steer: async () => 'unable' };
    },
  };
}

test('a fault while an agent is cancelled is told once, and ends no process', async () => {
  const stop = new AbortController();
  const scripted = breaking(() => setImmediate(() => stop.abort()));
  const on = await agentFixture({ 'a.txt': 'a\n' }, { adapters: { ...adapters, scripted } });
  const state = stateOf({ head: on.head });
  const assignment = { state, hold, commit: on.head, default_branch };
  // A promise that nobody handles would end the process, and so this run of the tests.
  await expect(work(assignment, on.resources, { signal: stop.signal })).rejects.toThrow('the adapter broke');
});
