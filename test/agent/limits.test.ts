import { expect, test } from 'vitest';
import { WorkingTime } from '../../src/agent/attempt/attempt-limits.ts';
import { nearLimits } from '../../src/agent/attempt/run-agent.ts';

test('people are told of a limit when four fifths of it are used', () => {
  const limits = { minutes: 60, tokens: 1_000_000, cost_usd: 5, tool_calls: 100 };
  expect(nearLimits({ tokens: 799_999, cost_usd: 3.99, tool_calls: 79 }, limits)).toEqual([]);
  expect(nearLimits({ tokens: 800_000, cost_usd: 4, tool_calls: 80 }, limits)).toEqual([
    '4.00 of 5.00 USD of this run are used (`limits.cost_usd`).',
    '800,000 of 1,000,000 tokens of this run are used (`limits.tokens`).',
    '80 of 100 tool calls of this attempt are used (`limits.tool_calls`).',
  ]);
  expect(nearLimits({ tokens: 10 ** 12, cost_usd: 10 ** 6, tool_calls: 10 ** 6 }, { minutes: 60 })).toEqual(
    [],
  );
});

test('the time of an agent stands still while it waits for people', async () => {
  const time = new WorkingTime(50);
  let isOver = false;
  time.over.addEventListener('abort', () => (isOver = true));
  let answer: (text: string) => void = () => undefined;
  const waiting = time.except(new Promise<string>((resolve) => (answer = resolve)));
  // Longer than it may work.
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(isOver).toBe(false);
  answer('yes');
  expect(await waiting).toBe('yes');
  await expect.poll(() => isOver).toBe(true);
  time.stop();
});

test('a time that was stopped ends nobody', async () => {
  const time = new WorkingTime(20);
  time.stop();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(time.over.aborted).toBe(false);
});
