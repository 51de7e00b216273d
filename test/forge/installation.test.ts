import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

test('deploy keys are listed for administrators, and for Apps with administration: read', async () => {
  const { at, name, bot, installation } = await fixture.repository();
  fixture.forge.seed.addDeployKey(name, 'ada', { title: 'mirror', read_only: true });
  fixture.forge.seed.addDeployKey(name, 'wil', { title: 'release', read_only: false });
  const listed = async (client = bot) =>
    (await client.repos.listDeployKeys(at)).data.map(({ title, read_only, added_by }) => [
      title,
      read_only,
      added_by,
    ]);
  const keys = [
    ['mirror', true, 'ada'],
    ['release', false, 'wil'],
  ];
  expect(await listed(fixture.person('ada'))).toEqual(keys);
  expect((await httpErrorOf(listed(fixture.person('wil')))).status).toBe(404);
  await expect(bot.repos.listDeployKeys(at)).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'x-accepted-github-permissions': 'administration=read' } },
  });
  fixture.forge.seed.setInstallationPermissions(installation, { administration: 'read' });
  expect(await listed()).toEqual(keys);
  const [key] = (await bot.repos.listDeployKeys(at)).data;
  expect((await bot.repos.getDeployKey({ ...at, key_id: key?.id ?? 0 })).data).toEqual(key);
  expect((await httpErrorOf(bot.repos.getDeployKey({ ...at, key_id: 1 }))).status).toBe(404);
});

test('an App finds its installation, its webhook and itself', async () => {
  const { at, installation } = await fixture.repository();
  const app = fixture.asApp();
  const { data } = await app.apps.getRepoInstallation(at);
  expect(data).toMatchObject({ id: installation, app_slug: 'helm', permissions: { contents: 'write' } });
  expect((await httpErrorOf(app.apps.getRepoInstallation({ ...at, repo: 'none' }))).status).toBe(404);
  expect((await app.apps.getWebhookConfigForApp()).data).toMatchObject({
    url: fixture.app.webhook_url,
    secret: '********',
  });
  const { data: shown } = await app.apps.getAuthenticated();
  expect(shown).toMatchObject({ id: fixture.app.id, events: expect.arrayContaining(['pull_request']) });
});

test('the pull requests of a commit are the open ones, or the one that brought it', async () => {
  const { repository, sha, number, clone, at } = await openPull(fixture);
  const { bot } = repository;
  const numbers = async (commit_sha: string) =>
    (await bot.repos.listPullRequestsAssociatedWithCommit({ ...repository.at, commit_sha })).data.map(
      (pull) => pull.number,
    );
  const main = await clone.git('rev-parse', 'origin/main');
  expect([await numbers(sha), await numbers(main)]).toEqual([[number], []]);
  await bot.pulls.update({ ...at, state: 'closed' });
  expect(await numbers(sha)).toEqual([]);
  await bot.pulls.update({ ...at, state: 'open' });
  const { data: merge } = await bot.pulls.merge(at);
  expect([await numbers(sha), await numbers(merge.sha)]).toEqual([[number], [number]]);
});

test('rules and activity are refused with the permission that they need', async () => {
  const { at, bot, installation } = await fixture.repository({ private: true });
  fixture.forge.seed.setInstallationPermissions(installation, {});
  expect((await bot.repos.getBranchRules({ ...at, branch: 'main' })).data).toEqual([]);
  const accepted = async (request: Promise<unknown>) =>
    request.catch(
      (error: { response?: { headers: Record<string, string> } }) =>
        error.response?.headers['x-accepted-github-permissions'],
    );
  expect(await accepted(bot.repos.listActivities(at))).toBe('contents=read');
  expect(await accepted(bot.repos.getBranch({ ...at, branch: 'main' }))).toBe('contents=read');
  expect(await accepted(bot.repos.createCommitStatus({ ...at, sha: 'main', state: 'success' }))).toBe(
    'statuses=write',
  );
});
