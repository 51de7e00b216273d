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

test('the former name of a repository leads to it, for reading, writing and Git', async () => {
  const { repository, number, clone } = await openPull(fixture);
  const { at, name, bot } = repository;
  fixture.forge.seed.rename(name, 'gadgets');
  const response = await fetch(`${fixture.forge.apiUrl}/repos/${name}/issues?state=all`, {
    redirect: 'manual',
  });
  const { data: renamed } = await bot.repos.get(at);
  expect(response.status).toBe(301);
  expect(response.headers.get('location')).toBe(
    `${fixture.forge.apiUrl}/repositories/${renamed.id}/issues?state=all`,
  );
  expect(renamed.full_name).toBe('ada/gadgets');
  const { data: comment } = await bot.issues.createComment({ ...at, issue_number: number, body: 'Here' });
  expect(comment.html_url).toContain('/ada/gadgets/pull/');
  expect((await fixture.asApp().apps.getRepoInstallation(at)).data.id).toBe(repository.installation);
  const { repository: seen } = await fixture
    .person('wil')
    .graphql<{ repository: { nameWithOwner: string } }>(
      `{ repository(owner: "ada", name: "${at.repo}") { nameWithOwner } }`,
    );
  expect(seen.nameWithOwner).toBe('ada/gadgets');
  await clone.git('fetch', '--quiet');
});

test('a former name tells nothing to those who see nothing, and is lost to a new repository', async () => {
  const { at, name } = await fixture.repository({ private: true });
  fixture.forge.seed.rename(name, 'hidden');
  expect((await fixture.person('ren').repos.get(at)).data.name).toBe('hidden');
  expect((await httpErrorOf(fixture.person('out').repos.get(at))).status).toBe(404);
  await fixture.forge.seed.addRepository({ owner: 'ada', name: at.repo, files: { 'a.txt': 'a\n' } });
  expect((await fixture.person('out').repos.get(at)).data.name).toBe(at.repo);
});

test('a public repository becomes private, and is gone for those without a role', async () => {
  const { at, name } = await fixture.repository();
  const out = fixture.person('out');
  expect((await out.repos.get(at)).data.private).toBe(false);
  fixture.forge.seed.setPrivate(name, true);
  expect((await httpErrorOf(out.repos.get(at))).status).toBe(404);
  expect((await fixture.person('ren').repos.get(at)).data.private).toBe(true);
});

test('of a deleted repository nothing is left', async () => {
  const { repository, number, clone } = await openPull(fixture);
  const { at, name, bot, installation } = repository;
  await fixture.forge.seed.deleteRepository(name);
  const ada = fixture.person('ada');
  expect((await httpErrorOf(ada.pulls.get({ ...at, pull_number: number }))).status).toBe(404);
  expect((await ada.search.issuesAndPullRequests({ q: `repo:${name}` })).data.total_count).toBe(0);
  expect((await bot.apps.listReposAccessibleToInstallation()).data.repositories).toEqual([]);
  const through = fixture.client(fixture.forge.seed.userToken(fixture.app, 'wil'));
  const { data } = await through.apps.listInstallationsForAuthenticatedUser();
  expect(data.installations.map(({ id }) => id)).not.toContain(installation);
  expect((await clone.attempt('fetch')).code).not.toBe(0);
});
