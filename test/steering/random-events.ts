import fc from 'fast-check';
import { groundOf } from '../../src/steering/approval/auto-approval.ts';
import { type Command, commandNames, exampleOf, isQuery } from '../../src/steering/commands/index.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { possibleIn } from '../../src/steering/phases/table.ts';
import type { Failure } from '../../src/steering/shapes/attempt-result.ts';
import type { Source } from '../../src/steering/shapes/people.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import type { Working } from '../../src/steering/shapes/standing.ts';
import type { Event, EventType } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import { checksFor } from './checks.ts';
import { Dice } from './random-dice.ts';
import { policyFactsFor, timerFor } from './random-modes.ts';
import { factsFor, resolutionFor, resolvingEvents } from './random-resolving.ts';
import {
  dueIn,
  met,
  outcomeFor,
  parkedFor,
  protectedByMia,
  questionFor,
  reviewFor,
  verdictsFor,
  workFor,
} from './random-work.ts';
import {
  ada,
  automation,
  bob,
  changes,
  deletion,
  keptRef,
  mia,
  rea,
  removal,
  robot,
  run,
  secret,
  sha,
  task,
  tess,
} from './samples.ts';

/** A random event, valid or not: `eventOf` makes the event from these numbers for a given state. */
export interface RandomEvent {
  readonly type: EventType | 'due';
  /** How many fields out of ten match the state; the others are invalid. */
  readonly validity: number;
  readonly dice: readonly number[];
}

export const randomEvent: fc.Arbitrary<RandomEvent> = fc.record({
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constant<'due'>('due') },
    { weight: 4, arbitrary: fc.constant<EventType>('said') },
    {
      weight: 2,
      arbitrary: fc.constantFrom<EventType>(
        'attempt_started',
        'work_finished',
        'work_held',
        'verified',
        'finish_checked',
        'settled',
        'work_failed',
        'pushed',
        'timer_due',
        'question_asked',
        'permission_requested',
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<EventType>(
        'run_started',
        'comment_changed',
        'work_parked',
        'question_withdrawn',
        'spoke',
        'review_dismissed',
        'hold_lost',
        'branch_deleted',
        'retargeted',
        'closed',
        'reopened',
        'enqueued',
        'dequeued',
        'run_failed',
        'ci_started',
        'checks_reported',
        'base_moved',
        'undone',
        'dependencies_read',
        'relinked',
        'base_merged',
        'spawned',
        'permission_lapsed',
        'steer_told',
        'sealed',
      ),
    },
  ),
  validity: fc.constantFrom(10, 10, 9, 5, 0),
  dice: fc.array(fc.nat(999), { minLength: 12, maxLength: 12 }),
});

/** The nth event of a run in this state. */
export function eventOf({ type, validity, dice: numbers }: RandomEvent, state: State, n: number): Event {
  const dice = new Dice(numbers, validity);
  const happens = type === 'due' ? dueIn(state, dice) : type;
  return { ...dice.stamp(state, n), ...fields[happens](state, dice, n) };
}

type FieldMakers = { readonly [T in EventType]: (state: State, dice: Dice, n: number) => FieldsOf<T> };
// Distributes over the union, so that each type keeps exactly its own fields.
type FieldsOf<T extends EventType> = Event extends infer E
  ? E extends { type: T }
    ? Omit<E, 'id' | 'at'>
    : never
  : never;

