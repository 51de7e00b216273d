import { expect, test } from 'vitest';
import { isLost } from '../../src/runs/sweep/lost-lease.ts';

/** Work is given to another process, but not while anybody may still be doing it. */

const hold = { holder: 'process-1:5', until: '2025-03-03T13:00:00.000Z' };
const at = (time: string) => new Date(`2025-03-03T${time}Z`);

test('a lease is lost when its time is over, and not before', () => {
  const isGone = () => false;
  expect(isLost(hold, { isGone, now: at('12:59:59.999') })).toBe(false);
  expect(isLost(hold, { isGone, now: at('13:00:00.000') })).toBe(false);
  expect(isLost(hold, { isGone, now: at('13:00:00.001') })).toBe(true);
});

test('a lease is lost at once when its own process is gone', () => {
  const now = at('12:00:00.000');
  expect(isLost(hold, { isGone: (holder) => holder === hold.holder, now })).toBe(true);
  expect(isLost(hold, { isGone: (holder) => holder !== hold.holder, now })).toBe(false);
});
