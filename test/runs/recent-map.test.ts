import { expect, test } from 'vitest';
import { RecentMap } from '../../src/repository/recent-map.ts';

function full(): RecentMap<string, number> {
  return new RecentMap<string, number>({ max: 3 }).set('a', 1).set('b', 2).set('c', 3);
}

test('forgets what was written longest ago', () => {
  const map = full().set('a', 4).set('d', 5);
  expect([...map]).toEqual([
    ['c', 3],
    ['a', 4],
    ['d', 5],
  ]);
});

test('keeps what was read, but not what was only looked at', () => {
  const map = full();
  expect(map.get('a')).toBe(1);
  expect(map.peek('b')).toBe(2);
  expect(map.has('b')).toBe(true);
  map.set('d', 4);
  expect([...map.keys()]).toEqual(['c', 'a', 'd']);
});

test('knows nothing of an absent key, and can forget one', () => {
  const map = full();
  expect(map.get('x')).toBeUndefined();
  expect(map.delete('a')).toBe(true);
  map.set('d', 4);
  expect([...map.keys()]).toEqual(['b', 'c', 'd']);
});
