import { describe, expect, test } from 'vitest';
import { eventually, type Progress } from './eventually.ts';

const limits = { idleMs: 2_000, futileMs: 4_000, maxMs: 60_000 };

/** A session that goes on for that many looks, each of which takes a second, and is found at the 20th. */
function session({ signs, done }: Progress) {
  let looks = 0;
  return {
    look: () => {
      looks += 1;
      return looks === 20 ? 'found' : undefined;
    },
    options: {
      limits,
      now: () => looks * 1000,
      progress: () => ({ signs: Math.min(looks, signs), done: Math.min(looks, done) }),
      instead: () => 'seen: that',
    },
  };
}

describe('waiting', () => {
  test('goes on for as long as something gets done', async () => {
    const { look, options } = session({ signs: 20, done: 20 });
    expect(await eventually('it', look, options)).toBe('found');
  });

  test.each([
    ['nothing happens any more', { signs: 3, done: 3 }, 'within 6 s: it; no progress for 3 s'],
    [
      'nothing gets done',
      { signs: 20, done: 3 },
      'within 8 s: it; no progress for 0 s, nothing done for 5 s',
    ],
  ])('ends when %s', async (_, until, says) => {
    const { look, options } = session(until);
    const waiting = eventually('it', look, options);
    await expect(waiting).rejects.toThrow(says);
    await expect(waiting).rejects.toThrow('seen: that');
  });

  test('ends at last, whatever gets done', async () => {
    const { look, options } = session({ signs: 20, done: 20 });
    const waiting = eventually('it', look, { ...options, limits: { ...limits, maxMs: 9_000 } });
    await expect(waiting).rejects.toThrow('within 10 s: it; no progress for 0 s, nothing done for 0 s');
  });

  test('ends after the time limit if nobody says whether there is progress', async () => {
    const { look, options } = session({ signs: 0, done: 0 });
    const { now } = options;
    await expect(eventually('it', look, { now, limits, withinMs: 5_000 })).rejects.toThrow('within 6 s: it');
  });
});
