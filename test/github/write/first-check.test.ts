import { expect, test } from 'vitest';
import { drawFirstCheck } from '../../../src/github/write/completed-checks.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const where = { owner: 'acme', name: 'api' };
const sha = 'b'.repeat(40);

test('the first check run is on the newest commit and satisfies no rule', async () => {
  github().get('/repos/acme/api/commits?per_page=1').reply(200, [{ sha }]);
  let drawn: Record<string, unknown> = {};
  github()
    .post('/repos/acme/api/check-runs', (body) => {
      drawn = body;
      return true;
    })
    .reply(201, { id: 1 });
  await drawFirstCheck(client(), where);
  expect(drawn).toMatchObject({ name: 'Coxswain', head_sha: sha, conclusion: 'cancelled' });
});

test('an empty repository gets no check run', async () => {
  github().get('/repos/acme/api/commits?per_page=1').reply(409, { message: 'Git Repository is empty.' });
  await drawFirstCheck(client(), where);
});
