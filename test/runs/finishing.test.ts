import { describe, expect, test } from 'vitest';
import { Rounds } from '../../src/runs/run/background-work.ts';

describe('a check of an approved run', () => {
  test('that was under way is repeated for whoever asked meanwhile, once', async () => {
    const parts: ('check' | undefined)[] = [];
    const ends: (() => void)[] = [];
    const finishing = new Rounds<'check'>((part) => {
      parts.push(part);
      return new Promise<void>((resolve) => ends.push(resolve));
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
    const finishing = new Rounds<'check'>(async () => {
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
