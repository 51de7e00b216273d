import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, granted, httpErrorOf, startFixture } from './fixture.ts';

let fixture: Fixture;
let bot: Octokit;
let installation = 0;
const none = () => undefined;
const silent = { debug: none, info: none, warn: none, error: none };
const at = { owner: 'acme', repo: 'service' };

beforeAll(async () => {
  fixture = await startFixture();
  const { seed, apiUrl } = fixture.forge;
  seed.addOrganization('acme');
  await seed.addRepository({ owner: 'acme', name: 'service', files: { 'README.md': 'Service\n' } });
  for (const login of ['ada', 'wil']) seed.setCollaborator('acme/service', login, 'write');
  seed.addTeam('acme/core', { repositories: ['acme/service'] });
  seed.addTeam('acme/web', { parent: 'acme/core' });
  seed.setMember('acme/core', 'ada', true);
  seed.setMember('acme/web', 'wil', true);
  installation = seed.installApp(fixture.app, ['acme/service']);
  seed.setInstallationPermissions(installation, { ...granted, members: 'read' });
  const auth = { appId: fixture.app.id, privateKey: fixture.app.private_key, installationId: installation };
  bot = new Octokit({ baseUrl: apiUrl, authStrategy: createAppAuth, auth, log: silent });
});

afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const member = (team_slug: string, username: string, org = 'acme') =>
  bot.teams.getMembershipForUserInOrg({ org, team_slug, username });

test('a member of a team has a membership, also through a child team', async () => {
  expect((await member('core', 'ada')).data).toMatchObject({ role: 'member', state: 'active' });
  expect((await member('CORE', 'wil')).data).toMatchObject({ state: 'active' });
  expect((await member('web', 'wil')).data).toMatchObject({ state: 'active' });
});

test('whoever is not a member is not found, and neither is a team that there is not', async () => {
  expect(await httpErrorOf(member('web', 'ada'))).toMatchObject({ status: 404 });
  expect(await httpErrorOf(member('none', 'ada'))).toMatchObject({ status: 404 });
  expect(await httpErrorOf(member('core', 'nobody'))).toMatchObject({ status: 404 });
  expect(await httpErrorOf(bot.teams.getByName({ org: 'acme', team_slug: 'none' }))).toMatchObject({
    status: 404,
  });
});

test('a team says which organization and which parent it belongs to', async () => {
  const { data } = await bot.teams.getByName({ org: 'acme', team_slug: 'web' });
  expect(data).toMatchObject({ slug: 'web', parent: { slug: 'core' }, organization: { login: 'acme' } });
});

test('an App without members: read sees no team, and a person is no organization', async () => {
  const { seed } = fixture.forge;
  seed.setInstallationPermissions(installation, granted);
  expect(await httpErrorOf(member('core', 'ada'))).toMatchObject({
    status: 403,
    message: expect.stringContaining('Resource not accessible by integration'),
  });
  seed.setInstallationPermissions(installation, { ...granted, members: 'read' });
  expect(await httpErrorOf(member('core', 'ada', 'ada'))).toMatchObject({ status: 404 });
  expect((await bot.orgs.get({ org: 'acme' })).data.login).toBe('acme');
  expect(await httpErrorOf(bot.orgs.get({ org: 'ada' }))).toMatchObject({ status: 404 });
});

test('a review is requested from a team with access, once', async () => {
  const repository = { at, name: 'acme/service', installation, bot };
  const clone = await fixture.clone(repository);
  await clone.git('checkout', '--quiet', '-b', 'topic');
  await clone.commit('Add a', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  const { data: opened } = await bot.pulls.create({ ...at, head: 'topic', base: 'main', title: 'Add a' });
  const { number } = opened;
  const wanted = { ...at, pull_number: number, team_reviewers: ['core'], reviewers: ['wil'] };
  await bot.pulls.requestReviewers(wanted);
  await bot.pulls.requestReviewers(wanted);
  const { data } = await bot.pulls.get({ ...at, pull_number: number });
  expect(data.requested_teams?.map(({ slug }) => slug)).toEqual(['core']);
  expect(data.requested_reviewers?.map(({ login }) => login)).toEqual(['wil']);
  const events = (await bot.issues.listEvents({ ...at, issue_number: number })).data;
  expect(events).toMatchObject([
    { event: 'review_requested', requested_reviewer: { login: 'wil' } },
    { event: 'review_requested', requested_team: { slug: 'core' } },
  ]);
  const mailed = fixture.forge.mails('acme/service').map(({ about, names }) => [about, ...names]);
  expect(mailed).toEqual([['opened'], ['review_requested', 'wil'], ['review_requested', 'acme/core']]);
  const refused = bot.pulls.requestReviewers({ ...wanted, team_reviewers: ['web'] });
  expect(await httpErrorOf(refused)).toMatchObject({ status: 422 });
});
