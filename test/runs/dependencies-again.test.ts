import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { approveAndMerge, saveBlockedRun, stateIn } from './blocked-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** When a blocked run looks again for what it waits for, besides the sweep. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveBlockedRun();
});

afterAll(() => saved.remove());

let asked: string[];

beforeEach(async () => {
  asked = [];
  fixture = await startRunsFixture(saved, undefined, {
    onRequest: ({ kind, method, path }, next) => {
      asked.push(kind === 'git' ? `git ${method}` : `${method} ${path}`);
      return next();
    },
  });
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
    const id = `retargeted:release@${data.updated_at}`;
    await run.record({ type: 'retargeted', id, base: 'release', at: data.updated_at, by: 'ada' });
  });
  await fixture.turns(1);
  const { standing, run: identity } = await stateIn(fixture, 4);
  expect([identity.base, standing]).toEqual([
    'release',
    { phase: 'blocked', on: [{ number: 1, is: 'merged' }] },
  ]);
});

/** Those that were made meanwhile; each fetch begins with one that lists the refs. */
async function requestsFor(doing: () => Promise<unknown>) {
  asked.length = 0;
  await doing();
  const git = asked.filter((each) => each === 'git GET').length;
  return { git, api: asked.filter((each) => !each.startsWith('git ')) };
}

test('what strangers close costs a process that was not swept one fetch, and a crowd of them two', async () => {
  await fixture.restart();
  // The ledgers of both runs are read once, and compared with what their pull requests show.
  const { git } = await requestsFor(() => fixture.turns(77));
  expect(git).toBe(3);
  expect(await requestsFor(() => fixture.turns(78))).toEqual({ git: 1, api: [] });
  const numbers = Array.from({ length: 30 }, (_, index) => 100 + index);
  const crowd = await requestsFor(() => Promise.all(numbers.map((number) => fixture.turns(number))));
  expect(crowd.api).toEqual([]);
  expect(crowd.git).toBeLessThanOrEqual(2);
});

test('a push costs nothing unless a run waits for what is merged to reach that branch', async () => {
  expect(await requestsFor(() => fixture.turns('main'))).toEqual({ git: 0, api: [] });
  await fixture.sweep();
  expect(await requestsFor(() => fixture.turns('main'))).toEqual({ git: 0, api: [] });
});

test('where others write ledgers what strangers close costs a fetch, and any process wakes what waits', async () => {
  const { ada, labels, says, sweep, switches, turns } = fixture;
  await sweep();
  expect(await requestsFor(() => turns(77))).toEqual({ git: 0, api: [] });
  switches();
  await says('ada', 4, '/steer More.');
  switches();
  await sweep();
  await turns(77);
  expect(await requestsFor(() => turns(78))).toEqual({ git: 1, api: [] });
  const { data } = await ada.rest.issues.create({ ...at, title: 'Third', body: 'Depends on #2' });
  switches();
  await labels('ada', data.number);
  switches();
  await ada.rest.issues.update({ ...at, issue_number: 2, state: 'closed' });
  await turns(2);
  expect((await stateIn(fixture, 6)).standing).toEqual({
    phase: 'blocked',
    on: [{ number: 2, is: 'closed' }],
  });
});
