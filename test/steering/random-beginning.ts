import fc from 'fast-check';
import { usualQuestions } from '../../src/steering/shapes/question.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import type { Event, EventOf } from '../../src/steering/state/event.ts';
import { anyChecks } from './checks.ts';
import { anyTimes } from './random-modes.ts';
import { anyStages } from './random-work.ts';
import { ada, run, settingsOf, task } from './samples.ts';

/** How a random run begins, and what its configuration says. */

const anySettings: fc.Arbitrary<Settings> = fc
  .record({
    required: fc.integer({ min: 1, max: 2 }),
    mode: fc.constantFrom('manual', 'auto', 'confidence_threshold' as const),
    times: anyTimes,
    questions: fc.constantFrom<Settings['questions']>(usualQuestions, {
      ...usualQuestions,
      on_timeout: 'default',
    }),
    finish: fc.constantFrom('ready', 'auto-merge', 'merge' as const),
    agent: fc.constantFrom<Settings['agent']>(
      { use: 'scripted', script: 'a.yml', timeout_s: 60 },
      { use: 'claude', timeout_s: 60 },
    ),
    checks: fc.constantFrom(...anyChecks),
    stages: anyStages,
    on_conflict: fc.constantFrom({}, {}, { on_conflict: 'resolve' } as const),
    limits: fc.constantFrom<Settings['limits']>({ minutes: 60 }, { minutes: 60, tokens: 50, cost_usd: 1 }),
    steerer_may_approve: fc.boolean(),
    max: fc.integer({ min: 1, max: 3 }),
    max_iterations: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ max, max_iterations, agent, limits, checks, times, questions, stages, on_conflict, ...approval }) =>
    settingsOf({
      approval: { ...approval, ...times },
      attempts: { max },
      max_iterations,
      agent,
      limits,
      ...(questions && { questions }),
      ...stages,
      ...checks,
      ...on_conflict,
    }),
  );

/** How runs begin: most without anything special, some anew after their ledger was lost. */
const anyBeginning: fc.Arbitrary<Beginning> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Beginning>(
      { lost: { how: 'vanished', seq: 0 } },
      { lost: { how: 'put_back', seq: 12 } },
      { people_unknown: true },
      { others_pushed: true },
      { run: { ...run, adopted: true } },
      { run: { ...run, presenter: 'action' } },
      { skips_ci: true },
      { signs: true },
      { behind: [5] },
      { behind: [5] },
    ),
  },
);

type Beginning = Partial<Omit<EventOf<'run_started'>, 'type'>>;

/** The first event of a run. */
export const anyFirst: fc.Arbitrary<Event> = fc.tuple(anySettings, anyBeginning).map(
  ([settings, beginning]): Event => ({
    ...{ type: 'run_started', id: 'issue:1:run', at: '2025-03-03T12:00:00Z' },
    ...{ run, task, settings, by: ada, source: null, ...beginning },
  }),
);
