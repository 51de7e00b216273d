/**
 * Rules that no test noticed once when they were broken. Each is broken here in memory, and has to be noticed:
 * by what is true of every transition, within so many random events, or by the tests that are named.
 */
export interface Mutant {
  /** What is true until it is broken. */
  readonly rule: string;
  /** File, what stands there exactly once, and what stands there instead. */
  readonly changes: readonly (readonly [file: string, from: string, to: string])[];
  readonly noticed: { readonly by: 'claims'; readonly within: number } | Tests;
}

interface Tests {
  readonly by: readonly string[];
}

const heard = 'src/steering/objections.ts';
const deciding = 'src/steering/approval/auto-approval.ts';
const deadlines = 'src/steering/handlers/deadlines.ts';
const outcome = 'src/steering/phases/table.ts';
const undoing = 'src/steering/branch/undo-and-update.ts';
const pausing = 'src/steering/handlers/pausing.ts';

export const mutants: readonly Mutant[] = [
  {
    rule: 'triage stops what goes on by itself',
    changes: [[heard, "covers(role, 'triage')", "covers(role, 'write')"]],
    noticed: { by: ['proceeding'] },
  },
  {
    rule: 'protected paths stop the policy',
    changes: [
      [deciding, "paths.length > 0 && { why: 'protected_paths'", "false && { why: 'protected_paths'"],
    ],
    noticed: { by: 'claims', within: 20_000 },
  },
  {
    rule: 'what began anew waits for people',
    changes: [[deciding, "restored !== undefined && { why: 'restored' }", "false && { why: 'restored' }"]],
    noticed: { by: 'claims', within: 20_000 },
  },
  {
    rule: 'what an attempt left between two stages waits for people',
    changes: [
      [deciding, "!areStagesDone(state) && { why: 'stages_left' }", "false && { why: 'stages_left' }"],
    ],
    noticed: { by: ['between-stages'] },
  },
  {
    rule: 'only a proceed that is written counts',
    changes: [[deciding, "on_timeout === 'proceed' && on_timeout_written", "on_timeout === 'proceed'"]],
    noticed: { by: ['proceeding'] },
  },
  {
    rule: 'what has timed out does not go on by itself',
    changes: [
      [deadlines, 'isAwaitingApproval(state) ? withoutProceeding(state.standing) : standing', 'standing'],
    ],
    noticed: { by: ['clocks'] },
  },
  {
    rule: 'what somebody said goes before the timer',
    changes: [[deadlines, 'if (event.spoken !== undefined) {', 'if (event.spoken === null) {']],
    noticed: { by: ['proceeding'] },
  },
  {
    rule: 'only a confirmed approval is an outcome',
    changes: [
      [outcome, " || standing.finish !== 'finished'", ''],
      [
        'src/steering/phases/approved.ts',
        "state.standing.finish === 'finished' && (event.base",
        '(event.base',
      ],
    ],
    noticed: { by: ['outcome'] },
  },
  {
    rule: 'a policy is an outcome only if it is kept to its end',
    changes: [[outcome, "isKept(after) ? 'policy' : null", "'policy'"]],
    noticed: { by: ['outcome'] },
  },
  {
    rule: 'another head is verified after a pause',
    changes: [[pausing, 'state.head !== head ||', '']],
    noticed: { by: ['pausing'] },
  },
  {
    rule: 'evidence that is gone is verified after a pause',
    changes: [[pausing, ' || (evaluated && state.shown === null)', '']],
    noticed: { by: ['pausing'] },
  },
  {
    rule: 'what cannot be read to its end is held',
    changes: [
      [
        'src/steering/shapes/gate-rules.ts',
        "unparsable: { destroys: false, held: 'remotely'",
        "unparsable: { destroys: false, held: 'never'",
      ],
    ],
    noticed: { by: ['permissions'] },
  },
  {
    rule: 'an undo tells what others pushed',
    changes: [[undoing, 'named === null && others.length > 0', 'named === null && others.length > 99']],
    noticed: { by: ['going-back'] },
  },
  {
    rule: 'an undo tells what others pushed in the iteration itself',
    changes: [[undoing, '(iteration === to && isBehind)', '(iteration === to && false)']],
    noticed: { by: ['going-back'] },
  },
  {
    rule: 'an undo leaves what others pushed before it was verified',
    changes: [[undoing, '(iteration === to && isBehind)', 'iteration === to']],
    noticed: { by: ['going-back'] },
  },
  {
    rule: 'an undo is bounded',
    changes: [[undoing, "if (max >= mostIterations) return { why: 'extended_enough', max };", '']],
    noticed: { by: ['going-back'] },
  },
];
