import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { AgentFault } from '../../../src/agent/acp/agent-faults.ts';
import { ToolCalls } from '../../../src/agent/acp/tool-calls.ts';
import { gatesOnCall } from '../../../src/agent/attempt/host.ts';
import type { AgentEvent } from '../../../src/agent/port/agent-adapter.ts';
import { profileOf } from '../../../src/profiles/index.ts';
import {
  answers,
  asks,
  converse,
  hears,
  type Line,
  opening,
  session,
  speaks,
  turn,
  updates,
  waitsFor,
} from './conversing.ts';

const prompted: readonly Line[] = [...opening(), waitsFor('session/prompt', 'p')];
/** No text can be made of it. */
const odd = { toString: 1, valueOf: 1 };

function sends(message: object): Line {
  return { from: 'agent', message: { jsonrpc: '2.0', ...message } };
}

test('values of any shape do an agent no good', async () => {
  const kinds = ['tool_call', 'tool_call_update', 'plan', 'notice', 'usage_update', 'agent_message_chunk'];
  const shapes = [odd, [odd], null, 1, 'x', { constructor: odd }];
  const update = (value: unknown) =>
    kinds.map((sessionUpdate) =>
      updates({
        ...{ sessionUpdate, toolCallId: '1', title: value, kind: value, status: value, content: value },
        ...{ rawInput: value, rawOutput: value, locations: value, cost: value, _meta: value },
        entries: [{ status: value, content: 'Look' }, value],
      }),
    );
  const { run, events } = await converse([
    ...opening(),
    ...turn([
      ...shapes.flatMap(update),
      ...shapes.flatMap((params) => [
        sends({ method: '$/cancel_request', params }),
        sends({ method: '$/cancel_request', params: { requestId: params } }),
        sends({ method: 'session/update', params }),
      ]),
      ...shapes.map((params, index) =>
        sends({ id: 20 + index, method: 'session/request_permission', params }),
      ),
      ...shapes.map((id) => sends({ id, method: 'session/request_permission', params: { id } })),
      ...shapes.map((error) => sends({ id: 999, error })),
      speaks('ok'),
    ]),
  ]);
  expect(await run.done).toMatchObject({
    kind: 'completed',
    report: { summary: expect.stringMatching(/ok$/) },
  });
  const plans = events.flatMap((event) => (event.type === 'notice' ? event.text : []));
  expect(plans).toContain('the plan of the agent:\n[ ] Look\n[ ] ');
});

test.each([odd, { code: odd, message: odd }, { code: 'x', message: 3, data: odd }, [], 'x', null])(
  'an error of any shape is one of the agent (%#)',
  async (error) => {
    const { run } = await converse([...prompted, { from: 'agent', message: { id: 'p', error } }]);
    expect(await run.done).toMatchObject({ kind: 'failed', failure: { kind: 'exit' } });
  },
);

test('an agent that is stopped for one thing is told that, whatever it does afterwards', async () => {
  const call = { sessionUpdate: 'tool_call', toolCallId: 'c#', title: 'Read', kind: 'read' };
  const message = { method: 'session/update', params: { sessionId: session, update: call } };
  const { run } = await converse(
    [
      ...prompted,
      { do: 'repeat', times: 50_001, message },
      asks(7, { toolCallId: 'x', title: 'ls', kind: 'execute' }),
      sends({ method: '$/cancel_request', params: { requestId: 7 } }),
      answers('p', { stopReason: 'end_turn' }),
      { do: 'wait' },
    ],
    { patience: { exitMs: 500 } },
  );
  expect(await run.done).toMatchObject({
    failure: { kind: 'agent_unusable', message: 'the agent `node` made more than 50,000 tool calls' },
  });
});

test('what an agent does after its work is no longer heard', async () => {
  const late = (id: string) =>
    updates({
      sessionUpdate: 'tool_call',
      toolCallId: id,
      title: 'ls',
      kind: 'execute',
      status: 'in_progress',
    });
  const { run, events, workspace } = await converse(
    [
      { do: 'stay' },
      ...opening(),
      ...turn([late('1'), speaks('ok')]),
      // Once our end of the conversation is closed.
      { do: 'ended' },
      ...Array.from({ length: 20 }, (_, index) => late(`late-${index}`)),
      { do: 'write', path: 'late', content: '' },
      { do: 'exit', code: 0 },
    ],
    { patience: { exitMs: 10_000 } },
  );
  expect((await run.done).kind).toBe('completed');
  expect(workspace).toBeDefined();
  expect(events.filter(({ type }) => type === 'tool_open')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'tool_close')).toHaveLength(1);
});

