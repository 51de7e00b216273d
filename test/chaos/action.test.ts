import { expect, test } from 'vitest';
import { actionShare, disturbancesOf, readChoice, shuffled } from './choice.ts';
import { differencesBetween } from './differences.ts';
import { type Disturbance, faults, nameOf } from './fault.ts';
import { type ActionEnd, playAction } from './play-action.ts';
import { inPool, TimeBudget } from './pool.ts';

test('whatever fails at whatever request of a job, the Action ends as if nothing had', {
  timeout: 25 * 60 * 60_000,
}, async () => {
  const { only, shard, seed, minutes, story } = readChoice(process.env);
  if (story !== '' && !'the Action'.includes(story)) return;
  const budget = new TimeBudget(minutes * actionShare);
  const reference = await budget.timed(() => playAction([]));
  expect(reference.end).toMatchObject({ phase: 'approved', problems: [], repeated: 0 });
  const all = only.length > 0 ? only : disturbancesOf(reference.routes).filter(isTransient);
  const tries = shuffled(all, seed).filter((_, index) => index % shard.of === shard.index - 1);
  const problems: string[] = [];
  let tried = 0;
  await inPool(tries, async (disturbance) => {
    if (!budget.hasTime) return;
    const found = await budget.timed(() => tryOne(disturbance, reference.end));
    tried += 1;
    const text = found === undefined ? 'the same result' : `a different result\n${found}`;
    console.log(`the Action: ${nameOf(disturbance)}: ${text}`);
    if (found !== undefined) problems.push(`${nameOf(disturbance)}\n${found}`);
  });
  console.log(
    `tried ${tried} of ${tries.length} disturbances of the Action in ${budget.elapsedMinutes()} minutes`,
  );
  expect(problems).toEqual([]);
});

/** A job that GitHub refuses something fails, and says why in its log. */
function isTransient(disturbance: Disturbance): boolean {
  return !disturbance.some(({ fault }) => faults[fault].refuses || fault === '401');
}

async function tryOne(disturbance: Disturbance, expected: ActionEnd): Promise<string | undefined> {
  try {
    const { end, disturbed } = await playAction(disturbance);
    const parts = Object.keys(expected) as (keyof ActionEnd)[]; // the parts are its own keys
    const differences = differencesBetween(expected, end, parts);
    return differences.length === 0 ? undefined : [`at ${disturbed.join(', ')}`, ...differences].join('\n');
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}
