import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOurName, isOurTool } from '../../../src/agent/human/ask-human.ts';
import { parking, type QuestionAnswer, type QuestionRequest } from '../../../src/agent/port/agent-adapter.ts';
import { usualQuestions } from '../../../src/steering/shapes/question.ts';
import { places } from '../agent-fixture.ts';
import {
  answers,
  asks,
  converse,
  hears,
  type Line,
  opening,
  says,
  session,
  speaks,
  turn,
  updates,
  waitsFor,
} from './conversing.ts';

/** Asks by a form. */
function form(id: number, message: string, properties: object, more: object = {}): Line {
  const requestedSchema = { type: 'object', properties };
  return says(
    'elicitation/create',
    { sessionId: session, mode: 'form', message, requestedSchema, ...more },
    id,
  );
}

const choice = {
  type: 'string',
  oneOf: [
    { const: 'a', title: 'The first' },
    { const: 'b', title: 'The second', description: 'It is newer' },
  ],
};
const many = {
  type: 'array',
  items: {
    anyOf: [
      { const: 'x', title: 'One, two' },
      { const: 'y', title: 'One' },
    ],
  },
};

const answered = (text: string): QuestionAnswer => ({ kind: 'answered', text, by: 'ada' });

const forms: readonly [object, QuestionAnswer, object][] = [
  [{ f: choice }, answered('The second'), { action: 'accept', content: { f: 'b' } }],
  [
    { f: choice, f_custom: { type: 'string' } },
    answered('Neither'),
    { action: 'accept', content: { f_custom: 'Neither' } },
  ],
  [{ f: choice }, answered('Neither'), { action: 'decline' }],
  [{ f: many }, answered('One, One, two'), { action: 'accept', content: { f: ['y', 'x'] } }],
  [{ f: { type: 'boolean' } }, answered('no'), { action: 'accept', content: { f: false } }],
  [{ f: { type: 'integer' } }, answered('7'), { action: 'accept', content: { f: 7 } }],
  [{ f: { type: 'string' } }, answered('words'), { action: 'accept', content: { f: 'words' } }],
  [{ f: choice }, { kind: 'refused', reason: 'too long' }, { action: 'decline' }],
  [{ f: choice }, { kind: 'parked' }, { action: 'cancel' }],
];

test.each(forms)('a form is answered with what people say: %j, %j', async (properties, answer, result) => {
  const lines = turn([form(3, 'Which one?', properties), hears(3, result), speaks('ok')]);
  const { run } = await converse([...opening(), ...lines], { ask: async () => answer });
  expect((await run.done).kind).toBe('completed');
});

test('people read the choices of a form, and a form of several fields is one question that is not held', async () => {
  const asked: [QuestionRequest, boolean][] = [];
  const lines = [
    ...[
      form(3, 'Which one?', { f: choice }),
      hears(3),
      form(4, 'Two things:', { f: choice, g: { type: 'string' } }),
    ],
    ...[hears(4, { action: 'cancel' }), speaks('ok')],
  ];
  const { run } = await converse([...opening(), ...turn(lines)], {
    ask: async (question, signal) => {
      asked.push([question, signal.reason === parking]);
      return { kind: 'parked' };
    },
  });
  await run.done;
  expect(asked).toEqual([
    [
      {
        question: 'Which one?',
        context: 'The second: It is newer',
        options: ['The first', 'The second'],
        multiple: false,
      },
      false,
    ],
    [{ question: 'Two things:\n1. f (The first | The second)\n2. g' }, true],
  ]);
});

test('of a form of Codex people read what it asks, and it gets the answer in its own field for it', async () => {
  const asked: QuestionRequest[] = [];
  const other = { const: 'None of the above', title: 'None of the above', description: 'In the note.' };
  const properties = {
    q: { type: 'string', title: 'Which greeting?', oneOf: [{ const: 'bye', title: 'bye' }, other] },
    q_note: { type: 'string', title: 'Additional answer or note' },
  };
  const about = { _meta: { codex: { delivery: 'async' } } };
  const lines = [
    form(3, 'Codex keeps working while you answer.', properties, about),
    hears(3, { action: 'accept', content: { q_note: 'ciao' } }),
    speaks('ok'),
  ];
  const { run } = await converse([...opening(), ...turn(lines)], {
    ask: async (question) => {
      asked.push(question);
      return answered('ciao');
    },
  });
  await run.done;
  expect(asked).toEqual([{ question: 'Which greeting?', context: '', options: ['bye'], multiple: false }]);
});

test('a call by which an agent asks people is none of those that it reports', async () => {
  const call = (toolCallId: string, title: string, status: string, more: object = {}): Line =>
    updates({ sessionUpdate: 'tool_call', toolCallId, title, status, ...more });
  const ours = 'mcp.coxswain.ask_human';
  const { run, events } = await converse([
    ...opening(),
    ...turn([
      call('1', ours, 'in_progress', { kind: 'execute', rawInput: { server: 'coxswain' } }),
      call('1', ours, 'failed'),
      call('2', 'Which one?', 'pending', { kind: 'other' }),
      form(3, 'Which one?', { f: choice }, { toolCallId: '2' }),
      hears(3),
      call('2', 'Which one?', 'failed'),
      speaks('ok'),
    ]),
  ]);
  expect(await run.done).toMatchObject({ kind: 'completed', report: { tool_calls: [] } });
  expect(events.map(({ type }) => type)).toEqual(['text']);
});

