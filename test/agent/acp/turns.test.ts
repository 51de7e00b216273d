import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { work } from '../../../src/agent/index.ts';
import { agentFixture, default_branch, hold } from '../agent-fixture.ts';
import { settingsOf, stateOf } from '../states.ts';
import {
  answers,
  asks,
  began,
  converse,
  ended,
  execute,
  hears,
  type Line,
  opening,
  program,
  says,
  session,
  speaks,
  turn,
  updates,
  waitsFor,
} from './conversing.ts';

test('the last message of an agent is its summary, and its tool calls are its report', async () => {
  const { run, events, heard } = await converse([
    ...opening(),
    ...turn([
      speaks('Let me look.'),
      began('1'),
      ended('1'),
      updates({ sessionUpdate: 'tool_call', ...execute('2', 'npm test') }),
      ended('2', 'completed', { rawOutput: { exitCode: 1 } }),
      speaks('Fixed '),
      speaks('the sum.'),
    ]),
  ]);
  expect(await run.done).toEqual({
    kind: 'completed',
    report: {
      summary: 'Fixed the sum.',
      status: 'done',
      tool_calls: [
        { kind: 'edit', title: 'Edit a.txt', outcome: 'ok' },
        { kind: 'execute', title: 'npm test', command: 'npm test', outcome: 'failed' },
      ],
    },
  });
  expect(events).toEqual([
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_open', id: '1', kind: 'edit', title: 'Edit a.txt' },
    { type: 'tool_close', id: '1', outcome: 'ok' },
    { type: 'tool_open', id: '2', kind: 'execute', title: 'npm test', command: 'npm test' },
    { type: 'tool_close', id: '2', outcome: 'failed', exit_code: 1 },
    { type: 'text', text: 'Fixed ' },
    { type: 'text', text: 'the sum.' },
  ]);
  const told = heard();
  expect(told.map(({ method }) => method)).toEqual(['initialize', 'session/new', 'session/prompt']);
  expect(told[0]?.params).toMatchObject({ protocolVersion: 1 });
  expect(told[0]?.params).not.toHaveProperty('clientCapabilities.fs');
  expect(told[2]?.params?.prompt).toEqual([{ type: 'text', text: 'Fix the sum' }]);
});

test('an agent works in its workspace, with addresses of ours and no variable of the machine', async () => {
  const { run, workspace } = await converse([
    ...opening(),
    ...turn([
      { do: 'write', path: 'sum.txt', content: '3' },
      { do: 'environment', path: 'environment.json' },
      speaks('done'),
    ]),
  ]);
  expect((await run.done).kind).toBe('completed');
  expect(readFileSync(join(workspace, 'sum.txt'), 'utf8')).toBe('3');
  const environment = JSON.parse(readFileSync(join(workspace, 'environment.json'), 'utf8'));
  expect(environment).toMatchObject({ COXSWAIN_RUN: 'acme/sums#7', COXSWAIN_ATTEMPT: '1', CI: 'true' });
  expect(environment).not.toHaveProperty('VITEST');
});

