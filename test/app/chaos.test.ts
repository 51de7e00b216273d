import { expect, test } from 'vitest';
import { differenceAt, momentsOf, nameOf, playWith } from './killing.ts';

/** Two, for the App and the forge of a session keep about one core at work. */
const atOnce = 2;

test('killed at any call and any push, the App ends as if nothing had happened', {
  timeout: 20 * 60_000,
}, async () => {
  const undisturbed = await playWith(undefined);
  const moments = momentsOf(undisturbed);
  console.log(`${moments.length} moments: ${JSON.stringify(undisturbed.counts)}`);
  const failures = await inPool(moments, async (moment, index) => {
    const failure = await differenceAt(moment, undisturbed.ending);
    console.log(
      `${index + 1}/${moments.length} ${nameOf(moment)}: ${failure?.split('\n', 1)[0] ?? 'the same'}`,
    );
    return failure;
  });
  expect(failures).toEqual([]);
});

/** Does the work for each, a few at once; answers with what came of those that brought something. */
async function inPool<T, R>(all: readonly T[], work: (one: T, index: number) => Promise<R | undefined>) {
  const results: R[] = [];
  const waiting = [...all.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await work(next[1], next[0]);
      if (result !== undefined) results.push(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
