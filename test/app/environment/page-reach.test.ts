import { expect, test } from 'vitest';
import { pageReach } from '../../../src/app/app.ts';

test.each(['127.0.0.1', '127.8.0.1', '::1', 'localhost', 'LOCALHOST'])('%s is this machine', (host) => {
  expect(pageReach({ host, pageUrl: null })).toBe('this_machine');
});

test.each(['0.0.0.0', '::', '10.0.0.7', 'coxswain.example.org', 'localhost.example.org', '127.example.org'])(
  '%s is reached over the network',
  (host) => {
    expect(pageReach({ host, pageUrl: null })).toBe('network');
  },
);

test('an address that leads elsewhere counts, wherever the App listens', () => {
  const host = '127.0.0.1';
  expect(pageReach({ host, pageUrl: 'https://coxswain.example.org' })).toBe('network');
  expect(pageReach({ host, pageUrl: 'http://localhost:8080' })).toBe('this_machine');
  expect(pageReach({ host, pageUrl: 'http://[::1]:8080' })).toBe('this_machine');
  expect(pageReach({ host: '0.0.0.0', pageUrl: 'http://localhost:8080' })).toBe('network');
});
