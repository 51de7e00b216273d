import { describe, expect, test } from 'vitest';
import {
  begun,
  checked,
  doubted,
  doubtsSettled,
  hasFailed,
  hasUnmarked,
  hasUnrecorded,
  isFailingTooLong,
  neverLooked,
  outdatedMarks,
  recorded,
  repaired,
  tried,
  voidings,
  withMarks,
} from '../../src/steering/process-state.ts';
import type { Event } from '../../src/steering/state/event.ts';

const now = new Date('2026-01-01T10:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const rejection = { type: 'said', id: 'comment:2@x', command: { type: 'reject' } } as Event;
const voids = [{ why: 'unrecorded', at: now.toISOString() }];

describe('what could not be recorded', () => {
  test('voids the approvals from before it until it is recorded, whatever else is', () => {
    const raised = doubted(doubted(neverLooked, now, rejection), after(60_000), rejection);
    const known = doubtsSettled(raised, raised.doubts);
    expect(known.isInDoubt).toBe(false);
    expect(voidings(recorded(known, { id: 'comment:3@x' }))).toEqual(voids);
    expect(voidings(recorded(known, rejection))).toEqual([]);
  });

  test('is marked once, and the mark is erased by whoever recorded all of it', () => {
    const raised = doubted(neverLooked, now, rejection);
    expect(hasUnmarked(raised)).toBe(true);
    const marked = doubted(withMarks(raised, [7]), now, rejection);
    expect([hasUnmarked(marked), outdatedMarks(marked)]).toEqual([false, []]);
    const again = doubted(marked, now, { type: 'closed', id: 'closed:1' });
    expect(hasUnmarked(again)).toBe(true);
    expect(outdatedMarks(recorded(again, rejection))).toEqual([]);
    expect(outdatedMarks(recorded(recorded(again, rejection), { id: 'closed:1' }))).toEqual([7]);
  });

  test('is what GitHub would not show any more and what takes something back', () => {
    const approval = { ...rejection, command: { type: 'approve' } } as Event;
    const raised = doubted(doubted(neverLooked, now, { type: 'pushed', id: 'push:1' }), now, approval);
    expect([raised.isInDoubt, hasUnrecorded(raised)]).toEqual([true, false]);
    expect(hasUnrecorded(doubted(raised, now, { type: 'spoke', id: 'spoke:1' }))).toBe(true);
  });
});

test('a doubt that is raised while another is settled stays', () => {
  const first = doubted(begun(neverLooked), now);
  const second = doubted(first, now);
  expect(doubtsSettled(second, first.doubts).isInDoubt).toBe(true);
});

test('a check fails for too long ten minutes after it began to fail', () => {
  const failing = checked(neverLooked, now);
  expect(isFailingTooLong(checked(failing, after(9 * 60_000)), after(9 * 60_000))).toBe(false);
  expect(isFailingTooLong(checked(failing, after(10 * 60_000)), after(10 * 60_000))).toBe(true);
  const passed = checked(failing, undefined);
  expect(isFailingTooLong(checked(passed, after(10 * 60_000)), after(10 * 60_000))).toBe(false);
});

test('what succeeds begins to count anew', () => {
  const twice = tried(tried(neverLooked, 'x', { failed: true }), 'x', { failed: true });
  expect([hasFailed(twice, 'x', 2), hasFailed(twice, 'x', 3), hasFailed(twice, 'y', 1)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(hasFailed(tried(twice, 'x', { failed: false }), 'x', 1)).toBe(false);
});

test('what others change is put right thirty times an hour', () => {
  let known = neverLooked;
  for (let count = 0; count < 30; count++) known = repaired(known, now);
  expect(known.repairs).toHaveLength(30);
  expect(repaired(known, after(59 * 60_000)).isPutOff).toBe(true);
  expect(repaired(known, after(61 * 60_000)).repairs).toHaveLength(1);
});
