import { expect, test } from 'vitest';
import { newLease } from '../../src/engine/leased-work.ts';
import { maxAsks, usualPermissions } from '../../src/steering/permission/permitted-calls.ts';
import { type Choices, settingsOf } from '../steering/samples.ts';
import { story } from '../steering/story.ts';

const now = new Date('2026-01-01T10:00:00Z');

/** In seconds. */
function lengthFor(choices: Choices): number {
  const { until } = newLease(story(choices).starts().state, { holder: 'a' }, now);
  return (Date.parse(until) - now.getTime()) / 1000;
}

test('a lease lasts as long as proving the result may, which has a bound of its own', () => {
  const verifier = { name: 'test', run: 'true', required: true };
  const lasting = (timeout_s: number) => lengthFor({ verifiers: [{ ...verifier, timeout_s }] });
  const { limits } = settingsOf();
  const without = lengthFor({ verifiers: [] });
  expect(lasting(600) - without).toBe(600 + 2 * Math.min(600 + limits.minutes * 60, 1800));
  expect(lasting(7200) - without).toBe(7200 + 2 * 1800);
});

test('a lease lasts as long as everything together may, with what its agent waits for people', () => {
  const permissions = { ...usualPermissions, hold_s: 600 };
  const { limits, verifiers } = settingsOf();
  const work = 2 * limits.minutes * 60 + verifiers.reduce((sum, { timeout_s }) => sum + timeout_s, 0);
  expect(lengthFor({ permissions })).toBeGreaterThanOrEqual(work + maxAsks * 600);
  expect(lengthFor({ permissions }) - lengthFor({})).toBe(maxAsks * (600 - usualPermissions.hold_s));
});
