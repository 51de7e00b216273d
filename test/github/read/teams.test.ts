import { expect, test } from 'vitest';
import { membershipsOf, readTeam } from '../../../src/github/read/roles.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const team = '/orgs/acme/teams/core';
const membership = `${team}/memberships/ada`;
const headers = { 'x-accepted-github-permissions': 'members=read' };
const forbidden = { message: 'Resource not accessible by integration' };
const notFound = { message: 'Not Found' };

const asked = () => membershipsOf(client(), 'ada', ['acme/core']);

test.each([
  ['active', ['acme/core']],
  ['pending', []],
])('a membership that is %s', async (state, teams) => {
  github().get(membership).reply(200, { state, role: 'member', url: '' });
  expect(await asked()).toEqual({ teams, unread_teams: [] });
});

test('whoever is not in a team that there is, is not in it', async () => {
  github().get(membership).reply(404, notFound).get(team).reply(200, { slug: 'core' });
  expect(await asked()).toEqual({ teams: [], unread_teams: [] });
});

test('of a team that there is not, or that we may not read, nobody is said to be no member', async () => {
  github().get(membership).reply(404, notFound).get(team).reply(404, notFound);
  expect(await asked()).toEqual({ teams: [], unread_teams: ['acme/core'] });
  github().get(membership).reply(403, forbidden, headers);
  expect(await asked()).toEqual({ teams: [], unread_teams: ['acme/core'] });
});

test('a refusal that no permission of ours would change is said, too, rather than asked about for ever', async () => {
  const notAllowed = { message: 'The `acme` organization has an IP allow list enabled' };
  github().get(membership).reply(403, notAllowed);
  expect(await asked()).toEqual({ teams: [], unread_teams: ['acme/core'] });
  github().get(membership).reply(404, notFound).get(team).reply(403, notAllowed);
  expect(await asked()).toEqual({ teams: [], unread_teams: ['acme/core'] });
});

test('an outage is neither yes nor no', async () => {
  github().get(membership).times(10).reply(500, { message: 'oops' });
  await expect(asked()).rejects.toMatchObject({ name: 'GitHubFault', status: 500 });
  const { default: nock } = await import('nock');
  nock.cleanAll();
});

test('a team is found, missing, or hidden from us', async () => {
  github().get(team).reply(200, { slug: 'core' });
  expect(await readTeam(client(), 'acme/core')).toBe('found');
  github().get(team).reply(404, notFound);
  expect(await readTeam(client(), 'acme/core')).toBe('missing');
  github().get(team).reply(403, forbidden, headers);
  expect(await readTeam(client(), 'acme/core')).toBe('hidden');
});
