import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { number, saveApprovedRun } from './approved-run.ts';
import { type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** A run whose pull request GitHub no longer finds. */
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

const mentioning = () => fixture.warnings.filter((line) => line.includes(`#${number}`));

test.each([
  ['the pull request', /\/pulls\/2(?:\/|$)|\/issues\/2(?:\/|$)/],
  ['its reviews', /\/pulls\/2\/reviews/],
  ['its comments', /\/issues\/2\/comments/],
])('a sweep says once that %s cannot be found', async (_, path) => {
  fixture.forge.seed.fault({
    method: 'GET',
    path,
    times: 1_000,
    status: 404,
    body: { message: 'Not Found' },
  });
  await fixture.restart();
  await fixture.sweep();
  expect(mentioning()).toEqual([expect.stringMatching(/^could not sweep .* 404, Not Found/)]);
  await fixture.sweep();
  await fixture.sweep();
  expect(mentioning()).toHaveLength(1);
});
