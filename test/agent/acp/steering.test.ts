import { expect, test, vi } from 'vitest';
import type { AgentEvent } from '../../../src/agent/port/agent-adapter.ts';
import { put } from '../agent-fixture.ts';
import { answers, asks, converse, type Heard, hears, opening, speaks, turn, waitsFor } from './conversing.ts';

const steers = { _meta: { steering: { supported: true } } };

const promptsIn = (heard: readonly Heard[]): readonly (string | undefined)[] =>
  heard.flatMap(({ method, params }) => (method === 'session/prompt' ? [params?.prompt?.[0]?.text] : []));

const isText = (text: string) => (event: AgentEvent) => event.type === 'text' && event.text === text;

test('an agent without a way to be told is interrupted, and goes on with what it is told', async () => {
  const { run, heard, events } = await converse([
    ...opening(),
    waitsFor('session/prompt', 'p'),
    speaks('working'),
    waitsFor('session/cancel'),
    answers('p', { stopReason: 'cancelled' }),
    ...turn([speaks('In Rust then.')]),
  ]);
  await vi.waitFor(() => expect(events).toContainEqual({ type: 'text', text: 'working' }), 60_000);
  expect(await run.steer('Use Rust')).toBe('restarted_turn');
  expect(await run.done).toMatchObject({ report: { summary: 'In Rust then.', status: 'done' } });
  expect(promptsIn(heard())).toEqual(['Fix the sum', 'Use Rust']);
});

test('an agent that can be told in the middle of its turn is not interrupted', async () => {
  const { run, heard } = await converse([
    ...opening(steers),
    waitsFor('session/prompt', 'p'),
    speaks('working'),
    waitsFor('_session/steering', 's'),
    answers('s', { outcome: 'injected' }),
    speaks('In Rust then.'),
    answers('p', { stopReason: 'end_turn' }),
  ]);
  expect(await run.steer('Use Rust')).toBe('injected');
  expect((await run.done).kind).toBe('completed');
  const told = heard();
  expect(told.map(({ method }) => method)).not.toContain('session/cancel');
  expect(told.at(-1)?.params).toMatchObject({
    sessionId: 's1',
    prompt: [{ type: 'text', text: 'Use Rust' }],
  });
});

test('what arrives just when a turn ends begins the next one', async () => {
  const { run, heard } = await converse([
    ...opening(steers),
    waitsFor('session/prompt', 'p'),
    speaks('working'),
    waitsFor('_session/steering', 's'),
    answers('p', { stopReason: 'end_turn' }),
    answers('s', { outcome: 'promptRequired', reason: 'noRunningTurn' }),
    ...turn([speaks('In Rust then.')]),
  ]);
  expect(await run.steer('Use Rust')).toBe('restarted_turn');
  expect(await run.done).toMatchObject({ report: { summary: 'In Rust then.' } });
  expect(promptsIn(heard())).toEqual(['Fix the sum', 'Use Rust']);
});

test('several things are told one after the other, also before the agent is ready', async () => {
  const interrupted = [
    waitsFor('session/prompt', 'p'),
    speaks('working'),
    waitsFor('session/cancel'),
    answers('p', { stopReason: 'cancelled' }),
  ];
  const { run, heard } = await converse([
    ...opening(),
    ...interrupted,
    ...interrupted,
    ...turn([speaks('ok')]),
  ]);
  const told = await Promise.all([run.steer('first'), run.steer('second')]);
  expect(told).toEqual(['restarted_turn', 'restarted_turn']);
  expect((await run.done).kind).toBe('completed');
  expect(promptsIn(heard())).toEqual(['Fix the sum', 'first', 'second']);
});

test('an agent that is asking is interrupted all the same', async () => {
  const { run } = await converse(
    [
      ...opening(),
      waitsFor('session/prompt', 'p'),
      asks(7, { toolCallId: '1', title: 'rm a', kind: 'execute' }),
      waitsFor('session/cancel'),
      hears(7, { outcome: { outcome: 'cancelled' } }),
      answers('p', { stopReason: 'cancelled' }),
      ...turn([speaks('ok')]),
    ],
    { decide: () => new Promise(() => undefined) },
  );
  expect(await run.steer('Leave it')).toBe('restarted_turn');
  expect(await run.done).toMatchObject({ report: { tool_calls: [{ title: 'rm a', outcome: 'unknown' }] } });
});

test('an agent that stops too late was not told, and is sent back to its task', async () => {
  const { run, heard, workspace } = await converse(
    [
      ...opening(),
      waitsFor('session/prompt', 'p'),
      speaks('working'),
      waitsFor('session/cancel'),
      { do: 'until', path: 'late' },
      answers('p', { stopReason: 'cancelled' }),
      ...turn([speaks('Finished.')]),
    ],
    { patience: { steerMs: 100 } },
  );
  expect(await run.steer('Use Rust')).toBe('unable');
  put(workspace, { late: '' });
  expect(await run.done).toMatchObject({ report: { summary: 'Finished.' } });
  expect(promptsIn(heard())).toEqual(['Fix the sum', expect.stringContaining('Go on with the task')]);
});

test('nobody can tell an agent anything when it has ended', async () => {
  const { run, events } = await converse([...opening(), ...turn([speaks('ok')])]);
  await run.done;
  expect(events.some(isText('ok'))).toBe(true);
  expect(await run.steer('Use Rust')).toBe('unable');
});

test('an agent that ends while it is told something was not told', async () => {
  const { run } = await converse([
    ...opening(),
    waitsFor('session/prompt', 'p'),
    speaks('working'),
    waitsFor('session/cancel'),
    { do: 'exit', code: 3 },
  ]);
  expect(await run.steer('Use Rust')).toBe('unable');
  expect(await run.done).toMatchObject({ failure: { kind: 'exit' } });
});