test('what an agent did is committed, with its words as the subject', async () => {
  const lines = [
    ...opening(),
    ...turn([{ do: 'write', path: 'sum.txt', content: '3\n' }, speaks('Fixed the sum')]),
  ];
  const recording = lines.map((line) => JSON.stringify(line)).join('\n');
  const on = await agentFixture({
    'a.mjs': program,
    r: recording,
    'sum.txt': '2\n',
    '.gitignore': '*.heard\n',
  });
  const agent = { use: 'acp', command: ['node', 'a.mjs', 'r'], timeout_s: 20 } as const;
  const state = stateOf({ head: on.head, settings: settingsOf({ agent }) });
  const assignment = { state, hold, commit: on.head, default_branch };
  const outcome = await work(assignment, on.resources, {
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({
    kind: 'finished',
    work: { report: { summary: 'Fixed the sum' }, changes: { summary: '1 file changed, +1, -1' } },
  });
  expect(on.git('log', '-1', '--format=%s', outcome.kind === 'finished' ? outcome.work.head : '')).toBe(
    'Fixed the sum',
  );
});

test('a call is allowed this once, never for good', async () => {
  const { run, asked } = await converse([
    ...opening(),
    ...turn([
      asks(7, { ...execute('1', 'npm publish'), locations: [{ path: '/etc/passwd' }] }),
      hears(7, { outcome: { outcome: 'selected', optionId: 'once' } }),
      ended('1'),
      speaks('published'),
    ]),
  ]);
  expect(await run.done).toMatchObject({
    report: { tool_calls: [{ command: 'npm publish', outcome: 'unknown' }] },
  });
  expect(asked).toEqual([
    { kind: 'execute', title: 'npm publish', command: 'npm publish', paths: ['/etc/passwd'] },
  ]);
});

test('a call that can only be allowed for good is refused', async () => {
  const always = [{ optionId: 'always', name: 'Always', kind: 'allow_always' }];
  const { run } = await converse([
    ...opening(),
    ...turn([
      asks(7, execute('1', 'npm publish'), always),
      hears(7, { outcome: { outcome: 'cancelled' } }),
      speaks('Then not.'),
    ]),
  ]);
  expect(await run.done).toMatchObject({ report: { tool_calls: [{ outcome: 'denied' }] } });
});

const no = async () => ({ allow: false, reason: 'the rules forbid it' }) as const;
const refused = { outcome: { outcome: 'selected', optionId: 'no' } };

test('a call that rules refuse is denied, and an agent that goes on without it is left alone', async () => {
  const { run, heard, events } = await converse(
    [
      ...opening(),
      ...turn([
        asks(7, execute('1', 'rm -rf /')),
        hears(7, refused),
        ended('1', 'failed'),
        speaks('All right.'),
      ]),
    ],
    { decide: no },
  );
  expect(await run.done).toMatchObject({
    report: { status: 'done', summary: 'All right.', tool_calls: [{ outcome: 'denied' }] },
  });
  expect(events.filter(({ type }) => type === 'tool_close')).toEqual([
    { type: 'tool_close', id: '1', outcome: 'denied' },
  ]);
  expect(heard().filter(({ method }) => method === 'session/prompt')).toHaveLength(1);
});

test.each(['end_turn', 'cancelled'])(
  'an agent that stops (%s) at a refusal is told why, and goes on',
  async (stopReason) => {
    const { run, heard } = await converse(
      [
        ...opening(),
        ...turn([speaks('I will.'), asks(7, execute('1', 'rm -rf /')), hears(7, refused)], stopReason),
        ...turn([speaks('Done without it.')]),
      ],
      { decide: no },
    );
    expect(await run.done).toMatchObject({ report: { status: 'done', summary: 'Done without it.' } });
    const [, second] = heard().filter(({ method }) => method === 'session/prompt');
    expect(second?.params?.prompt?.[0]?.text).toContain('- rm -rf /: the rules forbid it');
  },
);

test('an agent that stops at every refusal is not asked for ever', async () => {
  const refusal = turn([asks(7, execute('1', 'rm -rf /')), hears(7, refused)], 'cancelled');
  const { run, heard } = await converse([...opening(), ...Array(6).fill(refusal).flat()], { decide: no });
  expect(await run.done).toMatchObject({
    report: { status: 'uncertain', summary: expect.stringContaining('kept stopping') },
  });
  expect(heard().filter(({ method }) => method === 'session/prompt')).toHaveLength(6);
});

test('calls that are asked for at once are decided at once', async () => {
  let second = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    second = resolve;
  });
  const { run } = await converse(
    [
      ...opening(),
      ...turn([asks(7, execute('1', 'a')), asks(8, execute('2', 'b')), hears(8), hears(7), speaks('ok')]),
    ],
    {
      decide: async ({ command }) => {
        if (command === 'b') second();
        await both;
        return { allow: true };
      },
    },
  );
  expect(await run.done).toMatchObject({ kind: 'completed' });
});

test('images go to an agent that takes them, and others hear of it', async () => {
  const images = [{ mime_type: 'image/png', data: 'AAAA' }];
  const able = { agentCapabilities: { promptCapabilities: { image: true } } };
  const seeing = await converse([...opening(able), ...turn([speaks('ok')])], { images });
  await seeing.run.done;
  expect(seeing.heard().at(-1)?.params?.prompt).toContainEqual({
    type: 'image',
    data: 'AAAA',
    mimeType: 'image/png',
  });
  const blind = await converse([...opening(), ...turn([speaks('ok')])], { images });
  await blind.run.done;
  expect(blind.heard().at(-1)?.params?.prompt).toHaveLength(1);
  expect(blind.events[0]).toMatchObject({ type: 'notice', text: expect.stringContaining('takes no images') });
});

