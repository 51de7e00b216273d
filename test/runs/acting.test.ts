import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HistoryLags } from '../../src/repository/contributors.ts';
import { Acting } from '../../src/runs/run/background-work.ts';
import type { State } from '../../src/steering/state/state.ts';
import { awaiting } from '../github/show/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How often something is tried that fails until so many seconds have passed. */
async function triesOf(fault: Error, untilSeconds: number): Promise<{ tries: number; isDone: boolean }> {
  const newest = awaiting();
  const began = Date.now();
  let tries = 0;
  let isDone = false;
  const act = async () => {
    tries += 1;
    if (Date.now() - began < untilSeconds * 1000) throw fault;
    isDone = true;
  };
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const acting = new Acting({ name: 'acme/api#7', newest }, act, {
    log,
    signal: new AbortController().signal,
  });
  const acted = acting.on(newest);
  await vi.advanceTimersByTimeAsync(200_000);
  await acted;
  return { tries, isDone };
}

test('an action that waits for a push to be listed goes on for as long as GitHub may take', async () => {
  expect(await triesOf(new HistoryLags('not listed yet'), 60)).toMatchObject({ isDone: true });
});

test('any other is left to the next sweep', async () => {
  expect(await triesOf(new Error('something else'), 60)).toEqual({ tries: 5, isDone: false });
});

test('what acting itself records, which fails as well, does not keep it going', async () => {
  const newest = awaiting();
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const closing = new AbortController();
  let merges = 0;
  let merging: Promise<void> | undefined;
  const merge = async () => {
    merges += 1;
    await Promise.resolve();
    // The check before a merge is recorded, and what is recorded is acted upon.
    void acting.on(newest);
    await Promise.resolve();
    throw new Error('Head branch was modified');
  };
  const act = () => {
    merging ??= merge().finally(() => {
      merging = undefined;
    });
    return merging;
  };
  const acting: Acting = new Acting({ name: 'acme/api#7', newest }, act, { log, signal: closing.signal });
  let isOver = false;
  const acted = acting.on(newest).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(200_000);
  const found = { isOver, merges };
  closing.abort();
  await vi.advanceTimersByTimeAsync(200_000);
  await acted;
  expect(found).toEqual({ isOver: true, merges: 5 });
  expect(log.error).toHaveBeenCalledExactlyOnceWith(
    'gave up acting for acme/api#7; the next sweep will retry: Head branch was modified',
  );
});

test('an event that fails while an earlier one is tried again has as many tries', async () => {
  let newest = awaiting();
  const failed: number[] = [];
  const act = async ({ seq }: State) => {
    failed.push(seq);
    throw new Error('no answer');
  };
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const run = {
    name: 'acme/api#7',
    get newest() {
      return newest;
    },
  };
  const acting = new Acting(run, act, { log, signal: new AbortController().signal });
  const acted = [acting.on(newest)];
  await vi.advanceTimersByTimeAsync(35_000);
  newest = { ...newest, seq: newest.seq + 1 };
  acted.push(acting.on(newest));
  await vi.advanceTimersByTimeAsync(200_000);
  await Promise.all(acted);
  expect(failed.filter((seq) => seq === newest.seq).length).toBeGreaterThanOrEqual(5);
  expect(log.error).toHaveBeenCalledOnce();
});
