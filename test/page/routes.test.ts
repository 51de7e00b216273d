import { expect, test } from 'vitest';
import { matchRoute, pathOf } from '../../src/page/load/page-routes.ts';
import { route } from './samples.ts';

test.each([
  ['/', { route: { page: 'inbox' }, action: null }],
  ['/acme/service/pull/7', { route, action: null }],
  ['/acme/service/pull/7/comment', { route, action: 'comment' }],
])('%s is a route', (path, address) => {
  expect(matchRoute(path)).toEqual(address);
});

test.each([
  '/acme/service',
  '/acme/service/pull/0',
  '/acme/service/pull/7/',
  '/acme/service/pull/7/merge',
  '/a/b/c/pull/7',
  '/healthz',
])('%s is not a route', (path) => {
  expect(matchRoute(path)).toBeUndefined();
});

test("a route's path matches the route", () => {
  expect(matchRoute(pathOf(route, 'comment'))).toEqual({ route, action: 'comment' });
});