test('a call that was refused is listed as such, whatever its agent had said of it', async () => {
  const call = { toolCallId: '1', title: 'npm publish', kind: 'execute', status: 'completed' };
  const no = { outcome: { outcome: 'selected', optionId: 'no' } };
  const { run } = await converse([...opening(), ...turn([asks(7, call), hears(7, no), speaks('ok')])], {
    decide: async () => ({ allow: false, reason: 'no' }),
  });
  expect(await run.done).toMatchObject({
    report: { tool_calls: [{ title: 'npm publish', outcome: 'denied' }] },
  });
});

test('tokens without measure are no tokens', async () => {
  const usage = { inputTokens: 1.5e308, outputTokens: 1.5e308 };
  const cost = { amount: 1.5e308, currency: 'USD' };
  const { run, events } = await converse([
    ...opening(),
    ...turn([updates({ sessionUpdate: 'usage_update', cost }), speaks('ok')], 'end_turn', { usage }),
  ]);
  expect((await run.done).kind).toBe('completed');
  for (const event of events.filter(({ type }) => type === 'usage'))
    for (const amount of Object.values(event)) expect(amount === 'usage' || amount < 1e16).toBe(true);
});

test('set-up leaves no folder in the home at which an agent fails', async () => {
  const deep = Array.from({ length: 300 }, () => 'd'.repeat(200));
  const { run } = await converse([...opening(), ...turn([speaks('ok')])], {
    prepareHome: (home) => {
      const here = process.cwd();
      mkdirSync(join(home, '.claude'));
      process.chdir(join(home, '.claude'));
      for (const name of deep) {
        mkdirSync(name);
        process.chdir(name);
      }
      process.chdir(here);
    },
  });
  expect((await run.done).kind).toBe('completed');
});

/** Calls of an agent that says so much of each. */
function calling() {
  const events: AgentEvent[] = [];
  const { reading, title } = profileOf({ use: 'acp', timeout_s: 1 });
  const onEvent = (event: AgentEvent): void => void events.push(event);
  return { events, calls: new ToolCalls({ reading, title, workspace: '/repo', onEvent }) };
}

const long = 'x'.repeat(2_000_000);

test('of a very long command the beginning is kept, and rules know that there is more', () => {
  const { events, calls } = calling();
  const command = `kubectl delete namespace shop; echo ${long}`;
  calls.see('1', { kind: 'execute', title: 'Run', rawInput: { command } });
  calls.see('2', { kind: 'execute', title: `ls${' '.repeat(100_000)}; rm -rf /`, status: 'in_progress' });
  const hits = events.map((event) => (event.type === 'tool_open' ? gatesOnCall(event) : []));
  expect(hits.map((each) => each.map(({ rule }) => rule))).toEqual([
    ['changes-production', 'unparsable'],
    ['unparsable'],
  ]);
  expect(events.every((event) => JSON.stringify(event).length < 70_000)).toBe(true);
});

test('a long path is kept as far as it can be one', () => {
  const { events, calls } = calling();
  const locations = [{ path: `/repo/${'./'.repeat(5_000)}.env` }, { path: `/repo/${long}` }];
  calls.see('1', { kind: 'read', title: 'Read', locations, status: 'completed' });
  const [open] = events;
  if (open?.type !== 'tool_open') throw new Error('the call was not told');
  expect(open.paths?.[0]).toBe('.env');
  expect(open.paths?.[1]?.length).toBeLessThanOrEqual(4_096);
});

test('calls that say very much are not kept in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { events, calls } = calling();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 40; n += 1) {
    const title = `${n} ${long}`;
    const rawInput = { command: `echo ${title}`, path: `/${title}` };
    calls.see(`${n} ${long}`, {
      kind: title,
      title,
      status: title,
      rawInput,
      rawOutput: title,
      _meta: [title],
    });
  }
  events.splice(0);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});

test('an agent that begins calls without end and says much of each is stopped', () => {
  const { calls } = calling();
  const title = long.slice(0, 70_000);
  const see = (n: number, more: object) =>
    calls.see(`${n}`, { title, kind: 'edit', rawInput: { command: `${n} ${title}` }, ...more });
  for (let n = 0; n < 2_000; n += 1) see(n, { status: 'failed' });
  expect(calls.listed()).toHaveLength(2_000);
  expect(() => Array.from({ length: 2_000 }, (_, n) => see(2_000 + n, {}))).toThrow(AgentFault);
});
