import { expect, test } from 'vitest';
import { ownLogin } from '../../src/action/job-services.ts';
import { client, expectOnlyStubbedRequests, github } from '../github/octokit/github.ts';

expectOnlyStubbedRequests();

const login = () => ownLogin(client());

test("an App's token writes in the name of the App", async () => {
  github()
    .post('/graphql')
    .reply(200, { data: { viewer: { login: 'our-app[bot]' } } });
  expect(await login()).toBe('our-app[bot]');
});

test.each([
  ['over HTTP', 403, { message: 'Resource not accessible by integration' }],
  ['in GraphQL', 200, { errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] }],
  ['in other words', 200, { data: null, errors: [{ type: 'FORBIDDEN', message: 'Not for you' }] }],
])('where GitHub refuses to say who that is, %s, it is the workflow itself', async (_, status, answer) => {
  github().post('/graphql').reply(status, answer);
  expect(await login()).toBe('github-actions[bot]');
});

test.each([
  ['an outage', 502, {}],
  ['an outage of GraphQL', 200, { errors: [{ type: 'INTERNAL', message: 'Something went wrong' }] }],
  ['a token that is not valid', 401, { message: 'Bad credentials' }],
])('%s does not tell who that is, and nothing is written in a wrong name', async (_, status, answer) => {
  const headers = { 'retry-after': '0' };
  github().persist().post('/graphql').reply(status, answer, headers);
  await expect(login()).rejects.toThrow(/viewer|GraphQL/);
});
