import { expect, test } from 'vitest';
import { mailsOf } from './mails-of.ts';

test('a run that is merged makes GitHub mail three times, and once more if it was steered', async () => {
  expect(await mailsOf('merged', 'steered')).toEqual([
    'merged: opened, names ada',
    'merged: commented, names ada',
    'merged: merged',
    'steered: opened, names ada',
    'steered: commented, names ada',
    'steered: commented, names ada',
    'steered: merged',
  ]);
});
