import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { probeSandbox } from '../../../src/agent/index.ts';
import { places } from '../agent-fixture.ts';
import {
  answers,
  asks,
  converse,
  fails,
  hears,
  type Line,
  opening,
  options,
  session,
  speaks,
  turn,
  updates,
  waitsFor,
} from './conversing.ts';

const _unsandboxed = await probeSandbox('off');

const prompted: readonly Line[] = [...opening(), waitsFor('session/prompt', 'p')];
const open = updates({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'npm test', kind: 'execute' });

for (const { kind, sandbox, tags } of places)
  test(`an agent that dies in its turn (${kind}) has failed, with its last words`, { tags }, async () => {
    const dying = [...prompted, open, { do: 'stderr', text: 'out of ideas\n' }, { do: 'exit', code: 3 }];
    const { run, events } = await converse(dying, { sandbox });
    expect(await run.done).toEqual({
      kind: 'failed',
      failure: {
        kind: 'exit',
        message: 'the agent `node` ended with exit code 3; its last output was:\nout of ideas',
      },
    });
    expect(events.at(-1)).toEqual({ type: 'tool_close', id: '1', outcome: 'unknown' });
  });

for (const { kind, sandbox, tags } of places)
  test(`an agent that is killed (${kind}) has crashed`, { tags }, async () => {
    const { run } = await converse([...prompted, { do: 'kill' }], { sandbox });
    expect(await run.done).toMatchObject({ failure: { kind: 'crash' } });
  });

test('an agent that leaves without a word has not finished', async () => {
  const { run } = await converse([...prompted, { do: 'exit', code: 0 }]);
  expect(await run.done).toMatchObject({
    failure: { kind: 'exit', message: 'the agent `node` ended before it had finished' },
  });
});

test('what is not the protocol is told when the agent fails, and otherwise stops nobody', async () => {
  const banner = {
    do: 'raw',
    text: 'Welcome!\n[1, 2]\n"x"\n{"id": 99, "result": {}}\n{"a": 1}\n\n{"method": 3}\n',
  };
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  const fine = await converse([banner, ...opening(), banner, ...turn([banner, speaks('ok')])]);
  expect(await fine.run.done).toMatchObject({ report: { summary: 'ok' } });
  expect(printed).not.toHaveBeenCalled();
  const failed = await converse([
    { do: 'raw', text: 'Please log in\n' },
    { do: 'exit', code: 1 },
  ]);
  expect(await failed.run.done).toMatchObject({
    failure: {
      kind: 'exit',
      message: expect.stringMatching(/exit code 1; its last output was:\nPlease log in$/),
    },
  });
});

test('an agent without a model of its own has to be told one', async () => {
  const { run } = await converse([], { agent: { use: 'copilot' } });
  expect(await run.done).toMatchObject({
    failure: { kind: 'agent_unusable', message: expect.stringContaining('{ use: copilot, model: gpt-5.5 }') },
  });
  expect(await run.steer('Go on')).toBe('unable');
});

test('an agent that does not exist was not found', async () => {
  const { run } = await converse([], { agent: { command: ['no-such-agent'] } });
  expect(await run.done).toMatchObject({
    failure: { kind: 'not_found', message: expect.stringContaining('`no-such-agent` was not found') },
  });
});

test('a program that does not speak the protocol is not an agent', async () => {
  const { run } = await converse([], { agent: { command: ['cat'] } });
  expect(await run.done).toMatchObject({
    failure: { kind: 'agent_unusable', message: expect.stringContaining('`initialize`') },
  });
});

test('an agent that never gets ready is not waited for', async () => {
  const { run } = await converse([{ do: 'wait' }], { patience: { startMs: 300, exitMs: 10 } });
  expect(await run.done).toMatchObject({
    failure: { kind: 'agent_unusable', message: 'the agent `node` was not ready for a prompt within 0.3 s' },
  });
});

test('an agent of another version of the protocol is named with both', async () => {
  const { run } = await converse([waitsFor('initialize', 'i'), answers('i', { protocolVersion: 2 })]);
  expect(await run.done).toMatchObject({
    failure: {
      kind: 'agent_unusable',
      message:
        'the agent `node` speaks version 2 of the Agent Client Protocol, and Coxswain speaks version 1',
    },
  });
});

test('an agent that cannot be put into the mode in which it asks is not used', async () => {
  const { run } = await converse(
    [...opening(), waitsFor('session/set_mode', 'm'), fails('m', { code: -32602, message: 'Unknown mode' })],
    { agent: { use: 'gemini' } },
  );
  expect(await run.done).toMatchObject({
    failure: {
      kind: 'agent_unusable',
      message: 'Gemini CLI answered with an error to `session/set_mode`: Unknown mode',
    },
  });
});

const started = opening().slice(0, 3);

