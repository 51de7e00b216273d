import { expect, test } from 'vitest';
import type { KillPoint } from '../app/kill-hook.ts';
import {
  type KillResult,
  killPointsOf,
  nameOf,
  runSessionWithKill,
  type SessionResult,
  tryKillAt,
} from '../app/kill-session.ts';
import { readSampling, type Sampling, sampleOf } from './sampling.ts';

/** A session uses more than half a core, and waits in between. */
const concurrency = 3;

/** How many of the chosen kill points may lie after the end of their session. */
const maxNotReached = 5;

test('an App killed at any call or push reaches the same result as without the kill', {
  timeout: 60 * 60_000,
}, async () => {
  const budget = new TimeBudget(readSampling(process.env));
  const undisturbed = await budget.timed(() => runSessionWithKill(undefined));
  const all = killPointsOf(undisturbed);
  const sample = sampleOf(all, budget.sampling);
  console.log(announcement(all, undisturbed, budget.sampling));
  const results = await inPool(sample, budget, (point) => runAndReport(point, { all, undisturbed }));
  console.log(`tried ${results.length} of ${sample.length} moments in ${budget.elapsedMinutes()} minutes`);
  expect(results.flatMap(({ differences }) => differences)).toEqual([]);
  expect(results.filter(({ reached }) => !reached).length).toBeLessThanOrEqual(maxNotReached);
  expect(results.length).toBeGreaterThan(0);
});

function announcement(
  { length }: readonly KillPoint[],
  { counts }: SessionResult,
  { every, offset }: Sampling,
): string {
  const repeat = `COXSWAIN_CHAOS_EVERY=${every} COXSWAIN_CHAOS_OFFSET=${offset}`;
  return `${length} moments, ${JSON.stringify(counts)}; every ${every} from ${offset} on: ${repeat} tries these again`;
}

interface Session {
  readonly all: readonly KillPoint[];
  readonly undisturbed: SessionResult;
}

async function runAndReport(point: KillPoint, { all, undisturbed }: Session): Promise<KillResult> {
  const result = await tryKillAt(point, undisturbed.finalState);
  const { reached, differences } = result;
  const outcome = differences.length > 0 ? 'a different result' : reached ? 'the same result' : 'not reached';
  console.log(`moment ${all.indexOf(point)}, ${nameOf(point)}: ${outcome}`);
  if (differences.length > 0) console.log(differences.join('\n'));
  return result;
}

/** Stops in time, assuming that no session takes longer than the longest one so far. */
class TimeBudget {
  readonly sampling: Sampling;
  readonly #began = performance.now();
  #longestMs = 0;

  constructor(sampling: Sampling) {
    this.sampling = sampling;
  }

  /** Whether there is time for another session. */
  get hasTime(): boolean {
    return performance.now() - this.#began + this.#longestMs < this.sampling.minutes * 60_000;
  }

  async timed<T>(session: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await session();
    this.#longestMs = Math.max(this.#longestMs, performance.now() - began);
    return result;
  }

  elapsedMinutes(): string {
    return ((performance.now() - this.#began) / 60_000).toFixed(1);
  }
}

/** Processes the elements, a few at a time, while there is time; returns the results. */
async function inPool<T, R>(
  all: readonly T[],
  budget: TimeBudget,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && budget.hasTime; next = waiting.shift()) {
      const one = next;
      results.push(await budget.timed(() => work(one)));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
