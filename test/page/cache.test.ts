import { expect, test } from 'vitest';
import { Cache, loaded } from '../../src/page/load/github-reader.ts';

test('a fresh value is not loaded again, and concurrent requests share one load', async () => {
  const { cache, clock, loads, load } = cacheWithClock();
  await Promise.all([cache.get('a', 1000, load), cache.get('a', 1000, load)]);
  clock.now += 999;
  expect(await cache.get('a', 1000, load)).toBe(1);
  expect(loads).toEqual([undefined]);
});

test('a stale value is loaded again, given its previous value', async () => {
  const { cache, clock, loads, load } = cacheWithClock();
  await cache.get('a', 1000, load);
  clock.now += 1000;
  expect(await cache.get('a', 1000, load)).toBe(2);
  expect(loads).toEqual([undefined, 1]);
});

test('expiring a prefix reloads only keys with that prefix', async () => {
  const { cache, load } = cacheWithClock();
  await cache.get('acme/api issues', 1000, load);
  await cache.get('acme/web issues', 1000, load);
  cache.expire('acme/api ');
  expect(await cache.get('acme/web issues', 1000, load)).toBe(2);
  expect(await cache.get('acme/api issues', 1000, load)).toBe(3);
});

test('a failure is cached briefly, and the previous value is kept', async () => {
  const { cache, clock, loads, load } = cacheWithClock();
  await cache.get('a', 1000, load);
  clock.now += 1000;
  const fail = () => Promise.reject(new Error('no answer'));
  await expect(cache.get('a', 1000, fail)).rejects.toThrow('no answer');
  clock.now += 2999;
  await expect(cache.get('a', 1000, load)).rejects.toThrow('no answer');
  clock.now += 1;
  expect(await cache.get('a', 1000, load)).toBe(2);
  expect(loads).toEqual([undefined, 1]);
});

test('the least recently used entry is dropped first', async () => {
  const { cache, loads, load } = cacheWithClock(2);
  for (const key of ['a', 'b', 'c', 'a']) await cache.get(key, 1000, load);
  expect(loads).toHaveLength(4);
});

test('all values together are no larger than there is room for', async () => {
  const cache = new Cache({ max: 1000, maxSize: 10 });
  const loads: string[] = [];
  const get = (key: string, size: number) =>
    cache.get(
      key,
      1000,
      async () => void loads.push(key),
      () => size,
    );
  await get('a', 6);
  await get('b', 4);
  await get('a', 6);
  await get('c', 4);
  expect(loads).toEqual(['a', 'b', 'c']);
  await get('a', 6);
  await get('c', 4);
  expect(loads).toEqual(['a', 'b', 'c']);
  await get('b', 4);
  // What would not fit at all is loaded each time.
  await get('huge', 11);
  await get('huge', 11);
  expect(loads).toEqual(['a', 'b', 'c', 'b', 'huge', 'huge']);
});

test('a failed load says why', async () => {
  const fault = new Error('could not fetch', { cause: new Error('no answer') });
  expect(await loaded('The diff', Promise.reject(fault))).toEqual({
    missing: "The diff isn't available right now: could not fetch: no answer.",
  });
  expect(await loaded('The diff', Promise.resolve(undefined))).toEqual({
    missing: "The diff isn't available right now.",
  });
});

function cacheWithClock(max = 10) {
  const clock = { now: 0 };
  const loads: unknown[] = [];
  const load = async (before: number | undefined) => loads.push(before);
  return { cache: new Cache({ max, now: () => clock.now }), clock, loads, load };
}
