import { afterEach, expect, test, vi } from 'vitest';
import { Batcher, type BatcherOptions, type Entry, entryFrom } from '../../src/ledger/append-batch.ts';
import { eventOf, nothing } from './sample.ts';

/** Which events are written together. */

const entry = (id: string, code = false): Entry => {
  const plain = entryFrom({ event: eventOf(id), decide: nothing }, undefined);
  return code ? { ...plain, code: { branch: 'work', from: 'a', to: 'b' } } : plain;
};

function batching(options: Partial<BatcherOptions> = {}) {
  const batches: (readonly string[])[] = [];
  const append: BatcherOptions['append'] = async (batch) => {
    batches.push(batch.map(({ event }) => event.id));
    return batch.map(() => ({ recorded: { state: undefined, fresh: true } }));
  };
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  return { batches, faults, batcher: new Batcher({ append, deferMs: 60_000, onFault, ...options }) };
}

afterEach(() => {
  vi.useRealTimers();
});

test('what comes at the same time is written together', async () => {
  const { batches, batcher } = batching();
  await Promise.all(['a', 'b'].map((id) => batcher.add(entry(id))));
  await batcher.add(entry('c'));
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('a batch ends with the first event that brings code', async () => {
  const { batches, batcher } = batching();
  await Promise.all([batcher.add(entry('a')), batcher.add(entry('b', true)), batcher.add(entry('c'))]);
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('at most 50 are written together', async () => {
  const { batches, batcher } = batching();
  await Promise.all(Array.from({ length: 51 }, (_, index) => batcher.add(entry(`${index}`))));
  expect(batches.map(({ length }) => length)).toEqual([50, 1]);
});

test('what can wait goes out with the next event, in order, or at a flush', async () => {
  const { batches, batcher } = batching();
  batcher.addLater(entry('a'));
  await batcher.add(entry('b'));
  batcher.addLater(entry('c'));
  await batcher.flush();
  await batcher.flush();
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('what can wait is written by itself after a while', async () => {
  const { batches, batcher } = batching({ deferMs: 5 });
  batcher.addLater(entry('a'));
  expect(batches).toEqual([]);
  await expect.poll(() => batches).toEqual([['a']]);
});

test('what can wait does not wait longer because more of it follows', async () => {
  vi.useFakeTimers();
  const { batches, batcher } = batching({ deferMs: 1_000 });
  batcher.addLater(entry('a'));
  await vi.advanceTimersByTimeAsync(600);
  batcher.addLater(entry('b'));
  await vi.advanceTimersByTimeAsync(600);
  expect(batches).toEqual([['a', 'b']]);
  batcher.addLater(entry('c'));
  await vi.advanceTimersByTimeAsync(1_200);
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('a fault is told to whoever waits, and of the others to the operator', async () => {
  const { faults, batcher } = batching({ append: () => Promise.reject(new Error('the remote is down')) });
  batcher.addLater(entry('a'));
  await expect(batcher.add(entry('b'))).rejects.toThrow('is down');
  expect(faults).toEqual([new Error('the remote is down')]);
});

test('each is answered for itself', async () => {
  const failed = new Error('not that one');
  const { batcher, faults } = batching({ append: async ([first]) => (first ? [{ failed }] : []) });
  const [one, two] = await Promise.allSettled([batcher.add(entry('a')), batcher.add(entry('b'))]);
  expect(one).toMatchObject({ reason: failed });
  expect(two).toMatchObject({ reason: new Error('the ledger returned no answer') });
  expect(faults).toEqual([]);
});
