import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adapters, probeSandbox } from '../../src/agent/index.ts';
import type { AgentAdapter, Outcome } from '../../src/agent/port/agent-adapter.ts';
import { attempt } from '../../src/engine/attempt.ts';
import type { ProtocolAgent } from '../../src/steering/shapes/settings.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { anIteration } from '../github/show/state.ts';
import { ada } from '../steering/samples.ts';
import { silent } from './at-work.ts';
import { startGivenRun } from './given-run.ts';

const agent: ProtocolAgent = { use: 'acp', command: ['true'], timeout_s: 60 };

const steer: Event = {
  ...{ type: 'said', id: 'steer', at: '2026-01-01T10:00:00Z', by: ada },
  command: { type: 'steer', prompt: 'rename it', now: true },
  source: { from: 'dispatch', workflow_run_id: 1 },
};

/** An agent that somebody steers, and that ends as soon as it has heard it. */
function endingWhenTold(steers: () => Promise<unknown>): AgentAdapter<ProtocolAgent> {
  return {
    start: async () => {
      await steers();
      let end: (outcome: Outcome) => void = silent;
      const done = new Promise<Outcome>((resolve) => (end = resolve));
      const report = { summary: '', status: 'done', tool_calls: [] } as const;
      const heard = async () => {
        end({ kind: 'completed', report });
        return 'injected' as const;
      };
      const cancel = async () => end({ kind: 'cancelled' });
      return { done, cancel, park: cancel, steer: heard };
    },
  };
}

test('what an agent heard just before it ended is recorded before its result', async () => {
  const given = await startGivenRun();
  const home = await mkdtemp(join(tmpdir(), 'coxswain-heard-'));
  const standing = { phase: 'queued', work: 'attempt' } as const;
  const waiting = given.waiting({ standing, shown: null, attempt: 0, attempts_used: 0 });
  const iterations = [anIteration({ landed: false, head_before: given.head, head_after: given.head })];
  const { run, events } = given.open({ ...waiting, iterations, settings: { ...waiting.settings, agent } });
  const record = run.record.bind(run);
  Object.assign(run, {
    readSettings: async () => ({
      ...{ outcome: 'configured', default_branch: 'main' },
      settings: { ...waiting.settings, agent },
    }),
    record: async (...given: Parameters<typeof record>) => {
      if (given[0].type === 'steer_told') await new Promise((resolve) => setTimeout(resolve, 500));
      return record(...given);
    },
  });
  const sandbox = await probeSandbox('off');
  const acp = endingWhenTold(() => record(steer));
  const kit = { workRoot: join(home, 'work'), sandbox, adapters: { ...adapters, acp }, secrets: [] };
  const { clock, log } = given.services;
  await attempt(run, {
    services: {
      ...{ clock, log, nextHolder: () => 'h', holdQuestionsMs: 0, hasOthers: () => false },
      resources: async (mirror) => ({ ...kit, mirror }),
    },
    ...{ holder: 'h', signal: new AbortController().signal },
    ...{ onLeased: silent, onLive: silent, onState: silent, onWaiting: silent },
  });
  const types = events.map(({ type }) => type);
  expect(types.slice(0, 4)).toEqual(['attempt_started', 'said', 'steer_told', 'work_finished']);
  expect(run.newest?.queue).toEqual([]);
  await given.end();
  await rm(home, { recursive: true, force: true });
});
