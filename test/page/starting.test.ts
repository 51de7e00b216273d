import { expect, test } from 'vitest';
import { isStarting, startingNote } from '../../src/page/views/issue-view.ts';
import { commentOf } from './samples.ts';

const start = { at: 1_000, now: 1_010 };
const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const saying = (...comments: Parameters<typeof commentOf>[0][]) => ({
  value: { comments: comments.map(commentOf), older: 0 },
});

test('a run that was just asked for is starting, whatever people or bots said before', () => {
  const before = saying({ bot: true, at: at(990) }, { at: at(1_005) });
  expect(isStarting(start, before)).toBe(true);
  expect(startingNote(start, before).text).toContain('<b>Starting…</b>');
  expect(isStarting(null, before)).toBe(false);
});

test('an answer of Coxswain is pointed out, and a run can be asked for again', () => {
  const answered = saying({ id: 'comment-8', bot: true, at: at(1_000) });
  expect(isStarting(start, answered)).toBe(false);
  expect(startingNote(start, answered).text).toContain('<a href="#comment-8">Read its answer</a>');
});

test('after a minute nothing is said to be starting', () => {
  const late = { at: 1_000, now: 1_061 };
  expect(isStarting(late, { missing: 'gone' })).toBe(false);
  expect(startingNote(late, { missing: 'gone' }).text).toContain('Nothing has started yet.');
});
