import { describe, expect, test } from 'vitest';
import { eventDigest } from '../../src/github/words/withheld-mark.ts';
import { Doubts } from '../../src/runs/finish/doubts.ts';
import { Finishing, type FinishPart } from '../../src/runs/finish/finishing.ts';
import type { Event } from '../../src/steering/event.ts';
import type { Approval } from '../../src/steering/state.ts';

const start = Date.parse('2026-01-01T10:00:00Z');
const minute = (minutes: number) => new Date(start + minutes * 60_000);
const approvals = [{ id: 'comment:1', at: minute(0).toISOString() } as Approval];
const rejection = { type: 'said', id: 'comment:2@x' } as Event;

describe('what could not be recorded', () => {
  test('waits until it is recorded, whatever else is', () => {
    const doubts = new Doubts();
    doubts.raise(minute(1), rejection);
    doubts.settle(doubts.times);
    expect(doubts.isOpen).toBe(false);
    doubts.recorded({ ...rejection, id: 'comment:3@x' });
    expect(doubts.about(approvals, minute(2))).toEqual({ waits: true, voids: [] });
    doubts.recorded(rejection);
    expect(doubts.about(approvals, minute(2))).toEqual({ waits: false, voids: [] });
  });

  test('voids the approvals once it has not come again for ten minutes', () => {
    const doubts = new Doubts();
    doubts.raise(minute(1), rejection);
    doubts.raise(minute(8), rejection);
    expect(doubts.about(approvals, minute(17))).toEqual({ waits: true, voids: [] });
    const voids = [{ why: 'unrecorded', at: minute(11).toISOString() }];
    expect(doubts.about(approvals, minute(18))).toEqual({ waits: false, voids });
    const later = [{ ...approvals[0], at: minute(12).toISOString() } as Approval];
    expect(doubts.about(later, minute(18))).toEqual({ waits: false, voids: [] });
  });

  test('is believed of a check run, except what is in the ledger or was recorded here', () => {
    const doubts = new Doubts();
    const [seen, known, missing] = ['push:1', 'push:2', 'push:3'].map(eventDigest) as [
      string,
      string,
      string,
    ];
    doubts.recorded({ type: 'said', id: 'push:2' } as Event);
    const mark = { lost: false, unrecorded: [seen, known, missing], at: minute(1).toISOString() };
    doubts.adopt(mark, { seen: new Set([seen]), approvals, now: minute(30) });
    expect(doubts.unrecorded).toEqual([missing]);
    // The check run stays, and the ledger need not be read again for it.
    expect(doubts.knows([seen, known])).toBe(true);
    expect(doubts.about(approvals, minute(31)).waits).toBe(true);
    expect(doubts.about(approvals, minute(41)).voids).toHaveLength(1);
  });

  test('is what GitHub would not show any more; the rest is read again', () => {
    const doubts = new Doubts();
    doubts.raise(minute(1), { type: 'pushed', id: 'push:1' } as Event);
    expect(doubts).toMatchObject({ isOpen: true, isPending: false });
    doubts.raise(minute(1), { type: 'closed', id: 'closed:1' } as Event);
    expect(doubts.isPending).toBe(true);
  });

  test('does not concern who approved long after it', () => {
    const doubts = new Doubts();
    const mark = { lost: false, unrecorded: [eventDigest('push:3')], at: minute(-11).toISOString() };
    doubts.adopt(mark, { seen: new Set(), approvals, now: minute(1) });
    expect(doubts.isPending).toBe(false);
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