test('nobody is asked to open a page', async () => {
  const lines = [
    form(3, 'Log in', {}, { mode: 'url', url: 'https://x.example' }),
    hears(3, { action: 'decline' }),
  ];
  const { run, events } = await converse([...opening(), ...turn([...lines, speaks('ok')])]);
  expect((await run.done).kind).toBe('completed');
  expect(events[0]).toMatchObject({ type: 'notice', text: expect.stringContaining('to open a page') });
});

test('an agent is parked in order: what it asked and its turn are cancelled, and it ends by itself', async () => {
  let reason: unknown;
  const { run, heard } = await converse(
    [
      ...opening(),
      waitsFor('session/prompt', 'p'),
      form(3, 'Which one?', { f: choice }),
      hears(3, { action: 'cancel' }),
      waitsFor('session/cancel'),
      answers('p', { stopReason: 'cancelled' }),
    ],
    {
      ask: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            resolve({ kind: 'parked' });
          });
          setImmediate(() => void run.park());
        }),
    },
  );
  expect(await run.done).toEqual({ kind: 'cancelled' });
  expect(reason).toBe(parking);
  const last = heard().slice(-2);
  expect(last.map(({ method }) => method ?? 'answer').sort()).toEqual(['answer', 'session/cancel']);
});

test('an agent that does not stop when it is parked is killed', async () => {
  const { run } = await converse(
    [...opening(), waitsFor('session/prompt', 'p'), speaks('on'), waitsFor('never')],
    {
      patience: { parkMs: 50 },
    },
  );
  await run.park();
  expect(await run.done).toEqual({ kind: 'cancelled' });
});

for (const { kind, sandbox, tags } of places)
  test(`an agent asks people with our tool (${kind})`, { tags }, async () => {
    const asked: QuestionRequest[] = [];
    const replies: QuestionAnswer[] = [
      answered('The first'),
      { kind: 'parked' },
      { kind: 'refused', reason: 'too long' },
    ];
    const question = { question: 'Which sum?', options: ['The first', 'The second'] };
    const { run, workspace } = await converse(
      [
        ...opening(),
        ...turn([
          { do: 'tool', path: 'one', arguments: question },
          { do: 'tool', path: 'two', arguments: question },
          { do: 'tool', path: 'three', arguments: question },
          { do: 'tool', path: 'four', arguments: { question: 'x'.repeat(1024 * 1024) } },
          speaks('ok'),
        ]),
      ],
      {
        sandbox,
        questions: usualQuestions,
        ask: async (request) => {
          asked.push(request);
          return replies[asked.length - 1] ?? { kind: 'parked' };
        },
      },
    );
    expect(await run.done).toMatchObject({ kind: 'completed' });
    const said = ['one', 'two', 'three', 'four'].map((path) => readFileSync(join(workspace, path), 'utf8'));
    expect(said).toEqual([
      'The first',
      'Nobody has answered yet. End your turn now: you will be asked to go on with the answer.',
      'Nobody was asked: too long.',
      expect.stringContaining('far too long'),
    ]);
    expect(asked).toEqual([question, question, question]);
  });

test('our own tool needs no permission, by whatever name an agent has for it', async () => {
  const { run, asked } = await converse(
    [
      ...opening(),
      ...turn([
        asks(3, { toolCallId: '1', kind: 'other', title: 'mcp__coxswain__ask_human' }),
        hears(3, { outcome: { outcome: 'selected', optionId: 'once' } }),
        speaks('ok'),
      ]),
    ],
    { questions: usualQuestions },
  );
  expect((await run.done).kind).toBe('completed');
  expect(asked).toEqual([]);
});

test.each([
  ['coxswain_ask_human', {}, true],
  ['mcp__coxswain__ask_human', {}, true],
  ['mcp_coxswain_ask_human', {}, true],
  ['{"question":"Which?"}', { _meta: { toolName: 'mcp__coxswain__ask_human' } }, true],
  ['mcp__coxswain__ask_human', { _meta: { toolName: 'run_shell_command' } }, false],
  ['ask_human (coxswain MCP Server)', {}, true],
  ['mcp.coxswain.ask_human', { kind: 'execute', rawInput: { tool: 'ask_human' } }, true],
  ['mcp__coxswain__ask_human', { rawInput: { command: 'rm -rf /' } }, false],
  ['coxswain_ask_human', { kind: 'delete' }, false],
  ['coxswain_ask_human; rm -rf /', {}, false],
  ['mcp__other__ask_human', {}, false],
])('whether %s %j is our own tool: %s', (title, more, is) => {
  expect(isOurTool({ title, ...more })).toBe(is);
});

test.each(['coxswain', 'Coxswain', 'cox-swain'])('no server of a repository is called %s', (name) => {
  expect(hasOurName({ name })).toBe(true);
});
