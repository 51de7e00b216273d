import { expect, test } from 'vitest';
import { fileText, proposalText } from '../../../src/cli/init.ts';

const path = '.github/coxswain.yml';
const difference = '@@ -1 +1 @@\n-# \u001b[2J\u009b8m\u202ehidden\n+version: 1\n';
const file = { path, text: 'version: 1\n', state: 'different', difference } as const;

test.each([
  ['before it is written', proposalText(file)],
  ['after it was left as it is', fileText(file, false)],
])('a file that is there does not control the terminal %s', (_when, told) => {
  expect(told).toContain('  -#  [2J 8m hidden\n  +version: 1\n');
});

test('a file that is missing is shown as a whole', () => {
  expect(proposalText({ path, text: 'version: 1\n', state: 'missing', difference: '' })).toBe(
    `\n${path}:\n\n  version: 1\n`,
  );
});