const fields: FieldMakers = {
  run_started: ({ settings }) => ({ type: 'run_started', run, task, settings, by: ada, source: null }),
  said: (state, dice) => {
    const command = commandFor(state, dice);
    return {
      type: 'said',
      command,
      by: dice.validOr(dice.oneOf(ada, bob, mia), dice.oneOf(rea, tess, robot)),
      source: sourceFor(state, dice),
      ...factsFor(state, command, dice),
      ...(command.type === 'update' && dice.oneOf({}, {}, { up_to_date: true } as const)),
      ...dice.validOr({}, { via_app: 'helper' }),
    };
  },
  sealed: () => ({ type: 'sealed', key: 'k2' }),
  comment_changed: (_state, dice) => ({
    type: 'comment_changed',
    comment_id: dice.roll(4),
    by_author: dice.validOr(true, false),
    by: 'ada',
    text: dice.oneOf('otherwise', null),
  }),
  review_dismissed: (_state, dice) => ({ type: 'review_dismissed', review_id: dice.roll(3), by: 'ada' }),
  attempt_started: (state, dice, n) => {
    const { standing, iteration, attempt, head } = state;
    const due = standing.phase === 'queued' && standing.work === 'attempt' ? attempt + 1 : attempt;
    const name = { iteration, attempt: dice.validOr(due, dice.roll(4)), holder: `h${dice.roll(3)}` };
    const until = '2026-01-01T00:00:00Z';
    return {
      type: 'attempt_started',
      hold: { ...name, until },
      head: dice.validOr(head, sha(n)),
      base: dice.validOr(state.run.base, 'elsewhere'),
      settings: dice.oneOf(state.settings, state.settings, otherSettings(state, dice)),
    };
  },
  work_finished: (state, dice, n) => ({
    type: 'work_finished',
    hold: dice.hold(state),
    work: { ...workFor(state, dice), ...outcomeFor(state, dice, n) },
    ...met(dice),
  }),
  ci_started: (state, dice, n) => ({
    type: 'ci_started',
    hold: dice.hold(state),
    head_before: dice.validOr(state.head, sha(0)),
    head: sha(n),
  }),
  undone: (state, dice, n) => ({
    type: 'undone',
    hold: dice.hold(state),
    head_before: dice.validOr(state.head, sha(0)),
    head: sha(n),
    ...dice.oneOf({}, { skips_ci: true } as const),
  }),
  work_held: (state, dice, n) => ({
    type: 'work_held',
    hold: dice.hold(state),
    work: { ...workFor(state, dice), head: sha(n) },
    hits: dice.oneOf([automation], [automation], [automation, secret]),
    kept: dice.oneOf(null, keptRef(sha(n))),
    ...met(dice),
  }),
  work_failed: (state, dice) => ({
    type: 'work_failed',
    hold: dice.hold(state),
    failure: { kind: dice.oneOf(...failures), message: 'it failed', ...dice.oneOf({}, { tip: sha(7) }) },
    ...{ kept: null, duration_s: 1, ...dice.oneOf({}, { kept_ref: 'refs/coxswain/kept/7/abc' }) },
    cost: dice.oneOf({}, { tokens: 5 }, { usd: 0.5 }),
    ...met(dice),
  }),
  permission_requested: (state, dice, n) => ({
    type: 'permission_requested',
    hold: dice.hold(state),
    call: { ...removal, id: `call-${n}`, hits: dice.oneOf(removal.hits, [], [secret]) },
    until: '2026-01-01T00:00:00Z',
  }),
  permission_lapsed: (state, dice) => ({
    type: 'permission_lapsed',
    hold: dice.hold(state),
    call: dice.validOr(working(state)?.asking?.call.id ?? 'none', 'none'),
    because: dice.oneOf('timeout', 'withdrawn' as const),
  }),
  work_parked: parkedFor,
  question_asked: questionFor,
  question_withdrawn: (state, dice) => ({
    type: 'question_withdrawn',
    hold: dice.hold(state),
    question: dice.validOr(state.questions?.[0]?.asked.id ?? 'none', 'none'),
  }),
  steer_told: (state, dice) => ({
    type: 'steer_told',
    hold: dice.hold(state),
    steer: dice.validOr(working(state)?.telling?.[0]?.id ?? 'none', 'none'),
    how: dice.oneOf('injected', 'restarted_turn', 'unable' as const),
  }),
  verified: (state, dice) => ({
    type: 'verified',
    hold: dice.hold(state),
    head: dice.validOr(state.head, sha(0)),
    ...verdictsFor(state, dice),
    changes,
    gates: dice.oneOf([], [deletion]),
    duration_s: 1,
    ...dice.oneOf({}, { merged_with: sha(7) }),
    ...dice.oneOf({}, {}, {}, { authority: protectedByMia }),
    ...reviewFor(state, dice),
    ...met(dice),
  }),
  checks_reported: (state, dice) => ({
    type: 'checks_reported',
    head: dice.validOr(state.head, sha(0)),
    checks: checksFor(state, dice),
  }),
  base_moved: (state, dice) => ({
    type: 'base_moved',
    head: dice.validOr(state.head, sha(0)),
    base_sha: dice.oneOf(sha(7), sha(8)),
    commits: dice.oneOf(0, 1, 3),
  }),
  hold_lost: (state, dice) => ({ type: 'hold_lost', hold: dice.hold(state) }),
  pushed: (state, dice, n) => ({
    type: 'pushed',
    before: dice.validOr(state.head, sha(0)),
    head: dice.oneOf(sha(n), sha(n), sha(0), sha(Math.max(n - 3, 0)), state.head),
    forced: dice.oneOf(false, true),
    by: 'bob',
    by_id: bob.id,
    merges_base: dice.oneOf(false, false, true),
  }),
  spoke: (_, dice) => ({
    ...{ type: 'spoke', how: dice.oneOf('wrote', 'edited', 'deleted') },
    ...{ by: dice.oneOf(ada, bob, rea, tess, robot), author: dice.oneOf(ada, mia, rea, tess, robot) },
  }),
  branch_deleted: () => ({ type: 'branch_deleted', by: 'bob' }),
  retargeted: (state, dice) => ({
    type: 'retargeted',
    base: dice.oneOf('release', 'easy', 'main'),
    settings: dice.oneOf(null, state.settings, otherSettings(state, dice)),
    same_commit: dice.oneOf(false, true),
    by: 'bob',
  }),
  closed: ({ run: { base } }, dice) => ({
    type: 'closed',
    merged: dice.oneOf(false, true),
    by: 'bob',
    base: dice.validOr(base, 'elsewhere'),
  }),
  reopened: () => ({ type: 'reopened', by: 'bob' }),
  enqueued: (_state, dice) => ({ type: 'enqueued', by: dice.oneOf('bob', 'coxswain[bot]') }),
  dequeued: (_state, dice) => ({
    type: 'dequeued',
    by: 'bob',
    because: dice.oneOf('person', 'checks', 'timeout', 'conflict', 'rules', 'unknown'),
    details: dice.oneOf([], ['test failed']),
  }),
  timer_due: timerFor,
  finish_checked: (state, dice) => ({
    type: 'finish_checked',
    facts: {
      head_sha: dice.validOr(state.head, sha(0)),
      base: dice.validOr(state.run.base, 'release'),
      ...dice.oneOf({}, { base_sha: sha(7) }, { base_sha: sha(8) }),
      settings: dice.validOr<Settings | null>(
        state.settings,
        dice.oneOf(null, { ...state.settings, digest: 'other' }),
      ),
      approvals: dice.validOr(confirmations(state, true), dice.oneOf([], confirmations(state, false))),
      ...(state.settings.checks !== undefined && { checks: checksFor(state, dice) }),
      contributors: { people: dice.oneOf([], [bob]), complete: dice.validOr(true, false) },
      ...(groundOf(state) !== undefined && { policy: policyFactsFor(state, dice) }),
    },
  }),
  ...resolvingEvents,
  run_failed: () => ({ type: 'run_failed', reference: 'r-1', what: 'the disk is full' }),
  settled: (state, dice) => ({
    type: 'settled',
    paid: dice.validOr(
      state.owed.map(({ id }) => id),
      ['unknown'],
    ),
  }),
};