test.each([
  [started, { code: -32000, message: 'Authentication required' }, 'model_key'],
  [started, { code: -32603, message: 'Internal error' }, 'agent_unusable'],
  [prompted, { code: -32000, message: 'Authentication required' }, 'model_key'],
  [prompted, { code: 401, message: 'Unauthorized' }, 'model_key'],
  [prompted, { code: 429, message: 'Slow down' }, 'model_unavailable'],
  [
    prompted,
    { code: -32603, message: 'Internal error', data: { errorKind: 'overloaded' } },
    'model_unavailable',
  ],
  [
    prompted,
    {
      code: -32603,
      message: 'Internal error',
      data: { codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 503 } } },
    },
    'model_unavailable',
  ],
  [
    prompted,
    { code: -32603, message: 'Internal error', data: { details: 'fetch failed' } },
    'model_unavailable',
  ],
  [prompted, { code: -32603, message: 'No such thing' }, 'exit'],
])('an error answer is read for whose fault it is (%#)', async (before, error, kind) => {
  const asked = before === started ? 'n' : 'p';
  const { run } = await converse([...before, fails(asked, error)]);
  const outcome = await run.done;
  expect(outcome).toMatchObject({ failure: { kind, message: expect.stringContaining(error.message) } });
});

test.each([
  ['API Error: 401 {"type":"error"}', 'claude', 'model_key'],
  ['Invalid API key · Please run /login', 'claude', 'model_key'],
  ['API Error: 529 Overloaded', 'claude', 'model_unavailable'],
  ['Error: request failed with status 503', 'copilot', 'model_unavailable'],
  ['unexpected status 403 Forbidden: no', 'codex', 'model_key'],
  ['unexpected status 503 Service Unavailable: no, url: http://127.0.0.1:3128', 'codex', 'model_unavailable'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'codex', 'model_unavailable'],
  [
    'We’re currently experiencing high demand, which may cause temporary errors.',
    'codex',
    'model_unavailable',
  ],
] as const)('an agent that ends with "%s" was failed by its model', async (words, use, kind) => {
  const mode = { modes: { currentModeId: 'default', availableModes: [] } };
  const { run } = await converse([...opening({}, mode), ...turn([speaks(words)])], {
    agent: { use, model: 'gpt-5.5' },
  });
  expect(await run.done).toMatchObject({ failure: { kind, message: expect.stringContaining(words) } });
});

test('an error after half an answer is one, and an answer about errors is none', async () => {
  const error = 'unexpected status 503 Service Unavailable: no';
  const half = [...opening(), ...turn([speaks('Let me look'), speaks(`${error}\n\n`)])];
  const failed = await converse(half, { agent: { use: 'codex' } });
  expect(await failed.run.done).toMatchObject({ failure: { kind: 'model_unavailable' } });
  const about = [...opening(), ...turn([speaks(`The log says: ${error}.`), speaks(' I fixed it.')])];
  const fine = await converse(about, { agent: { use: 'codex' } });
  expect(await fine.run.done).toMatchObject({ kind: 'completed' });
});

test('a message of more than 32 MiB ends it', async () => {
  const { run } = await converse([...prompted, { do: 'huge', bytes: 33 * 1024 * 1024 }, { do: 'wait' }], {
    patience: { exitMs: 10 },
  });
  expect(await run.done).toEqual({
    kind: 'failed',
    failure: { kind: 'agent_unusable', message: 'the agent `node` sent a message of more than 32 MiB' },
  });
});

test('a flood of updates, calls and errors leaves what counts', async () => {
  const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(1000) } };
  const call = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c#',
    title: 'Read #',
    kind: 'read',
    status: 'completed',
  };
  const message = (update: object) => ({ method: 'session/update', params: { sessionId: session, update } });
  const { run } = await converse([
    ...prompted,
    { do: 'stderr', text: 'y'.repeat(1024 * 1024), times: 50 },
    { do: 'repeat', times: 20_000, message: message(chunk) },
    { do: 'repeat', times: 2_500, message: message(call) },
    speaks('ok'),
    answers('p', { stopReason: 'end_turn' }),
  ]);
  const outcome = await run.done;
  expect(outcome).toMatchObject({ kind: 'completed', report: { summary: 'ok' } });
  if (outcome.kind !== 'completed') throw new Error('expected a report');
  expect(outcome.report.tool_calls).toHaveLength(2_001);
  expect(outcome.report.tool_calls.at(-1)).toEqual({ kind: 'read', title: '500 more calls', outcome: 'ok' });
});

test('an agent that runs in circles is stopped', async () => {
  const update = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c#',
    title: 'Read',
    kind: 'read',
    status: 'completed',
  };
  const message = { method: 'session/update', params: { sessionId: session, update } };
  const { run } = await converse([...prompted, { do: 'repeat', times: 50_001, message }, { do: 'wait' }], {
    patience: { exitMs: 10 },
  });
  expect(await run.done).toMatchObject({
    failure: { kind: 'agent_unusable', message: 'the agent `node` made more than 50,000 tool calls' },
  });
});

