import { afterAll, beforeAll, expect, test } from 'vitest';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;
/** Two runs that wait for a human. */
let numbers: [number, number];

beforeAll(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
  await fixture.labeledIssue('A price');
  await fixture.labeledIssue('Another price');
  const [one, other] = (await fixture.finishedJobs()).map(({ outputs }) => Number(outputs['pull-request']));
  numbers = [one ?? 0, other ?? 0];
});
afterAll(async () => {
  await fixture.end();
});

test('a sweep of a repository without runs changes nothing', async () => {
  const empty = await ActionsFixture.start();
  expect(await empty.sweep()).toMatchObject({ code: 0, outputs: {} });
  const { api } = empty.forge.requests;
  expect(api.filter(({ method }) => method !== 'GET')).toMatchObject([{ route: '/graphql' }]);
  await empty.end();
});

test('a sweep can be started manually, and reports every run', async () => {
  fixture.inputs = { mode: 'sweep' };
  const { code, summary, outputs } = await fixture.dispatch({});
  fixture.inputs = {};
  expect({ code, outputs }).toEqual({ code: 0, outputs: {} });
  for (const number of numbers) expect(summary).toContain(`acme/widgets#${number}</a>`);
});

test('commands that no job received are handled by the sweep, in order and once', async () => {
  const [number] = numbers;
  fixture.listening = false;
  fixture.advanceClock({ seconds: 10 });
  await fixture.comment(number, '/steer And this.');
  await fixture.comment(number, '/why');
  await fixture.sweep();
  expect(await fixture.block(number)).toMatchObject({ iteration: 1, phase: 'awaiting_approval' });
  const replies = await fixture.replies(number);
  await fixture.sweep();
  expect(await fixture.replies(number)).toEqual(replies);
  expect(await fixture.block(number)).toMatchObject({ iteration: 1 });
  fixture.listening = true;
  await fixture.finishedJobs();
});

test('a run without a response for a day times out, and a steer resumes it', async () => {
  const [spoken, silent] = numbers;
  fixture.advanceClock({ hours: 23 });
  await fixture.comment(spoken, '/status');
  await fixture.finishedJobs();
  fixture.advanceClock({ hours: 2 });
  expect((await fixture.sweep()).code).toBe(0);
  await fixture.finishedJobs();
  expect(await fixture.block(spoken)).toMatchObject({ phase: 'awaiting_approval' });
  expect(await fixture.block(silent)).toMatchObject({ phase: 'timed_out' });
  expect(await fixture.pull(silent)).toMatchObject({ draft: true, state: 'open' });

  await fixture.comment(silent, '/steer I was away.');
  expect(await fixture.onlyFinishedJob()).toMatchObject({
    outputs: { phase: 'awaiting_approval', iteration: '1' },
  });
});
