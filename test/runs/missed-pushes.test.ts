import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** What a sweep makes of the head that GitHub shows. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

const pullNow = async () => (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;

/** The next answer about the pull request is one from before. */
function lags(body: Awaited<ReturnType<typeof pullNow>>): void {
  const path = new RegExp(`^/repos/acme/api/pulls/${number}$`);
  // An answer of the forge itself, so it is plain JSON.
  fixture.forge.seed.fault({ method: 'GET', path, times: 1, status: 200, body: { ...body } });
}

const pushes = async () => (await ledgerOf(fixture)).events.filter(({ type }) => type === 'pushed');

test('a head that GitHub shows too late is not taken for a push', async () => {
  const before = await pullNow();
  await fixture.says('ada', number, '/steer make it better');
  const { state } = await ledgerOf(fixture);
  expect(state.head).not.toBe(before.head.sha);
  lags(before);
  await fixture.sweep();
  expect(await pushes()).toEqual([]);
  expect((await ledgerOf(fixture)).state.standing).toEqual(state.standing);
});

test('a push whose webhook never came is found, also when it puts an earlier commit back', async () => {
  const before = await pullNow();
  await fixture.says('ada', number, '/steer make it better');
  await fixture.ada.rest.git.updateRef({
    ...{ ...at, ref: `heads/${before.head.ref}`, sha: before.head.sha },
    force: true,
  });
  await fixture.sweep();
  expect(await pushes()).toMatchObject([{ head: before.head.sha, by: 'ada' }]);
});
