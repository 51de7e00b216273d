import { expect, test } from 'vitest';
import { commentOf } from '../../src/page/actions.ts';
import { addressOf, pathOf } from '../../src/page/routes.ts';
import { place } from './samples.ts';

test.each([
  ['', 'Thank you.', 'Thank you.'],
  ['', '/verify', '/verify'],
  ['steer', 'Use the clock', '/steer Use the clock'],
  ['steer', '/steer --now Use the clock', '/steer --now Use the clock'],
  ['approve', 'abc0001abc00', '/approve abc0001abc00'],
  ['verify', '', '/verify'],
  ['run', 'Fix it', '/run Fix it'],
  ['run', '', '/run'],
])('the button %j with %j says %j', (command, text, said) => {
  expect(commentOf({ command, text })).toBe(said);
});

test.each([
  ['', '  \n'],
  ['reject', ''],
  ['steer', ' '],
  ['launch', 'now'],
])('the button %j with %j says nothing', (command, text) => {
  expect(() => commentOf({ command, text })).toThrow(expect.objectContaining({ status: 400 }));
});

test.each([
  ['/', { place: { at: 'overview' }, deed: null }],
  ['/acme/service/pull/7', { place, deed: null }],
  ['/acme/service/pull/7/comment', { place, deed: 'comment' }],
  ['/acme/service/issues/7/label', { place: { ...place, at: 'issues' }, deed: 'label' }],
])('%s is an address', (path, address) => {
  expect(addressOf(path)).toEqual(address);
});

test.each([
  '/acme/service',
  '/acme/service/pull/0',
  '/acme/service/pull/7/',
  '/acme/service/pull/7/merge',
  '/a/b/c/pull/7',
  '/healthz',
])('%s is none of the page', (path) => {
  expect(addressOf(path)).toBeUndefined();
});

test('a path leads back to its place', () => {
  expect(addressOf(pathOf(place, 'comment'))).toEqual({ place, deed: 'comment' });
});
