import { expect, test } from 'vitest';
import { momentsOf, nameOf, playWith, tryAt } from './killing.ts';

/** A session keeps more than half a core at work, and waits for GitHub's pace in between. */
const atOnce = 3;

/** Of all moments tried, this many may lie beyond the end of their session. */
const mostNotReached = 5;

test('killed at any call and any push, the App ends as if nothing had happened', {
  timeout: 40 * 60_000,
}, async () => {
  const undisturbed = await playWith(undefined);
  const moments = momentsOf(undisturbed);
  console.log(`${moments.length} moments: ${JSON.stringify(undisturbed.counts)}`);
  const trials = await inPool(moments, async (moment, index) => {
    const trial = await tryAt(moment, undisturbed.ending);
    const { reached, differences } = trial;
    const outcome = differences.length > 0 ? 'another ending' : reached ? 'the same' : 'not reached';
    console.log(`${index + 1}/${moments.length} ${nameOf(moment)}: ${outcome}`);
    if (differences.length > 0) console.log(differences.join('\n'));
    return trial;
  });
  expect(trials.flatMap(({ differences }) => differences)).toEqual([]);
  expect(trials.filter(({ reached }) => !reached).length).toBeLessThanOrEqual(mostNotReached);
});

/** Does the work for each, a few at once; answers with what came of it. */
async function inPool<T, R>(all: readonly T[], work: (one: T, index: number) => Promise<R>) {
  const results: R[] = [];
  const waiting = [...all.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results.push(await work(next[1], next[0]));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
