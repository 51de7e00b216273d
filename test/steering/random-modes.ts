import fc from 'fast-check';
import type { PolicyFacts } from '../../src/steering/approval/finish-facts.ts';
import type { EventOf } from '../../src/steering/event.ts';
import { usualQuestions } from '../../src/steering/questions/question.ts';
import type { ApprovalSettings, Settings } from '../../src/steering/settings.ts';
import type { State } from '../../src/steering/state.ts';
import { deadlines } from '../../src/steering/timers/deadlines.ts';
import { anyChecks } from './checks.ts';
import type { Dice } from './random-dice.ts';
import { anyStages } from './random-work.ts';
import { bob, deletion, settingsOf } from './samples.ts';

/** What random events need for runs that may go on without people. */

/** What the configuration says of them, of which the mode is one part. */
export const anyTimes: fc.Arbitrary<Partial<ApprovalSettings>> = fc
  .record({
    new_history: fc.constantFrom(0, 0, 3),
    on_timeout: fc.constantFrom('proceed', 'proceed', 'hold', 'deny' as const),
    isWritten: fc.boolean(),
  })
  .map(({ isWritten, ...times }) => ({
    ...{ ...times, auto_proceed_after_s: 60 },
    ...(isWritten && { on_timeout_written: true as const }),
  }));

/** One of the deadlines of the run, mostly at its time, or none of them. */
export function timerFor(state: State, dice: Dice): Omit<EventOf<'timer_due'>, 'id'> {
  const all = deadlines(state);
  const due = all[dice.roll(Math.max(all.length, 1))] ?? { kind: 'review', at: '2025-03-04T12:00:00.000Z' };
  const spoken = { login: bob.login, id: bob.id, at: state.updated_at };
  return {
    ...{ type: 'timer_due', timer: due.kind },
    at: dice.validOr(due.at, state.updated_at),
    deadline: dice.validOr(due.at, '2025-03-03T13:00:00.000Z'),
    ...(due.kind === 'proceed' && dice.oneOf({}, { spoken })),
  };
}

/** What speaks for a run that nobody approved, or one thing that does not. */
export function policyFactsFor({ shown }: State, dice: Dice): PolicyFacts {
  const sound: PolicyFacts = {
    ...{ sealed: true, unproven: [], gates: [], without_write: [] },
    ...{ pushers: { people: [], complete: true }, merged_runs: shown?.merged_runs ?? 0 },
  };
  const doubts: readonly [Partial<PolicyFacts>, ...Partial<PolicyFacts>[]] = [
    { sealed: false },
    { unproven: ['test'] },
    { gates: [deletion] },
    { without_write: ['rea'] },
    { pushers: { people: [bob], complete: true } },
  ];
  return { ...sound, ...dice.validOr({}, dice.oneOf(...doubts)) };
}

export const anySettings: fc.Arbitrary<Settings> = fc
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
    limits: fc.constantFrom<Settings['limits']>({ minutes: 60 }, { minutes: 60, tokens: 50, cost_usd: 1 }),
    steerer_may_approve: fc.boolean(),
    max: fc.integer({ min: 1, max: 3 }),
    max_iterations: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ max, max_iterations, agent, limits, checks, times, questions, stages, ...approval }) =>
    settingsOf({
      approval: { ...approval, ...times },
      attempts: { max },
      max_iterations,
      agent,
      limits,
      ...(questions && { questions }),
      ...{ ...stages, ...checks },
    }),
  );
