import { expect, test } from 'vitest';
import { actionShare, chosenFrom, disturbancesOf, readChoice, shuffled } from './choice.ts';
import { differencesBetween } from './differences.ts';
import { type Disturbance, faults, nameOf } from './fault.ts';
import { type ActionEnd, type PlayedAction, playAction, Stuck } from './play-action.ts';
import { inPool, TimeBudget } from './pool.ts';
import { type ActionStory, actionStories } from './stories/action.ts';

test('whatever fails at whatever request of a job, each story ends as if nothing had', {
  timeout: 25 * 60 * 60_000,
}, async () => {
  const choice = readChoice(process.env);
  const { shard, seed, minutes, story: wanted } = choice;
  const chosen = shuffled(
    actionStories.filter(({ name }) => name.includes(wanted)),
    seed,
  );
  const budget = new TimeBudget(minutes * actionShare);
  const tries: Try[] = [];
  // Each is first played undisturbed, which is not to take all the time.
  await inPool(chosen.slice(0, Math.max(1, minutes * actionShare)), async (story) => {
    const reference = await budget.timed(() => playAction(story, {}));
    expect(reference.end, story.name).toMatchObject({ phase: story.ends, problems: [], repeated: 0 });
    expect(reference.told, story.name).toEqual([]);
    const all = chosenFrom(disturbancesOf(reference.routes), choice);
    tries.push(...all.map((disturbance) => ({ story, reference, disturbance })));
  });
  const sorted = tries.toSorted((one, other) => one.story.name.localeCompare(other.story.name));
  const ours = shuffled(sorted, seed).filter((_, index) => index % shard.of === shard.index - 1);
  const problems: string[] = [];
  let tried = 0;
  await inPool(ours, async (one) => {
    if (!budget.hasTime) return;
    const found = await budget.timed(() => tryOne(one));
    tried += 1;
    const name = `${one.story.name}: ${nameOf(one.disturbance)}`;
    console.log(`${name}: ${found === undefined ? 'the same result' : `a different result\n${found}`}`);
    if (found !== undefined) problems.push(`${name}\n${found}`);
  });
  console.log(
    `tried ${tried} of ${ours.length} disturbances of the Action in ${budget.elapsedMinutes()} minutes`,
  );
  expect(problems).toEqual([]);
});

interface Try {
  readonly story: ActionStory;
  readonly reference: PlayedAction;
  readonly disturbance: Disturbance;
}

/** How the story ended differently, or undefined. What GitHub refuses may end it, but somebody must learn why. */
async function tryOne({ story, reference, disturbance }: Try): Promise<string | undefined> {
  try {
    const { end, disturbed, told } = await playAction(story, { disturbance, usual: reference.written });
    const parts = isRefused(disturbance) ? decided : (Object.keys(reference.end) as (keyof ActionEnd)[]); // its own keys
    const differences = differencesBetween(reference.end, end, parts);
    if (differences.length === 0 || (isRefused(disturbance) && told.length > 0)) return undefined;
    return [`at ${disturbed.join(', ')}`, ...differences].join('\n');
  } catch (fault) {
    if (fault instanceof Stuck && isRefused(disturbance) && fault.told.length > 0) return undefined;
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** What no refusal may change without a word. */
const decided = ['phase', 'iteration', 'problems', 'said'] as const;

/** A job has one token, so one that GitHub does not accept ends it. */
function isRefused(disturbance: Disturbance): boolean {
  return disturbance.some(({ fault }) => faults[fault].refuses || fault === '401');
}
