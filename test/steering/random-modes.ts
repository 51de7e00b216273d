import fc from 'fast-check';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import type { PolicyFacts } from '../../src/steering/shapes/finishing.ts';
import type { ApprovalSettings } from '../../src/steering/shapes/settings.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { Dice } from './random-dice.ts';
import { bob, deletion } from './samples.ts';

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
