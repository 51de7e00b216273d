import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';
import { oneTask, pullsOf, saveInterruptedRun, stateOf } from './spawning-fixture.ts';

/** A run is asked for on an issue that has had one. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveInterruptedRun();
});
afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());

/** Asks on the issue by a label, and by a comment; returns what the issue is told since. */
async function askTwice(issue = 1): Promise<readonly string[]> {
  const before = (await fixture.appComments(issue)).length;
  // What was said in the second in which a run ended was perhaps said before.
  fixture.wait(10);
  await fixture.labels('ada', issue);
  await fixture.says('bob', issue, '/run');
  return (await fixture.appComments(issue)).slice(before);
}

function leadingTo(number: number): readonly unknown[] {
  const told = expect.stringContaining(`A run is already in progress in #${number}. Steer that run`);
  return [told, told];
}

test('while people decide how to continue, whoever asks is led to that decision', async () => {
  const told =
    'The run in #2 could not continue and is waiting for people. Decide there: `/retry`, `/spawn` or `/abandon`.';
  expect(await askTwice()).toEqual([told, told]);
  expect(await pullsOf(fixture)).toEqual(['#2 Fix the clock: open']);
});

test('while what took its place is at work, whoever asks is led there, however often it was replaced', async () => {
  await fixture.says('ada', 2, oneTask);
  expect(await askTwice()).toEqual(leadingTo(3));
  await fixture.says('ada', 3, '/interrupt');
  expect((await askTwice()).at(-1)).toContain('The run in #3 could not continue');
  await fixture.says('ada', 3, oneTask);
  expect(await askTwice()).toEqual(leadingTo(4));
  const ended = ['#2 Fix the clock: closed', '#3 Set the clock: closed'];
  expect(await pullsOf(fixture)).toEqual([...ended, '#4 Set the clock: open']);

  await fixture.says('ada', 4, '/reject It is the wrong clock.');
  expect(await askTwice()).toEqual(leadingTo(5).slice(1));
  expect(await pullsOf(fixture)).toEqual([...ended, '#4 Set the clock: closed', '#5 Fix the clock: open']);
  expect((await stateOf(fixture, 5)).earlier).toMatchObject([
    { number: 4, by: { login: 'ada' }, reason: 'It is the wrong clock.' },
  ]);
});

test('once it was given up, another one begins', async () => {
  await fixture.says('ada', 2, '/abandon The clock is gone.');
  expect(await askTwice()).toEqual(leadingTo(3).slice(1));
  expect(await pullsOf(fixture)).toEqual(['#2 Fix the clock: closed', '#3 Fix the clock: open']);
});

test('while it waits for others, whoever asks is led there', async () => {
  const { data: other } = await fixture.ada.rest.issues.create({ ...at, title: 'The calendar' });
  await fixture.says('ada', 2, `/retry\n\n\`\`\`yaml coxswain\ndepends_on: ["#${other.number}"]\n\`\`\``);
  expect((await stateOf(fixture, 2)).standing.phase).toBe('blocked');
  const told =
    'A run is already waiting in #2, which says what for. Start it there with `/resume`, or end it with `/cancel`.';
  expect(await askTwice()).toEqual([told, told]);
});
