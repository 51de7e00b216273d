import { expect, test } from 'vitest';
import { onGitHub } from '../../../src/cli/terminal/clone.ts';

test.each([
  ['https://github.com/acme/api.git', 'https://github.com'],
  ['https://github.com/acme/api/', 'https://github.com'],
  ['https://token@github.com/acme/api', 'https://github.com'],
  ['git@github.com:acme/api.git', 'https://github.com'],
  ['ssh://git@github.com/acme/api', 'https://github.com'],
  ['ssh://git@ghe.example.org:2222/acme/api.git', 'https://ghe.example.org'],
  ['https://ghe.example.org:8443/acme/api', 'https://ghe.example.org:8443'],
  ['http://127.0.0.1:3000/acme/api', 'http://127.0.0.1:3000'],
])('%s is acme/api on %s', (url, web) => {
  expect(onGitHub(url)).toEqual({ web, name: 'acme/api' });
});

test.each([
  'C:/acme/api',
  '/acme/api',
  './acme/api',
  'file:///acme/api',
  'acme/api',
  '',
  'https://github.com/a/b/c',
])('%s is no repository on GitHub', (url) => {
  expect(onGitHub(url)).toBeUndefined();
});
