import { expect, test } from 'vitest';
import { missedDeliveries } from '../../../src/github/read/deliveries.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

test.each([
  ['with a fraction of a second', '2026-11-21T10:00:00.500Z'],
  ['with an offset', '2026-11-21T10:00:00+00:00'],
  ['in another time zone', '2026-11-21T09:00:01-01:00'],
])('a missed delivery is found whose time is written %s', async (_, delivered_at) => {
  const missed = { id: 5, guid: 'a', status_code: 500, event: 'issue_comment', action: 'created' };
  const delivery = { ...missed, delivered_at, repository_id: 1 };
  const old = { ...delivery, id: 4, guid: 'b', delivered_at: '2026-11-21T09:59:59Z' };
  github().get('/app/hook/deliveries?per_page=100').reply(200, [delivery, old]);
  const found = await missedDeliveries(client(), '2026-11-21T10:00:00Z');
  expect(found.map(({ id }) => id)).toEqual(['a']);
});
