import { expect, test } from 'vitest';
import { isUndoneOn } from '../../src/steering/branch/outdated-answers.ts';

const at = '2026-11-21T12:05:00Z';
const later = '2026-11-21T12:06:00Z';
const earlier = '2026-11-21T12:04:59Z';

const closing = { type: 'closed', id: `closed:${at}`, at, by: 'ada', merged: false } as const;
const reopening = { type: 'reopened', id: `reopened:${at}`, at, by: 'ada' } as const;
const open = { open: true, closed_at: null };
const closed = { open: false, updated_at: later };

test('a closing of a pull request that is open again is undone', () => {
  expect(isUndoneOn({ ...open, updated_at: later }, closing)).toBe(true);
});

test('an answer of GitHub from before the closing is not believed', () => {
  expect(isUndoneOn({ ...open, updated_at: earlier }, closing)).toBe(false);
});

test('a reopening of a pull request that was closed afterwards is undone', () => {
  expect(isUndoneOn({ ...closed, closed_at: later }, reopening)).toBe(true);
  expect(isUndoneOn({ ...closed, closed_at: earlier }, reopening)).toBe(false);
});
