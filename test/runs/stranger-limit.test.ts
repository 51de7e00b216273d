import { expect, test } from 'vitest';
import { StrangerLimit } from '../../src/repository/stranger-limit.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import { ada, rea } from '../steering/samples.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');

/** How many of so many words in as many seconds are answered. */
function answered(
  limit: StrangerLimit,
  times: number,
  { by = rea, repository = 1, from = noon, name = 'c' } = {},
) {
  const asked = Array.from({ length: times }, (_, index) => ({
    id: `${name}${index}`,
    by,
    at: new Date(from + index * 1000).toISOString(),
  }));
  return asked.filter((said) => limit.mayAnswer(repository, said)).length;
}

function stranger(id: number): Person {
  return { ...rea, login: `stranger-${id}`, id };
}

test('a stranger is answered ten times an hour, wherever in the repository they ask', () => {
  const limit = new StrangerLimit();
  expect(answered(limit, 15)).toBe(10);
  expect(answered(limit, 15, { repository: 2 })).toBe(10);
  expect(answered(limit, 15, { from: noon + 3_700_000, name: 'later' })).toBe(10);
});

test('all strangers together are answered thirty times an hour', () => {
  const limit = new StrangerLimit();
  const counts = [101, 102, 103, 104].map((id) => answered(limit, 12, { by: stranger(id), name: `${id}:` }));
  expect(counts).toEqual([10, 10, 10, 0]);
});

test('people with write access are not limited', () => {
  expect(answered(new StrangerLimit(), 100, { by: ada })).toBe(100);
});

test('what is heard again is decided as before, and not counted again', () => {
  const limit = new StrangerLimit();
  const said = { id: 'comment:1@x', by: rea, at: new Date(noon).toISOString() };
  for (let time = 0; time < 20; time++) expect(limit.mayAnswer(1, said)).toBe(true);
  expect(answered(limit, 15)).toBe(9);
  expect(answered(limit, 15)).toBe(9);
});