function working({ standing }: State): Working | undefined {
  return standing.phase === 'working' ? standing : undefined;
}

/** The configuration or the name of the check has changed. */
function otherSettings({ settings }: State, dice: Dice): Settings {
  const digest = dice.oneOf(settings.digest, 'other');
  return { ...settings, digest, check: dice.oneOf(settings.check, 'Coxswain (release)') };
}

function confirmations({ approvals }: State, stands: boolean) {
  return approvals.map(({ id }) => ({ id, stands, why: stands ? '' : 'the comment was edited' }));
}

const failures: readonly [Failure['kind'], ...Failure['kind'][]] = [
  'exit',
  'timeout',
  'setup',
  'branch_moved',
  'branch_moved',
  'conflict',
  'cannot',
  'push_refused',
  'lost',
  'budget',
  'resources',
  'model_key',
  'agent_unusable',
];

function commandFor(state: State, dice: Dice): Command {
  const { shown, standing, questions = [] } = state;
  const answer: Command = { type: 'answer', text: dice.oneOf('1', 'Rust', '7', 'whatever is best') };
  if (questions.length > 0 && dice.roll(3) === 0) return answer;
  const named = dice.validOr(null, dice.oneOf(shown?.head_sha ?? sha(0), sha(0)));
  const plain: Command = { type: 'approve', sha: named, despite: [] };
  const isAsked = standing.phase === 'awaiting_permission' || 'asking' in standing;
  const refusal: Command = { type: 'deny', reason: 'not now' };
  if (isAsked && dice.roll(3) > 0)
    return dice.oneOf<Command>(refusal, { type: 'allow', scope: dice.oneOf('once', 'always') });
  if (standing.phase === 'paused' && dice.roll(2) === 0) return { type: 'resume' };
  const all: readonly Command[] = [
    plain,
    plain,
    { ...plain, despite: ['test'] },
    { type: 'steer', prompt: 'otherwise', now: false },
    { type: 'steer', prompt: 'at once', now: true },
    { type: 'steer', prompt: 'go on', now: true, with: 'codex' },
    { type: 'budget', more: 5, limit: dice.oneOf(null, 'tokens', 'cost_usd', 'tool_calls') },
    { type: 'allow', scope: 'always' },
    refusal,
    answer,
    { ...answer, question: 'question:7:3' },
    { type: 'retry' },
    resolutionFor(state, dice),
    resolutionFor(state, dice),
    { type: 'verify' },
    { type: 'verify', ci: true },
    { type: 'resume' },
    { type: 'resume' },
    { type: 'pause', reason: '' },
    { type: 'extend', more: 2 },
    { type: 'undo', to: dice.oneOf(null, 0, 1, 7) },
    { type: 'interrupt', reason: 'look' },
    { type: 'cancel' },
    { type: 'reject', reason: 'no' },
    { type: 'reject', reason: '' },
    { type: 'update' },
    { type: 'update', resolve: true },
    { type: 'run', task: 'more' },
    { type: 'status' },
    { type: 'diff', path: null, full: false },
    { type: 'misspoken', name: 'steer', problem: 'it contains no instructions' },
  ];
  const others = commandNames.filter((name) => !isQuery(name) && !all.some(({ type }) => type === name));
  const said = [...all, ...others.map(exampleOf)];
  const possible: readonly string[] = possibleIn(state);
  const expected = said.filter(({ type }) => possible.includes(type));
  return dice.oneOf(plain, ...dice.validOr(expected, said));
}

function sourceFor(state: State, dice: Dice): Source {
  const head = dice.validOr(state.head, sha(0));
  const interaction = dice.validOr(openInteraction(state)?.id ?? 'none', 'approval:7:2');
  const text_sha256 = 'sha256';
  const written_at = new Date(Date.parse(state.updated_at) + dice.roll(20) * 1000).toISOString();
  return dice.oneOf<Source>(
    { from: 'comment', comment_id: dice.roll(4), text_sha256, written_at },
    { from: 'comment', comment_id: dice.roll(4), text_sha256, written_at },
    { from: 'review', review_id: dice.roll(3), commit_id: head, text_sha256 },
    { from: 'click', check_run_id: 9, head_sha: head, interaction },
    { from: 'dispatch', workflow_run_id: 5 },
  );
}
