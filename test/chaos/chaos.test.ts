import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { type Choice, disturbancesOf, disturbancesOfTwo, readChoice, shuffled } from './choice.ts';
import type { EndState } from './end-state.ts';
import { type Disturbance, faults, nameOf } from './fault.ts';
import { type Played, play, ToldOfRefusal } from './play.ts';
import { stories } from './stories.ts';
import type { Story } from './story.ts';

/** A session uses more than half a core, and waits in between. */
const concurrency = 3;

test('whatever fails at whatever request, each story ends as if nothing had', {
  timeout: 25 * 60 * 60_000,
}, async () => {
  const choice = readChoice(process.env);
  const budget = new TimeBudget(choice.minutes);
  console.log(`COXSWAIN_CHAOS_SEED=${choice.seed} tries the same again`);
  const wanted = stories.filter(({ name }) => name.includes(choice.story));
  // Each is first played undisturbed, which is not to take all the time.
  const chosen = shuffled(wanted, choice.seed).slice(0, Math.max(1, choice.minutes));
  const references = new Map<Story, Played>();
  const told: string[] = [];
  await inPool(chosen, async (story) => {
    if (budget.hasTime) references.set(story, await budget.timed(() => play(story, {})));
  });
  const tries = triesOf(references, choice);
  let tried = 0;
  await inPool(tries, async (one) => {
    if (!budget.hasTime) return;
    const problem = await budget.timed(() => tryOne(one));
    tried += 1;
    const name = `${one.story.name}${one.apps === 2 ? ', two Apps' : ''}: ${nameOf(one.disturbance)}`;
    console.log(`${name}: ${problem === undefined ? 'the same result' : `a different result\n${problem}`}`);
    if (problem !== undefined) told.push(`${name}\n${problem}`);
  });
  console.log(`tried ${tried} of ${tries.length} disturbances in ${budget.elapsedMinutes()} minutes`);
  expect(told).toEqual([]);
  expect(references.size).toBeGreaterThan(0);
});

interface Try {
  readonly story: Story;
  readonly reference: Played;
  readonly disturbance: Disturbance;
  readonly apps: 1 | 2;
}

function triesOf(
  references: ReadonlyMap<Story, Played>,
  { only, apps, seed, shard }: Choice,
): readonly Try[] {
  const all = [...references].flatMap(([story, reference]) => {
    const alone = only.length > 0 ? only : disturbancesOf(reference.routes);
    const together = only.length > 0 ? only : disturbancesOfTwo(reference.routes);
    return [
      ...(apps === 2 ? [] : alone.map((disturbance): Try => ({ story, reference, disturbance, apps: 1 }))),
      ...(apps === 1 ? [] : together.map((disturbance): Try => ({ story, reference, disturbance, apps: 2 }))),
    ];
  });
  return shuffled(all, seed).filter((_, index) => index % shard.of === shard.index - 1);
}

/** How the story ended differently, or undefined. */
async function tryOne({ story, disturbance, apps, reference }: Try): Promise<string | undefined> {
  try {
    const { end, disturbed } = await play(story, { disturbance, apps });
    const differences = differencesBetween(reference.end, end, partsToCompare(disturbance, apps));
    return differences.length === 0 ? undefined : [`at ${disturbed.join(', ')}`, ...differences].join('\n');
  } catch (fault) {
    if (fault instanceof ToldOfRefusal) return undefined;
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** After a refusal, only what was decided must be the same. */
function partsToCompare(disturbance: Disturbance, apps: 1 | 2): readonly (keyof EndState)[] {
  if (disturbance.some(({ fault }) => faults[fault].refuses)) return ['decided', 'left'];
  const all = ['decided', 'run', 'body', 'block', 'title', 'comments', 'checks', 'merged', 'left'] as const;
  return apps === 2 ? all : [...all, 'doubled'];
}

function differencesBetween(
  expected: EndState,
  actual: EndState,
  parts: readonly (keyof EndState)[],
): readonly string[] {
  return parts
    .filter((part) => !isDeepStrictEqual(expected[part], actual[part]))
    .map((part) => `  ${part}: ${firstDifference(expected[part], actual[part])}`);
}

function firstDifference(expected: unknown, actual: unknown): string {
  const lines = (value: unknown) => JSON.stringify(value, null, 1).split('\n');
  const [wanted, found] = [lines(expected), lines(actual)];
  const missing = wanted.filter((line) => !found.includes(line)).slice(0, 12);
  const extra = found.filter((line) => !wanted.includes(line)).slice(0, 12);
  return `\n    - ${missing.join('\n    - ')}\n    + ${extra.join('\n    + ')}`;
}

/** Stops in time, assuming that no session takes longer than the longest one so far. */
class TimeBudget {
  readonly #minutes: number;
  readonly #began = performance.now();
  #longestMs = 0;

  constructor(minutes: number) {
    this.#minutes = minutes;
  }

  /** Whether there is time for another session. */
  get hasTime(): boolean {
    return performance.now() - this.#began + this.#longestMs < this.#minutes * 60_000;
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

/** Processes the elements, a few at a time. */
async function inPool<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
