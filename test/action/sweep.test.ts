import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { able } from './repository.ts';
import { Stage } from './stage.ts';

// Every job is a process with Git, an agent and verifiers of its own.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let stage: Stage;
/** Two runs that wait for a human. */
let numbers: [number, number];

beforeAll(async () => {
  stage = await Stage.set({ files: able });
  await stage.labeledIssue('A price');
  await stage.labeledIssue('Another price');
  const [one, other] = (await stage.settled()).map(({ outputs }) => Number(outputs['pull-request']));
  numbers = [one ?? 0, other ?? 0];
});
afterAll(async () => {
  await stage.end();
});

test('a sweep of a repository without runs changes nothing', async () => {
  const empty = await Stage.set();
  expect(await empty.sweep()).toMatchObject({ code: 0, outputs: {} });
  const { api } = empty.forge.requests;
  expect(api.filter(({ method }) => method !== 'GET')).toMatchObject([{ route: '/graphql' }]);
  await empty.end();
});

test('a sweep can be asked for by hand, and says what it saw of every run', async () => {
  stage.inputs = { mode: 'sweep' };
  const { code, summary, outputs } = await stage.byHand({});
  stage.inputs = {};
  expect({ code, outputs }).toEqual({ code: 0, outputs: {} });
  for (const number of numbers) expect(summary).toContain(`acme/widgets#${number}</a>`);
});

test('words that no job heard are heard by the sweep, in their order, once', async () => {
  const [number] = numbers;
  stage.listening = false;
  stage.passes({ seconds: 10 });
  await stage.say(number, '/steer And this.');
  await stage.say(number, '/why');
  await stage.sweep();
  expect(await stage.block(number)).toMatchObject({ iteration: 1, phase: 'awaiting_approval' });
  const replies = await stage.replies(number);
  await stage.sweep();
  expect(await stage.replies(number)).toEqual(replies);
  expect(await stage.block(number)).toMatchObject({ iteration: 1 });
  stage.listening = true;
  await stage.settled();
});

test('a run that nobody answers for a day is parked, and a word wakes it', async () => {
  const [spoken, silent] = numbers;
  stage.passes({ hours: 23 });
  await stage.say(spoken, '/status');
  await stage.settled();
  stage.passes({ hours: 2 });
  expect((await stage.sweep()).code).toBe(0);
  await stage.settled();
  expect(await stage.block(spoken)).toMatchObject({ phase: 'awaiting_approval' });
  expect(await stage.block(silent)).toMatchObject({ phase: 'timed_out' });
  expect(await stage.pull(silent)).toMatchObject({ draft: true, state: 'open' });

  await stage.say(silent, '/steer I was away.');
  expect(await stage.onlyJob()).toMatchObject({ outputs: { phase: 'awaiting_approval', iteration: '1' } });
});
