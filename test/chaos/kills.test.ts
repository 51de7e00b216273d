import { expect, test } from 'vitest';
import { momentsOf, nameOf, type Played, playWith, type Trial, tryAt } from '../app/killing.ts';
import type { Moment } from '../app/tripwire.ts';
import { readSampling, type Sampling, sampleOf } from './sampling.ts';

/** A session uses more than half a core, and waits in between. */
const atOnce = 3;

/** How many of the moments tried may be after the end of their session. */
const maxNotReached = 5;

test('an App killed at any call or push reaches the same result as without the kill', {
  timeout: 60 * 60_000,
}, async () => {
  const until = new Until(readSampling(process.env));
  const undisturbed = await until.timed(() => playWith(undefined));
  const all = momentsOf(undisturbed);
  const sample = sampleOf(all, until.sampling);
  console.log(announcement(all, undisturbed, until.sampling));
  const trials = await inPool(sample, until, (moment) => tried(moment, { all, undisturbed }));
  console.log(`tried ${trials.length} of ${sample.length} moments in ${until.minutesPassed()} minutes`);
  expect(trials.flatMap(({ differences }) => differences)).toEqual([]);
  expect(trials.filter(({ reached }) => !reached).length).toBeLessThanOrEqual(maxNotReached);
  expect(trials.length).toBeGreaterThan(0);
});

function announcement(
  { length }: readonly Moment[],
  { counts }: Played,
  { every, offset }: Sampling,
): string {
  const repeat = `COXSWAIN_CHAOS_EVERY=${every} COXSWAIN_CHAOS_OFFSET=${offset}`;
  return `${length} moments, ${JSON.stringify(counts)}; every ${every} from ${offset} on: ${repeat} tries these again`;
}

interface Session {
  readonly all: readonly Moment[];
  readonly undisturbed: Played;
}

async function tried(moment: Moment, { all, undisturbed }: Session): Promise<Trial> {
  const trial = await tryAt(moment, undisturbed.ending);
  const { reached, differences } = trial;
  const outcome = differences.length > 0 ? 'a different result' : reached ? 'the same result' : 'not reached';
  console.log(`moment ${all.indexOf(moment)}, ${nameOf(moment)}: ${outcome}`);
  if (differences.length > 0) console.log(differences.join('\n'));
  return trial;
}

/** Stops in time, assuming that no part takes longer than the longest one so far. */
class Until {
  readonly sampling: Sampling;
  readonly #began = performance.now();
  #longestMs = 0;

  constructor(sampling: Sampling) {
    this.sampling = sampling;
  }

  /** Whether there is time for another part. */
  get hasTime(): boolean {
    return performance.now() - this.#began + this.#longestMs < this.sampling.minutes * 60_000;
  }

  async timed<T>(part: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await part();
    this.#longestMs = Math.max(this.#longestMs, performance.now() - began);
    return result;
  }

  minutesPassed(): string {
    return ((performance.now() - this.#began) / 60_000).toFixed(1);
  }
}

/** Does the work for each element, a few at a time, while there is time; returns the results. */
async function inPool<T, R>(all: readonly T[], until: Until, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && until.hasTime; next = waiting.shift()) {
      const one = next;
      results.push(await until.timed(() => work(one)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
