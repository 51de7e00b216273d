import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Bundle, buildAction } from './bundle.ts';
import { able } from './repository.ts';
import { Stage, type StageOptions } from './stage.ts';

let bundle: Bundle;
let stage: Stage;

beforeAll(async () => {
  bundle = await buildAction();
});
afterAll(() => bundle.remove());
afterEach(() => stage.end());

/** A run that waits for a human. */
async function waiting(options: StageOptions = {}): Promise<number> {
  stage = await Stage.set(bundle, { files: able, ...options });
  await stage.labeledIssue();
  return Number((await stage.onlyJob()).outputs['pull-request']);
}

test('a run that nobody answers for a day is parked, and a word wakes it', async () => {
  const number = await waiting();
  stage.passes({ hours: 23 });
  expect(await stage.sweep()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
  stage.passes({ hours: 2 });
  expect(await stage.sweep()).toMatchObject({ code: 0, outputs: { phase: 'timed_out' } });
  expect(await stage.pull(number)).toMatchObject({ draft: true, state: 'open' });
  await stage.settled();

  await stage.say(number, '/steer I was away.');
  expect(await stage.onlyJob()).toMatchObject({ outputs: { phase: 'awaiting_approval', iteration: '1' } });
});

test('words that no job heard are heard by the sweep, in their order, once', async () => {
  const number = await waiting();
  stage.listening = false;
  stage.passes({ seconds: 10 });
  await stage.say(number, '/steer And this.');
  await stage.say(number, '/why');
  const swept = await stage.sweep();
  expect(swept).toMatchObject({ outputs: { iteration: '1', phase: 'awaiting_approval' } });
  const replies = await stage.replies(number);
  await stage.sweep();
  expect(await stage.replies(number)).toEqual(replies);
  expect(await stage.block(number)).toMatchObject({ iteration: 1 });
});

test('a sweep can be asked for by hand, and says what it saw of every run', async () => {
  const number = await waiting();
  await stage.labeledIssue('Another price');
  const other = Number((await stage.onlyJob()).outputs['pull-request']);
  stage.inputs = { mode: 'sweep' };
  const { code, summary, outputs } = await stage.byHand({});
  expect({ code, outputs }).toEqual({ code: 0, outputs: {} });
  expect(summary).toContain(`acme/widgets#${number}</a>`);
  expect(summary).toContain(`acme/widgets#${other}</a>`);
});

test('a sweep of a repository without runs changes nothing', async () => {
  stage = await Stage.set(bundle);
  expect(await stage.sweep()).toMatchObject({ code: 0, outputs: {} });
  expect(stage.forge.requests.by_route).toEqual({ 'GET /repos/{owner}/{repo}': 2, 'POST /graphql': 1 });
});