test('a thousand permissions are asked for, one after the other', async () => {
  const request = (id: number): readonly Line[] => [
    asks(id, { toolCallId: `c${id}`, title: `Read ${id}`, kind: 'read' }),
    hears(id, { outcome: { outcome: 'selected', optionId: 'once' } }),
  ];
  const lines = Array.from({ length: 1_000 }, (_, index) => request(index)).flat();
  const { run, asked } = await converse([...opening(), ...turn([...lines, speaks('ok')])]);
  expect((await run.done).kind).toBe('completed');
  expect(asked).toHaveLength(1_000);
});

test('an agent that asks without end and waits for nothing is stopped', async () => {
  const message = {
    id: 'q#',
    method: 'session/request_permission',
    params: { sessionId: session, toolCall: { toolCallId: 'c#', title: 'Read', kind: 'read' }, options },
  };
  const { run } = await converse([...prompted, { do: 'repeat', times: 1_500, message }, { do: 'wait' }], {
    decide: () => new Promise(() => undefined),
    patience: { exitMs: 10 },
  });
  expect(await run.done).toMatchObject({
    failure: { kind: 'agent_unusable', message: expect.stringContaining('asked for 1,000 things at once') },
  });
});

test('a permission for another session, or without one, is not given', async () => {
  const foreign = {
    from: 'agent',
    message: {
      ...{ jsonrpc: '2.0', id: 5, method: 'session/request_permission' },
      params: { sessionId: 'other', toolCall: { toolCallId: '1', title: 'x' }, options },
    },
  } as const;
  const cancelled = { outcome: { outcome: 'cancelled' } };
  const { run, asked } = await converse([
    ...started,
    asks(4, { toolCallId: '0', title: 'too early' }),
    hears(4, cancelled),
    ...opening().slice(3),
    ...turn([foreign, hears(5, cancelled), speaks('ok')]),
  ]);
  expect((await run.done).kind).toBe('completed');
  expect(asked).toEqual([]);
});

test('a call that an agent withdraws is no longer decided about', async () => {
  let withdrawn = false;
  const { run } = await converse(
    [
      ...opening(),
      ...turn([
        asks(7, { toolCallId: '1', title: 'npm publish', kind: 'execute' }),
        { from: 'agent', message: { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 7 } } },
        hears(7),
        speaks('ok'),
      ]),
    ],
    {
      decide: (_, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
          });
        }),
    },
  );
  expect((await run.done).kind).toBe('completed');
  expect(withdrawn).toBe(true);
});

test('a host that fails is a fault of ours, and the agent is gone', async () => {
  const { run } = await converse(
    [...prompted, asks(7, { toolCallId: '1', title: 'x', kind: 'read' }), { do: 'wait' }],
    { decide: () => Promise.reject(new Error('no disk')), patience: { exitMs: 10 } },
  );
  await expect(run.done).rejects.toThrow('no disk');
});

for (const { kind, sandbox, tags } of places)
  test(`an agent that hangs (${kind}) is ended at the time limit`, { tags }, async () => {
    const { run } = await converse([...prompted, speaks('hm'), { do: 'wait' }], {
      sandbox,
      timeoutMs: 1_500,
    });
    expect(await run.done).toMatchObject({
      failure: { kind: 'timeout', message: 'the agent `node` did not finish within 1.5 s' },
    });
  });

for (const { kind, sandbox, tags } of places)
  test(`an agent that does not want to go (${kind}) is killed`, { tags }, async () => {
    const { run, events, workspace } = await converse(
      [...prompted, { do: 'stay' }, speaks('I stay'), { do: 'wait' }],
      {
        sandbox,
      },
    );
    await vi.waitFor(() => expect(events).toHaveLength(1), 60_000);
    await run.cancel();
    expect(await run.done).toEqual({ kind: 'cancelled' });
    expect(processesIn(workspace)).toEqual([]);
  });

test('an agent that stays after its work is killed, and its work counts', async () => {
  const { run, workspace } = await converse([{ do: 'stay' }, ...opening(), ...turn([speaks('ok')])], {
    patience: { exitMs: 10 },
  });
  expect(await run.done).toMatchObject({ report: { summary: 'ok' } });
  expect(processesIn(workspace)).toEqual([]);
});

/** Those whose current folder it is, at whatever path they see it. */
function processesIn(folder: string): readonly string[] {
  const { dev, ino } = statSync(folder);
  const listing = ['-c', "stat -L -c '%d %i' /proc/[0-9]*/cwd || true"];
  const listed = execFileSync('sh', listing, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return listed.split('\n').filter((cwd) => cwd === `${dev} ${ino}`);
}
