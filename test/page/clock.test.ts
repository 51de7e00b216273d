import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Postings } from '../../src/page/forms/offers.ts';
import { Cache } from '../../src/page/load/github-reader.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const hour = 60 * 60 * 1000;

test('a clock that is set back does not make old answers new ones', async () => {
  const cache = new Cache({ max: 1 });
  expect(await cache.get('key', 0, async () => 'old')).toBe('old');
  vi.setSystemTime(Date.now() - hour);
  expect(await cache.get('key', 0, async () => 'new')).toBe('new');
});

test('a clock that is set forward does not let the same be posted twice', () => {
  const postings = new Postings();
  const said = { name: 'approve', body: '/approve', seq: 1 } as const;
  expect(postings.begin('/acme/api/pull/7', said)).toBe(true);
  vi.setSystemTime(Date.now() + hour);
  expect(postings.begin('/acme/api/pull/7', said)).toBe(false);
});
