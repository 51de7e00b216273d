import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Acting } from '../../src/runs/acting.ts';
import { HistoryLags } from '../../src/runs/finish/check-finish.ts';
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
