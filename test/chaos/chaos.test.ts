import { expect, test } from 'vitest';
import {
  type Choice,
  chosenFrom,
  disturbancesOf,
  disturbancesOfTwo,
  readChoice,
  revocationsOf,
  shuffled,
  upheavalsOf,
} from './choice.ts';
import { differencesBetween } from './differences.ts';
import type { EndState } from './end-state.ts';
import { type Disturbance, faults, nameOf, type Step } from './fault.ts';
import { type Played, play, ToldOfRefusal } from './play.ts';
import { inPool, TimeBudget } from './pool.ts';
import { actionStories } from './stories/action.ts';
import { stories } from './stories.ts';
import type { Story } from './story.ts';

test('whatever fails at whatever request, each story ends as if nothing had', {
  timeout: 25 * 60 * 60_000,
}, async () => {
  const choice = readChoice(process.env);
  const wanted = stories.filter(({ name }) => name.includes(choice.story));
  if (wanted.length === 0 && actionStories.some(({ name }) => name.includes(choice.story))) return;
  const budget = new TimeBudget(choice.minutes);
  console.log(`COXSWAIN_CHAOS_SEED=${choice.seed} tries the same again`);
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

function triesOf(references: ReadonlyMap<Story, Played>, choice: Choice): readonly Try[] {
  const { apps, seed, shard } = choice;
  const all = [...references].flatMap(([story, reference]) => {
    const alone = chosenFrom(
      [disturbancesOf, revocationsOf, upheavalsOf].flatMap((of) => of(reference.routes)),
      choice,
    );
    const together = chosenFrom(disturbancesOfTwo(reference.routes), choice);
    return [
      ...(apps === 2 ? [] : alone.map((disturbance): Try => ({ story, reference, disturbance, apps: 1 }))),
      ...(apps === 1 ? [] : together.map((disturbance): Try => ({ story, reference, disturbance, apps: 2 }))),
    ];
  });
  return shuffled(all, seed).filter((_, index) => index % shard.of === shard.index - 1);
}

/** How the story ended differently, or undefined. */
async function tryOne(one: Try): Promise<string | undefined> {
  const { story, disturbance, apps, reference } = one;
  try {
    const { end, disturbed, told } = await play(story, { disturbance, apps, usual: reference.written });
    // What GitHub refused to say may end a run otherwise, also after the story: a person has been told.
    const parts = told.length > 0 ? (['left'] as const) : partsToCompare(one, end);
    const differences = differencesBetween(reference.end, end, parts);
    return differences.length === 0 ? undefined : [`at ${disturbed.join(', ')}`, ...differences].join('\n');
  } catch (fault) {
    if (fault instanceof ToldOfRefusal) return undefined;
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** After a refusal, only what was decided must be the same. */
function partsToCompare(
  { story: { compares }, disturbance, apps }: Try,
  { merged }: EndState,
): readonly (keyof EndState)[] {
  if (disturbance.some(({ fault }) => faults[fault].refuses)) return ['decided', 'left'];
  if (compares !== undefined) return compares;
  const ofRun = ['decided', 'run', 'body', 'block', 'title', 'comments', 'checks', 'merged'] as const;
  const all = [...ofRun, 'others', 'issues', 'left'] as const;
  if (apps === 1) return [...all, 'doubled'];
  return merged && disturbance.some(delaysCheck) ? all.filter((part) => part !== 'checks') : all;
}

/** A late check hides a newer one of the other App; people who merge meanwhile do so without its permission. */
function delaysCheck({ fault, route }: Step): boolean {
  return fault === 'slow' && route === 'POST check-runs';
}
