import { expect, test } from 'vitest';
import { retry } from '../../src/repository/faults.ts';

function setting({ firstWaitMs = 1 } = {}) {
  const warnings: string[] = [];
  const ending = new AbortController();
  const log = { warn: (text: string) => void warnings.push(text) };
  const options = { doing: 'push', log, signal: ending.signal, firstWaitMs, factor: 1 };
  return { warnings, ending, options };
}

test('an action that an outage prevents is retried, and each failure is logged', async () => {
  const { warnings, options } = setting();
  const act = async (attempt: number) => {
    if (attempt < 3) throw new Error('unreachable');
    return attempt;
  };
  expect(await retry(act, options)).toBe(3);
  expect(warnings).toEqual([
    'could not push (try 1 of 5): unreachable',
    'could not push (try 2 of 5): unreachable',
  ]);
});

test('the fifth failure is the last', async () => {
  const { warnings, options } = setting();
  const act = async (attempt: number) => Promise.reject(new Error(`failure ${attempt}`));
  await expect(retry(act, options)).rejects.toThrow('failure 5');
  expect(warnings).toHaveLength(5);
});

test('a bug of ours is not retried', async () => {
  const { warnings, options } = setting();
  await expect(retry(() => Promise.reject(new TypeError('x is undefined')), options)).rejects.toThrow('x is');
  expect(warnings).toHaveLength(1);
});

test('an abort while waiting causes one more try at once', async () => {
  const { ending, options } = setting({ firstWaitMs: 60_000 });
  const act = async (attempt: number) => {
    if (attempt === 1) {
      setImmediate(() => ending.abort());
      throw new Error('unreachable');
    }
    return attempt;
  };
  expect(await retry(act, options)).toBe(2);
});

test('an action that succeeded despite an abort is not repeated', async () => {
  const { warnings, ending, options } = setting();
  const act = async (attempt: number) => {
    ending.abort();
    return attempt;
  };
  expect(await retry(act, options)).toBe(1);
  expect(warnings).toEqual([]);
});

test('an action aborted before it started is tried once', async () => {
  const { ending, options } = setting({ firstWaitMs: 60_000 });
  ending.abort();
  expect(await retry(async (attempt) => attempt, options)).toBe(1);
});
