import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RenderScheduler } from '../../../src/github/show/present.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { queued, working } from './state.ts';

/** Phases that pass quickly are not rendered, but nothing may be put off for ever. */
let rendered: number[];
let scheduler: RenderScheduler;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  rendered = [];
  scheduler = new RenderScheduler({
    renderAfterMs: 3000,
    render: async ({ seq }) => rendered.push(seq) > 0,
    reread: async () => undefined,
    newest: async () => undefined,
    forget: () => undefined,
    mayWait: () => true,
  });
  await scheduler.schedule({ ...queued, seq: 1 });
});

afterEach(() => {
  vi.useRealTimers();
});

const at = (seq: number): State => ({ ...working, seq });

test('a phase that lasts is rendered after the wait', async () => {
  void scheduler.schedule(at(2));
  await vi.advanceTimersByTimeAsync(2900);
  expect(rendered).toEqual([1]);
  await vi.advanceTimersByTimeAsync(200);
  expect(rendered).toEqual([1, 2]);
});

test('looking at the same state again does not start the wait anew', async () => {
  for (let looks = 0; looks < 3; looks++) {
    void scheduler.schedule(at(2));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(rendered).toEqual([1, 2]);
});

test('phases that follow each other without end are rendered after five waits at the latest', async () => {
  for (let seq = 2; seq <= 10; seq++) {
    void scheduler.schedule(at(seq));
    await vi.advanceTimersByTimeAsync(2000);
  }
  expect(rendered).toHaveLength(2);
  expect(rendered[1]).toBeLessThan(10);
});

test('what rests on a rendering waits for whatever has taken its place, and for no delay', async () => {
  const seen = scheduler.scheduleNow(at(2)).then(() => [...rendered]);
  void scheduler.schedule(at(2));
  await Promise.resolve();
  void scheduler.schedule(at(3));
  await vi.advanceTimersByTimeAsync(0);
  expect((await seen).at(-1)).toBeGreaterThan(1);
});
