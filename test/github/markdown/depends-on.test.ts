import { expect, test } from 'vitest';
import { dependenciesIn } from '../../../src/github/markdown/depends-on.ts';

test.each([
  ['Depends on #12', ['#12']],
  ['depends on: #1, #2', ['#1', '#2']],
  ['Depends on #1 and #2.', ['#1', '#2']],
  ['Depends on #1, #2, and acme/web#3 & #4', ['#1', '#2', 'acme/web#3', '#4']],
  ['Depends on https://github.com/acme/web/pull/7', ['acme/web#7']],
  ['Fix it.\r\n\r\nDepends on #1\r\nDepends on #2', ['#1', '#2']],
  ['Depends on #1 because of the clock', ['#1']],
])('%j names what it depends on', (text, names) => {
  expect(dependenciesIn(text)).toEqual(names);
});

test.each([
  '> Depends on #1',
  '```\nDepends on #1\n```',
  '    Depends on #1',
  '<!-- \nDepends on #1\n-->',
  'It depends on #1',
  'Depends on the weather',
  'Depends on #1st',
  'Depends on #99999999999',
])('%j depends on nothing', (text) => {
  expect(dependenciesIn(text)).toEqual([]);
});
