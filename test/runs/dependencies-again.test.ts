import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordRetarget } from '../../src/runs/retarget.ts';
import { approveAndMerge, saveBlockedRun, stateIn } from './blocked-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** When a blocked run looks again for what it waits for, besides the sweep. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveBlockedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

test('whoever resumes a run that was cancelled while it waited sees at once what was merged meanwhile', async () => {
  const { ada, says } = fixture;
  await says('ada', 4, '/cancel');
  await approveAndMerge(fixture, 3);
  fixture.wait(120);
  await ada.rest.pulls.update({ ...at, pull_number: 4, state: 'open' });
  await says('ada', 4, '/resume');
  expect((await stateIn(fixture, 4)).standing.phase).toBe('awaiting_approval');
});

test('a base that is changed while GitHub is asked is asked about, not the former one', async () => {
  const { ada, pushes } = fixture;
  await pushes('bob', { from: 'main', to: 'release', files: { 'release.txt': '1\n' } });
  await approveAndMerge(fixture, 3);
  const { run } = fixture.run(4);
  let isChanged = false;
  run.repository.octokit.hook.before('request', async ({ url }) => {
    if (isChanged || !url.endsWith('/issues/{issue_number}')) return;
    isChanged = true;
    const { data } = await ada.rest.pulls.update({ ...at, pull_number: 4, base: 'release' });
    await recordRetarget(run, { base: 'release', at: data.updated_at, by: 'ada' });
  });
  await fixture.turns(1);
  const { standing, run: identity } = await stateIn(fixture, 4);
  expect([identity.base, standing]).toEqual([
    'release',
    { phase: 'blocked', on: [{ number: 1, is: 'merged' }] },
  ]);
});
