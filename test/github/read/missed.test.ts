import { expect, test } from 'vitest';
import { missedDeliveries, payloadOf } from '../../../src/github/read/deliveries.ts';
import { repositoryAt, searchRuns } from '../../../src/github/read/repositories-with-runs.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const since = '2026-11-21T10:00:00Z';

function delivery(id: number, changes: Record<string, unknown> = {}) {
  return {
    id,
    guid: `guid-${id}`,
    delivered_at: '2026-11-21T12:00:00Z',
    redelivery: false,
    status: 'Bad Gateway',
    status_code: 502,
    event: 'issue_comment',
    action: 'created',
    ...changes,
  };
}

function stubPayload(id: number): void {
  github()
    .get(`/app/hook/deliveries/${id}`)
    .reply(200, { ...delivery(id), request: { headers: {}, payload: { action: 'created', id } } });
}

test('deliveries that did not get through are found, oldest first, and then their payloads', async () => {
  github()
    .get('/app/hook/deliveries?per_page=100')
    .reply(200, [delivery(9), delivery(8, { status_code: 200 }), delivery(7, { status_code: 202 })], {
      link: '<https://api.github.com/app/hook/deliveries?per_page=100&cursor=v1_6>; rel="next"',
    });
  github()
    .get('/app/hook/deliveries?per_page=100&cursor=v1_6')
    .reply(200, [
      delivery(6, { event: 'push', action: null }),
      delivery(5, { delivered_at: '2026-11-21T09:59:59Z' }),
    ]);
  stubPayload(6);
  const missed = await missedDeliveries(client(), since);
  expect(missed.map(({ id }) => id)).toEqual(['guid-6', 'guid-7', 'guid-9']);
  const [first] = missed;
  expect(first && (await payloadOf(client(), first))).toEqual({ action: 'created', id: 6 });
});

test.each([200, 201, 204])('an answer of %d is a delivery that got through', async (status_code) => {
  github()
    .get('/app/hook/deliveries?per_page=100')
    .reply(200, [delivery(9, { status_code }), delivery(8, { status_code: 302 })]);
  expect((await missedDeliveries(client(), since)).map(({ id }) => id)).toEqual(['guid-8']);
});

test('a delivery that a redelivery got through is not missed', async () => {
  const again = delivery(9, { guid: 'one', redelivery: true, status_code: 200 });
  github()
    .get('/app/hook/deliveries?per_page=100')
    .reply(200, [again, delivery(4, { guid: 'one' })]);
  expect(await missedDeliveries(client(), since)).toEqual([]);
});

test('irrelevant payloads are not requested', async () => {
  const foreign = [delivery(9, { event: 'check_run', action: 'created' }), delivery(8, { event: 'star' })];
  github().get('/app/hook/deliveries?per_page=100').reply(200, foreign);
  expect(await missedDeliveries(client(), since)).toEqual([]);
});

test('one search finds the repositories with open runs', async () => {
  const repository_url = 'https://api.github.com/repos/acme/api';
  github()
    .get('/search/issues')
    .query(({ q }) => q === 'is:pr is:open label:coxswain user:acme')
    .reply(200, {
      total_count: 2,
      incomplete_results: false,
      items: [{ repository_url }, { repository_url }],
    });
  const owner = { login: 'acme', id: 1 };
  const clone_url = 'https://x/api.git';
  const facts = { id: 1, name: 'api', owner, default_branch: 'main', clone_url, private: true };
  github().get('/repos/acme/api').reply(200, facts);
  const found = await searchRuns(client(), 'acme');
  expect(found).toEqual(['acme/api']);
  expect(await repositoryAt(client(), 'acme/api')).toMatchObject({ id: 1, owner: 'acme', name: 'api' });
});
