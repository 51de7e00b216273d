import { afterAll, expect, test } from 'vitest';
import type { SavedForge } from '../runs/runs-fixture.ts';
import { actionShare, chosenFrom, disturbancesOf, readChoice, shuffled } from './choice.ts';
import { differencesBetween } from './differences.ts';
import { type Disturbance, faults, nameOf } from './fault.ts';
import { allEnded, type PlayedScene, playScene, type Scene } from './play-scene.ts';
import { inPool, TimeBudget } from './pool.ts';
import { saveForgeFor, scenes } from './scenes.ts';

const saved: SavedForge[] = [];

afterAll(async () => {
  await allEnded();
  for (const forge of saved) await forge.remove();
});

test('whatever fails while runs are made, given up or woken by others, it ends as if nothing had', {
  timeout: 25 * 60 * 60_000,
}, async () => {
  const choice = readChoice(process.env);
  const { shard, seed, minutes, story } = choice;
  const wanted = scenes.filter(({ name }) => name.includes(story));
  // What happened before each of them takes a while.
  const chosen = shuffled(wanted, seed).slice(0, Math.max(1, minutes * actionShare));
  const budget = new TimeBudget(minutes * actionShare);
  const tries: Try[] = [];
  for (const scene of chosen) {
    const forge = await saveForgeFor(scene);
    saved.push(forge);
    const reference = await playScene(scene, forge);
    expect(Object.fromEntries(reference.end.runs.map(({ number, phase }) => [number, phase]))).toEqual(
      scene.ends,
    );
    const all = chosenFrom(disturbancesOf(reference.routes), choice);
    tries.push(...all.map((disturbance) => ({ scene, forge, reference, disturbance })));
  }
  const ours = shuffled(tries, seed).filter((_, index) => index % shard.of === shard.index - 1);
  const problems: string[] = [];
  let tried = 0;
  await inPool(ours, async (one) => {
    if (!budget.hasTime) return;
    const found = await budget.timed(() => tryOne(one));
    tried += 1;
    const name = `${one.scene.name}: ${nameOf(one.disturbance)}`;
    console.log(`${name}: ${found === undefined ? 'the same result' : `a different result\n${found}`}`);
    if (found !== undefined) problems.push(`${name}\n${found}`);
  });
  console.log(
    `tried ${tried} of ${ours.length} disturbances of scenes in ${budget.elapsedMinutes()} minutes`,
  );
  expect(problems).toEqual([]);
});

interface Try {
  readonly scene: Scene;
  readonly forge: SavedForge;
  readonly reference: PlayedScene;
  readonly disturbance: Disturbance;
}

/** How the scene ended differently, or undefined. After a refusal, no run may be there twice, or without an end. */
async function tryOne({ scene, forge, reference, disturbance }: Try): Promise<string | undefined> {
  const { end, disturbed, warnings } = await playScene(scene, forge, disturbance);
  const isRefused = disturbance.some(({ fault }) => faults[fault].refuses);
  const parts = isRefused ? (['places'] as const) : (['places', 'branches', 'runs', 'comments'] as const);
  const differences = differencesBetween(reference.end, end, parts);
  if (differences.length === 0) return undefined;
  return [`at ${disturbed.join(', ')}`, ...differences, ...warnings].join('\n');
}
