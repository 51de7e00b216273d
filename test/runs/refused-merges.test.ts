import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** GitHub answers every merge as if the branch had just moved, which usually passes within a second. */
let saved: SavedForge;
let fixture: RunsFixture;

const merging = 'version: 1\nagent: { use: command, command: [sh, agent.sh] }\napproval: { finish: merge }\n';

beforeAll(async () => {
  saved = await saveForge(async ({ ada, forge, says }) => {
    await forge.seed.commit('acme/api', { '.github/coxswain.yml': merging });
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

const merges = () => fixture.forge.requests.api.filter(({ path }) => path.endsWith('/merge')).length;

test.each([
  [409, 'Head branch was modified. Review and try the merge again.'],
  [405, 'Base branch was modified. Review and try the merge again.'],
])(
  'a merge that GitHub refuses for good with %i ends in a reply, and the sweep tries again',
  async (status, message) => {
    const { forge, ada } = fixture;
    forge.seed.fault({ method: 'PUT', path: /\/merge$/, times: 1_000, status, body: { message } });
    await fixture.says('mia', number, '/approve');
    expect(merges()).toBe(3);
    const waits = async () =>
      (await fixture.appComments(number)).filter((text) => text.includes('does not allow merging yet'));
    expect(await waits()).toEqual([expect.stringContaining(message.slice(0, -1))]);
    expect((await ledgerOf(fixture)).state.owed).toEqual([]);
    await fixture.sweep();
    expect(merges()).toBe(4);
    expect(await waits()).toHaveLength(1);
    forge.seed.clearFaults();
    await fixture.sweep();
    expect((await ada.rest.pulls.get({ ...at, pull_number: number })).data.merged).toBe(true);
  },
);

test('a merge for which a permission is missing is not tried again, and the permission is named', async () => {
  const { forge, ada } = fixture;
  const message = 'Resource not accessible by integration';
  forge.seed.fault({ method: 'PUT', path: /\/merge$/, times: 1_000, status: 403, body: { message } });
  await fixture.says('mia', number, '/approve');
  expect(merges()).toBe(1);
  const named = /cannot update this pull request: merging it needs the permission contents=write: grant it/;
  const replies = async () => (await fixture.appComments(number)).filter((text) => named.test(text));
  expect(await replies()).toHaveLength(1);
  expect(fixture.warnings.join('\n')).toContain('merging it needs the permission contents=write');
  await fixture.sweep();
  expect(await replies()).toHaveLength(1);
  forge.seed.clearFaults();
  await fixture.sweep();
  expect((await ada.rest.pulls.get({ ...at, pull_number: number })).data.merged).toBe(true);
});
