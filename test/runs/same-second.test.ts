import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** The run #2 on issue #1 ends, and in the same second somebody asks for another. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, labels }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await labels('ada', 1);
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
});

afterEach(async () => {
  vi.useRealTimers();
  await fixture.end();
});

async function labelsAgain(): Promise<void> {
  await fixture.ada.rest.issues.removeLabel({ ...at, issue_number: 1, name: 'coxswain' });
  await fixture.labels('ada', 1);
}

async function runs(): Promise<readonly string[]> {
  const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
  return data.map(({ number, state }) => `#${number} ${state}`);
}

test('a label that was set after the end starts a run, once', async () => {
  await fixture.says('bob', 2, '/reject no');
  await labelsAgain();
  expect(await runs()).toEqual(['#3 open', '#2 closed']);
  await fixture.restart();
  await fixture.sweep();
  expect(await runs()).toEqual(['#3 open', '#2 closed']);
});

test('so does a comment', async () => {
  await fixture.says('bob', 2, '/reject no');
  await fixture.says('ada', 1, '/run', 2);
  expect(await runs()).toEqual(['#3 open', '#2 closed']);
});

test('a label that was set before the end starts none, however late that is heard', async () => {
  const { ada, says, sweep, restart } = fixture;
  await ada.rest.issues.removeLabel({ ...at, issue_number: 1, name: 'coxswain' });
  await ada.rest.issues.addLabels({ ...at, issue_number: 1, labels: ['coxswain'] });
  await says('bob', 2, '/reject no');
  await restart();
  await sweep();
  expect(await runs()).toEqual(['#2 closed']);
});
