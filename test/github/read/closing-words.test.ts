import { expect, test } from 'vitest';
import { saysThatItCloses } from '../../../src/github/read/issue-dependencies.ts';

const api = { owner: 'acme', name: 'api' };

test.each([
  'Closes #1, requested by @ada.',
  'This fixed: #1 and more',
  'RESOLVES Acme/API#1',
  'Part of #7.\nfix\t#1',
])('%j says that it closes the issue', (text) => {
  expect(saysThatItCloses(text, api, 1)).toBe(true);
});

test.each([
  'Closes #12',
  'Closes acme/web#1',
  'Part of #1',
  'Encloses #1',
  'Closes it, as #1 asked',
  'Closes\n#1',
])('%j does not', (text) => {
  expect(saysThatItCloses(text, api, 1)).toBe(false);
});
