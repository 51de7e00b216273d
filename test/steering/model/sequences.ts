import fc from 'fast-check';
import type { ApprovalSettings, Settings } from '../../../src/steering/shapes/settings.ts';
import { ci, e2e } from '../checks.ts';
import { anyTimes } from '../random-modes.ts';
import { settingsOf } from '../samples.ts';
import type { Deed } from './people.ts';
import { checkQuiet, settle } from './quiet.ts';
import { type Act, type Beginning, type Step, World } from './world.ts';

/** How often each thing happens, compared with the others. */
const weights: { readonly [D in Deed | Act]: number } = {
  works: 40,
  hears: 30,
  acts: 10,
  sweeps: 8,
  'has trouble': 4,
  crashes: 1,
  forgets: 2,
  'times out': 1,
  waits: 2,
  comments: 12,
  reviews: 6,
  clicks: 8,
  edits: 3,
  deletes: 2,
  dismisses: 1,
  pushes: 3,
  deletesBranch: 1,
  closes: 1,
  merges: 1,
  reopens: 4,
  retargets: 1,
  configures: 1,
  changesRoles: 1,
  turnsOther: 3,
  runsCi: 6,
  movesBase: 2,
};

const happening = fc.oneof(
  ...Object.entries(weights).map(([what, weight]) => ({
    weight,
    // The keys are those of the weights, which Object.entries loses.
    arbitrary: fc.constant(what as Deed | Act),
  })),
);
const dice = fc.array(fc.nat(999), { minLength: 6, maxLength: 6 });
const plain: fc.Arbitrary<Step> = fc.record({ do: happening, dice });
const step: fc.Arbitrary<Step> = fc.record({
  do: happening,
  dice,
  meanwhile: fc.option(plain, { nil: undefined, freq: 6 }),
});

interface Choices {
  readonly approval: Partial<ApprovalSettings>;
  readonly attempts: { readonly max: number };
  readonly max_iterations: number;
  readonly agent: Settings['agent'];
  readonly checks: Pick<Settings, 'checks'>;
  readonly merge: Pick<Settings, 'verify_against'>;
  readonly begins: Beginning;
}

const choices: fc.Arbitrary<Choices> = fc.record({
  approval: fc
    .record({
      required: fc.constantFrom(1, 1, 2),
      finish: fc.constantFrom('ready', 'ready', 'auto-merge', 'merge'),
      steerer_may_approve: fc.boolean(),
      requester_may_approve: fc.constantFrom(true, true, false),
      mode: fc.constantFrom('manual', 'manual', 'auto', 'confidence_threshold'),
      times: anyTimes,
    })
    .map(({ times, ...approval }) => ({ ...approval, ...times })),
  attempts: fc.record({ max: fc.integer({ min: 1, max: 3 }) }),
  max_iterations: fc.integer({ min: 0, max: 4 }),
  agent: fc.constantFrom<Settings['agent']>(
    { use: 'scripted', script: 'a.yml', timeout_s: 60 },
    { use: 'claude', timeout_s: 60 },
  ),
  checks: fc.constantFrom({}, {}, {}, { checks: [ci] }, { checks: [{ ...ci, required: false }, e2e] }),
  merge: fc.constantFrom({}, {}, { verify_against: 'merge' as const }),
  begins: fc.constantFrom<Beginning>('alone', 'alone', 'alone', 'depending', 'depending', 'anew'),
});

export const sequences = fc.tuple(choices, fc.array(step, { minLength: 10, maxLength: 140, size: 'max' }));

export interface Played {
  readonly events: number;
  readonly commits: number;
  readonly phases: ReadonlySet<string>;
}

export interface Playing {
  readonly events: number;
  readonly seed: number;
  /** Called whenever so many more have been played. */
  readonly every?: { readonly events: number; tell(played: Played): void };
}

/** Plays a sequence, and then lets everything come to rest. */
export async function playOne([choice, steps]: [Choices, Step[]]): Promise<World> {
  const { begins, checks, merge, ...given } = choice;
  const world = new World(settingsOf({ ...given, ...checks, ...merge }), begins);
  for (const each of steps) await world.play(each);
  await settle(world);
  await checkQuiet(world);
  return world;
}

const batch = 50;

/**
 * Plays random sequences until there were so many events. A violation throws fast-check's report, which names
 * the seed and the shortest sequence found.
 */
export async function playSequences({ events, seed, every }: Playing): Promise<Played> {
  const phases = new Set<string>();
  let [played, commits, told] = [0, 0, 0];
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const world = await playOne(sequence);
    played += world.steps;
    commits += world.record.commits;
    for (const phase of world.record.phases) phases.add(phase);
  });
  for (let round = 0; played < events; round++) {
    await fc.assert(property, { numRuns: batch, seed: seed + round });
    if (every === undefined || played - told < every.events) continue;
    told = played;
    every.tell({ events: played, commits, phases });
  }
  return { events: played, commits, phases };
}