test('plans, thoughts, notices and costs are told, and costs only as far as they have grown', async () => {
  const cost = (amount: number): Line =>
    updates({ sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount, currency: 'USD' } });
  const entries = [
    { content: 'look', status: 'completed', priority: 'high' },
    { content: 'fix', status: 'pending', priority: 'high' },
  ];
  const { run, events } = await converse([
    ...opening(),
    ...turn(
      [
        updates({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } }),
        updates({ sessionUpdate: 'plan', entries }),
        updates({ sessionUpdate: 'plan', entries }),
        updates({ sessionUpdate: 'notice', severity: 'warning', title: 'Old', description: 'Update me' }),
        cost(0.5),
        cost(0.5),
        cost(0.75),
      ],
      'end_turn',
      { usage: { totalTokens: 120, inputTokens: 100, outputTokens: 20 } },
    ),
  ]);
  await run.done;
  expect(events).toEqual([
    { type: 'thought', text: 'hm' },
    { type: 'notice', text: 'the plan of the agent:\n[x] look\n[ ] fix' },
    { type: 'notice', text: 'Old: Update me' },
    { type: 'usage', usd: 0.5 },
    { type: 'usage', usd: 0.25 },
    { type: 'usage', tokens: 120 },
  ]);
});

test.each([
  ['max_tokens', 'uncertain', 'its answer was too long'],
  ['max_turn_requests', 'uncertain', 'its own limit of requests'],
  ['tired', 'uncertain', 'a reason that Coxswain does not know: tired'],
])('an agent that stops for %s leaves its work to be looked at', async (stopReason, status, summary) => {
  const { run } = await converse([...opening(), ...turn([speaks('Half of it.')], stopReason)]);
  const outcome = await run.done;
  expect(outcome).toMatchObject({ report: { status, summary: expect.stringContaining(summary) } });
});

test.each([
  ['refusal', 'cannot', 'I will not'],
  ['cancelled', 'exit', 'cancelled its turn by itself'],
])('an agent that stops for %s has failed', async (stopReason, kind, message) => {
  const { run } = await converse([...opening(), ...turn([speaks('I will not')], stopReason)]);
  expect(await run.done).toMatchObject({ failure: { kind, message: expect.stringContaining(message) } });
});

test('what an agent says of earlier turns, other sessions or calls that are over is ignored', async () => {
  const { run, events } = await converse([
    ...opening().slice(0, -1),
    speaks('from an earlier turn'),
    ...opening().slice(-1),
    waitsFor('session/prompt', 'p'),
    says('session/update', {
      sessionId: 'other',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'of another' } },
    }),
    began('1'),
    ended('1'),
    began('1'),
    ended('1', 'failed'),
    updates({ sessionUpdate: 'tool_call_update' }),
    updates({ sessionUpdate: 'something_new', text: 'x' }),
    speaks('done'),
    answers('p', { stopReason: 'end_turn' }),
  ]);
  expect(await run.done).toMatchObject({ report: { tool_calls: [{ outcome: 'ok' }], summary: 'done' } });
  expect(events.map(({ type }) => type)).toEqual(['tool_open', 'tool_close', 'text']);
});

test('a question that people are not asked is declined, and methods that we do not have are refused', async () => {
  const { run, heard } = await converse([
    ...opening(),
    ...turn([
      says('elicitation/create', { sessionId: session, mode: 'form', message: 'Which one?' }, 3),
      hears(3, { action: 'decline' }),
      says('fs/read_text_file', { sessionId: session, path: '/etc/passwd' }, 4),
      hears(4),
      speaks('I assume the first.'),
    ]),
  ]);
  expect((await run.done).kind).toBe('completed');
  expect(heard().find(({ id, method }) => id === 4 && method === undefined)?.error?.code).toBe(-32601);
});

test('a request under the number of a call that has ended is about another call', async () => {
  const { run, asked } = await converse([
    ...opening(),
    ...turn([
      updates({ sessionUpdate: 'tool_call', ...execute('1', 'ls') }),
      ended('1', 'completed', { rawOutput: { exitCode: 0 } }),
      asks(7, execute('1', 'rm -rf /')),
      hears(7, { outcome: { outcome: 'selected', optionId: 'once' } }),
      ended('1', 'completed', { rawOutput: { exitCode: 1 } }),
      speaks('ok'),
    ]),
  ]);
  expect(await run.done).toMatchObject({
    report: {
      tool_calls: [
        { command: 'ls', outcome: 'ok' },
        { command: 'rm -rf /', outcome: 'failed' },
      ],
    },
  });
  expect(asked.map(({ command }) => command)).toEqual(['rm -rf /']);
});
