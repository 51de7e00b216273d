import { expect, test } from 'vitest';
import {
  answers,
  asks,
  began,
  converse,
  ended,
  execute,
  hears,
  opening,
  speaks,
  turn,
  waitsFor,
} from './conversing.ts';

/** What an agent is told when people do not allow a call, and how often they are asked about one. */

const refused = { outcome: { outcome: 'selected', optionId: 'no' } };
const byPeople = { allow: false, reason: 'ada denied it: use the staging host', byPeople: true } as const;
const toldWhy = expect.stringContaining('- curl prod: ada denied it: use the staging host');

test('an agent that goes on after people denied it something is told why in the middle of its turn', async () => {
  const { run, heard, events } = await converse(
    [
      ...opening({ _meta: { steering: { supported: true } } }),
      ...turn([
        asks(7, execute('1', 'curl prod')),
        hears(7, refused),
        ended('1', 'failed'),
        speaks('User refused permission. Something else then.'),
        waitsFor('_session/steering', 's'),
        answers('s', { outcome: 'injected' }),
        began('2'),
        ended('2'),
        speaks('Staged.'),
      ]),
    ],
    { decide: async () => byPeople },
  );
  expect(await run.done).toMatchObject({ report: { status: 'done', summary: 'Staged.' } });
  const told = heard().filter(({ method }) => method === '_session/steering');
  expect(told).toMatchObject([{ params: { prompt: [{ text: toldWhy }] } }]);
  expect(heard().filter(({ method }) => method === 'session/prompt')).toHaveLength(1);
  expect(events).toContainEqual({ type: 'notice', text: toldWhy });
});

test.each([
  ['says something', speaks('Canceled by the user. Something else then.')],
  ['begins another call', began('2')],
  ['asks for another call', asks(8, execute('2', 'curl other'))],
])('one that cannot be told in its turn is interrupted when it %s, and told in the next', async (_, more) => {
  const { run, heard } = await converse(
    [
      ...opening(),
      ...turn(
        [asks(7, execute('1', 'curl prod')), hears(7, refused), more, waitsFor('session/cancel')],
        'cancelled',
      ),
      ...turn([speaks('Staged.')]),
    ],
    { decide: async () => byPeople },
  );
  expect(await run.done).toMatchObject({ report: { status: 'done', summary: 'Staged.' } });
  const [, second] = heard().filter(({ method }) => method === 'session/prompt');
  expect(second?.params?.prompt).toMatchObject([{ text: toldWhy }]);
});

test('one that stops by itself when people denied it something is told once', async () => {
  const { run, heard } = await converse(
    [
      ...opening(),
      ...turn([asks(7, execute('1', 'curl prod')), hears(7, refused), ended('1', 'failed')]),
      ...turn([speaks('Staged.')]),
    ],
    { decide: async () => byPeople },
  );
  expect(await run.done).toMatchObject({ report: { summary: 'Staged.' } });
  expect(heard().filter(({ method }) => method === 'session/cancel')).toEqual([]);
  const [, second] = heard().filter(({ method }) => method === 'session/prompt');
  expect(second?.params?.prompt).toMatchObject([{ text: toldWhy }]);
});

const folder = { ...execute('1', 'rm -rf /tmp/x'), kind: 'other', locations: [{ path: '/tmp' }] };

test('one call that is asked for twice is decided about once', async () => {
  const { run, asked } = await converse([
    ...opening(),
    ...turn([
      asks(7, folder),
      hears(7, { outcome: { outcome: 'selected', optionId: 'once' } }),
      asks(8, execute('1', 'rm -rf /tmp/x')),
      hears(8, { outcome: { outcome: 'selected', optionId: 'once' } }),
      ended('1'),
      asks(9, execute('1', 'rm -rf /tmp/x')),
      hears(9),
      speaks('ok'),
    ]),
  ]);
  expect(await run.done).toMatchObject({ kind: 'completed' });
  const call = { kind: 'execute', title: 'rm -rf /tmp/x', command: 'rm -rf /tmp/x' };
  expect(asked).toEqual([{ ...call, paths: ['/tmp'] }, call]);
});

test.each([
  ['a command', { ...execute('1', ''), rawInput: {} }, execute('1', 'rm -rf /tmp/x')],
  ['another command', execute('1', 'ls'), execute('1', 'rm -rf /tmp/x')],
  ['another file', folder, { ...folder, locations: [{ path: '/etc' }] }],
  ['another kind', { toolCallId: '1', title: 'x', kind: 'other' }, { toolCallId: '1', kind: 'delete' }],
  ['another title', { toolCallId: '1', title: 'x', kind: 'other' }, { toolCallId: '1', title: 'y' }],
  ['the unknown end of a command', execute('1', 'a'.repeat(70_000)), execute('1', `${'a'.repeat(70_000)}b`)],
])('a second request for one call that says %s is decided about anew', async (_, first, second) => {
  const { run, asked } = await converse(
    [...opening(), ...turn([asks(7, first), hears(7), asks(8, second), hears(8, refused), speaks('ok')])],
    { decide: async () => (asked.length === 1 ? { allow: true } : { allow: false, reason: 'not that' }) },
  );
  expect(await run.done).toMatchObject({ kind: 'completed' });
  expect(asked).toHaveLength(2);
});
