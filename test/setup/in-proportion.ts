import { expect } from 'vitest';

/** How much more input, and how much longer it may take: 64 times as long would be quadratic. */
const times = 8;
const timesAsLong = 24;

/** In less time, compiling and collecting garbage count more than the work. */
const shortestUs = 50_000;

/**
 * Expects work to take time in proportion to the size of its input. Two sizes are compared in one run, by the
 * processor time of this process, so a busy machine changes nothing. What is fast at `largest` is not compared.
 */
export function expectInProportion(
  work: (size: number) => unknown,
  { from = 1_000, largest = 1_000_000 }: { readonly from?: number; readonly largest?: number } = {},
): void {
  let size = from;
  let shortUs = 0;
  for (; ; size *= 2) {
    if (size * times > largest) return;
    // Once is enough to see that it is fast, but not that it is slow.
    shortUs = processorTime(work, size);
    if (shortUs >= shortestUs) shortUs = leastProcessorTime(work, size);
    if (shortUs >= shortestUs) break;
  }
  const longUs = leastProcessorTime(work, size * times);
  expect(longUs / shortUs, `${times} times ${size}, by processor time`).toBeLessThan(timesAsLong);
}

/** Of three times, in microseconds: one alone may be that of the compiler, or of the garbage of other tests. */
function leastProcessorTime(work: (size: number) => unknown, size: number): number {
  return Math.min(processorTime(work, size), processorTime(work, size), processorTime(work, size));
}

function processorTime(work: (size: number) => unknown, size: number): number {
  const before = process.cpuUsage();
  work(size);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
