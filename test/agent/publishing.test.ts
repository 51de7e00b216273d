import { expect, test } from 'vitest';
import { work } from '../../src/agent/index.ts';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import { opening, program, session, speaks, turn } from './acp/conversing.ts';
import { agentFixture, agreeing, default_branch, hold } from './agent-fixture.ts';
import { settingsOf, stateOf } from './states.ts';

test('people are shown what an agent does now and then, not each time, and its last words', async () => {
  const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'word ' } };
  const message = { method: 'session/update', params: { sessionId: session, update: chunk } };
  const lines = [...opening(), ...turn([{ do: 'repeat', times: 5_000, message }, speaks('That was all.')])];
  const recording = lines.map((line) => JSON.stringify(line)).join('\n');
  const on = await agentFixture({ 'a.mjs': program, r: recording, '.gitignore': '*.heard\n' });
  const agent = { use: 'acp', command: ['node', 'a.mjs', 'r'], timeout_s: 60 } as const;
  const state = stateOf({ head: on.head, settings: settingsOf({ agent }) });
  const shown: Progress[] = [];
  const live = { ...agreeing, progress: (each: Progress) => void shown.push(each) };
  const { signal } = new AbortController();
  const outcome = await work({ state, hold, commit: on.head, default_branch }, on.resources, {
    signal,
    live,
  });
  expect(outcome.kind).toBe('finished');
  expect(shown.length).toBeLessThan(500);
  expect(shown.at(-1)?.saying).toMatch(/word That was all\.$/);
});
