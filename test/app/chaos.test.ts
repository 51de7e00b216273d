import { expect, test } from 'vitest';
import { readSelection, select } from './chaos-selection.ts';
import { momentsOf, nameOf, playWith, tryAt } from './killing.ts';

/** A session keeps more than half a core at work, and waits for GitHub in between. */
const atOnce = 3;

/** Of all moments tried, this many may lie beyond the end of their session. */
const mostNotReached = 5;

const selection = readSelection(process.env, new Date());

test('killed at any call and any push, the App ends as if nothing had happened', {
  timeout: 40 * 60_000,
}, async () => {
  const { offset, every, minutes } = selection;
  const undisturbed = await playWith(undefined);
  const all = momentsOf(undisturbed);
  const moments = select(all, selection);
  console.log(`${moments.length} of ${all.length} moments: ${JSON.stringify(undisturbed.counts)}`);
  console.log(`to repeat them, set COXSWAIN_CHAOS_OFFSET=${offset} and COXSWAIN_CHAOS_EVERY=${every}`);
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  const trials = await inPool(moments, until, async (moment, index) => {
    const trial = await tryAt(moment, undisturbed.ending);
    const { reached, differences } = trial;
    const outcome = differences.length > 0 ? 'another ending' : reached ? 'the same' : 'not reached';
    console.log(`${index + 1}/${moments.length} ${nameOf(moment)}: ${outcome}`);
    if (differences.length > 0) console.log(differences.join('\n'));
    return trial;
  });
  console.log(`${trials.length} moments were tried`);
  expect(trials.length).toBeGreaterThan(0);
  expect(trials.flatMap(({ differences }) => differences)).toEqual([]);
  expect(trials.filter(({ reached }) => !reached).length).toBeLessThanOrEqual(mostNotReached);
});

/** Does the work for each, a few at once, and begins none after `until`; answers with what came of it. */
async function inPool<T, R>(
  all: readonly T[],
  until: number,
  work: (one: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = [...all.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && Date.now() < until; next = waiting.shift()) {
      results.push(await work(next[1], next[0]));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
