import { describe, expect, test } from 'vitest';
import { Finishing, type FinishPart } from '../../src/runs/finish/finishing.ts';
import { Doubts } from '../../src/runs/run/doubts.ts';
import type { Event } from '../../src/steering/state/event.ts';

const now = new Date('2026-01-01T10:00:00Z');
const rejection = { type: 'said', id: 'comment:2@x', command: { type: 'reject' } } as Event;
const voids = [{ why: 'unrecorded', at: now.toISOString() }];

describe('what could not be recorded', () => {
  test('voids the approvals from before it until it is recorded, whatever else is', () => {
    const doubts = new Doubts();
    doubts.raise(now, rejection);
    doubts.raise(new Date(now.getTime() + 60_000), rejection);
    doubts.settle(doubts.times);
    expect(doubts).toMatchObject({ isOpen: false, isPending: true, voids });
    doubts.recorded({ id: 'comment:3@x' });
    expect(doubts.voids).toEqual(voids);
    doubts.recorded(rejection);
    expect(doubts).toMatchObject({ isPending: false, voids: [] });
  });

  test('is marked once, and the mark is erased by whoever recorded all of it', () => {
    const doubts = new Doubts();
    doubts.raise(now, rejection);
    expect(doubts.isUnmarked).toBe(true);
    doubts.marked([7]);
    doubts.raise(now, rejection);
    expect(doubts).toMatchObject({ isUnmarked: false, outdatedMarks: [] });
    doubts.raise(now, { type: 'closed', id: 'closed:1' } as Event);
    expect(doubts.isUnmarked).toBe(true);
    doubts.recorded(rejection);
    expect(doubts.outdatedMarks).toEqual([]);
    doubts.recorded({ id: 'closed:1' });
    expect(doubts.outdatedMarks).toEqual([7]);
    doubts.erased();
    expect(doubts.outdatedMarks).toEqual([]);
  });

  test('is what GitHub would not show any more and what takes something back', () => {
    const doubts = new Doubts();
    doubts.raise(now, { type: 'pushed', id: 'push:1' } as Event);
    doubts.raise(now, { ...rejection, command: { type: 'approve' } } as Event);
    expect(doubts).toMatchObject({ isOpen: true, isPending: false });
    doubts.raise(now, { type: 'spoke', id: 'spoke:1' } as Event);
    expect(doubts.isPending).toBe(true);
  });
});

describe('a check of an approved run', () => {
  test('that was under way is repeated for whoever asked meanwhile, once', async () => {
    const parts: FinishPart[] = [];
    const ends: (() => void)[] = [];
    const finishing = new Finishing((part) => {
      parts.push(part);
      return new Promise((resolve) => ends.push(resolve));
    });
    const first = finishing.again('check');
    const others = [finishing.again('check'), finishing.again(undefined), finishing.again('check')];
    expect(parts).toEqual(['check']);
    ends[0]?.();
    await first;
    await expect.poll(() => parts).toEqual(['check', undefined]);
    ends[1]?.();
    await Promise.all(others);
    expect(parts).toHaveLength(2);
  });

  test('that failed is repeated, too', async () => {
    let times = 0;
    const finishing = new Finishing(async () => {
      times += 1;
      if (times === 1) throw new Error('No.');
    });
    const first = finishing.again('check');
    const second = finishing.again('check');
    await expect(first).rejects.toThrow('No.');
    await second;
    expect(times).toBe(2);
  });
});
