import fc from 'fast-check';
import { updateDue } from '../../src/steering/branch/undo-and-update.ts';
import { spawningIn } from '../../src/steering/iterations/interactions.ts';
import { isPlanning } from '../../src/steering/iterations/iteration.ts';
import type { Authority } from '../../src/steering/shapes/approval-authority.ts';
import type { Found, FoundReview, Observations, Report } from '../../src/steering/shapes/attempt-result.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import type { EventOf, EventType, Stamp } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import type { Dice } from './random-dice.ts';
import { changes, keptRef, mia, planFirst, sha, threeStages, verifierOutputs } from './samples.ts';

/** What a random agent does, asks and leaves. */

export function met(dice: Dice): Observations {
  const use = dice.oneOf('setup', 'agent', 'verifiers' as const);
  const why = dice.oneOf('unlisted', 'unlisted', 'private' as const);
  const host = { host: `h${dice.roll(40)}.example.com`, use, command: 'npm test', why } as const;
  const hosts = Array.from({ length: 15 }, (_, n) => ({
    ...host,
    host: `h${n + dice.roll(40)}.example.com`,
  }));
  const heard = [{ login: 'ada', id: 1 }];
  return dice.oneOf<Observations>({}, { heard }, { blocked: [host] }, { blocked: hosts, notices: ['odd'] });
}

export function workFor(state: State, dice: Dice) {
  return {
    head_before: dice.validOr(state.head, sha(0)),
    report: reportFor(dice),
    changes,
    cost: dice.oneOf({}, { tokens: 5 }, { tokens: 1, usd: 0.25 }),
    duration_s: 1,
    ...dice.oneOf({}, { skips_ci: true } as const),
    ...(state.merges_base && dice.oneOf({}, { merges: sha(7) })),
  };
}

/** What the verifiers say; the same may have been verified before, and one may pass only now and then. */
export function verdictsFor({ settings }: State, dice: Dice): Pick<Found, 'verifiers' | 'subject'> {
  const outputs = verifierOutputs(settings, dice.oneOf([], [], ['lint'], ['test']));
  const failed_runs = [{ exit_code: 1, said: 'not now' }];
  return {
    verifiers: outputs.map((output) => ({ ...output, ...dice.oneOf({}, {}, { failed_runs }) })),
    ...dice.oneOf({}, { subject: 'one' }, { subject: 'other' }),
  };
}

const reviewer = { use: 'claude', timeout_s: 60 };

/** A second opinion, where one is wanted; it may be none, or about former concerns. */
export function reviewFor({ settings, review }: State, dice: Dice): Partial<Found> {
  if (settings.review === undefined) return {};
  const ids = review?.concerns.map(({ id }) => id) ?? [];
  const severity = dice.oneOf<'low' | 'medium' | 'high'>('low', 'medium', 'high');
  const concern = { file: 'a.ts', line: 1, severity, text: 'Odd.' };
  const found: FoundReview = {
    ...{ by: 'claude', confidence: dice.oneOf(1, 0.9, 0.2, null), withdrawn: [] },
    concerns: dice.oneOf<FoundReview['concerns']>([], [], [concern], [{ ...concern, id: 'c1' }]),
    resolved: dice.oneOf(ids, []),
    touched: dice.oneOf(ids, []),
  };
  return dice.oneOf({ review: found }, { review: found }, {});
}

/** Mostly there is only one stage. */
export const anyStages = fc.constantFrom<Partial<Settings>>(
  ...[{}, {}, { stages: planFirst }, { stages: threeStages }, { review: { agent: reviewer } }],
);

/** A commit, or no change; a plan changes nothing. */
export function outcomeFor(state: State, dice: Dice, n: number) {
  if (isPlanning(state)) return { head: state.head, plan: { text: `Plan ${n}.` } };
  return { head: dice.oneOf(sha(n), sha(n), state.head) };
}

function reportFor(dice: Dice): Report {
  const status = dice.oneOf<Report['status']>('done', 'done', 'done', 'uncertain', 'cannot');
  const outcome = dice.oneOf('ok', 'failed', 'denied', 'unknown' as const);
  return { summary: 'did it', status, tool_calls: [{ kind: 'edit', title: 'a file', outcome }] };
}

/** It is stopped before it has finished. */
export function parkedFor(state: State, dice: Dice, n: number): Omit<EventOf<'work_parked'>, keyof Stamp> {
  return {
    type: 'work_parked',
    hold: dice.hold(state),
    because: dice.oneOf('question', 'permission', 'rate_limit', 'stopped'),
    left: dice.oneOf(null, { head_before: state.head, head: sha(n), kept: keptRef(sha(n)) }),
    ...dice.oneOf({ until: '2026-01-01T00:00:00Z' }, {}),
    ...{ duration_s: 1, cost: dice.oneOf({}, { tokens: 5 }) },
    ...met(dice),
  };
}

/** It wants to know something. */
export function questionFor(
  state: State,
  dice: Dice,
  n: number,
): Omit<EventOf<'question_asked'>, keyof Stamp> {
  return {
    type: 'question_asked',
    hold: dice.hold(state),
    asked: {
      id: `ask-${n}`,
      question: dice.oneOf('Which?', 'Why?', `What of ${n}?`),
      ...dice.oneOf({}, { options: ['Python', 'Rust'], default: 'Rust' }),
      ...dice.oneOf({}, { on_timeout: dice.oneOf('default', 'block', 'fail') }),
    },
  };
}

/** What is changed has an approver of its own. */
export const protectedByMia: Authority = {
  owned: [],
  protected: [{ paths: ['deploy/**'], by: [{ login: mia.login }], files: ['deploy/a.yml'], count: 1 }],
};

/** What comes next if nothing goes wrong: most events at random say nothing to most states. */
export function dueIn(state: State, dice: Dice): EventType {
  const { standing } = state;
  switch (standing.phase) {
    case 'blocked':
      return 'dependencies_read';
    case 'queued':
      return 'attempt_started';
    case 'working':
      if (state.merges_base) return dice.oneOf('base_merged', 'base_merged', 'work_failed', 'work_finished');
      return standing.asking === undefined ? 'work_finished' : dice.oneOf('said', 'permission_lapsed');
    case 'verifying':
      if ('awaits' in standing) return 'checks_reported';
      if ('undoes' in standing) return 'undone';
      if (updateDue(state) !== undefined) return dice.oneOf('base_merged', 'base_merged', 'work_failed');
      return 'starts_ci' in standing ? 'ci_started' : 'verified';
    case 'awaiting_approval':
      return dice.oneOf('said', 'timer_due');
    case 'awaiting_resolution':
      return spawningIn(state) === undefined ? 'said' : 'spawned';
    case 'approved':
      return 'finish_checked';
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'abandoned':
      return 'reopened';
    case 'awaiting_answer':
    case 'awaiting_stage':
    case 'awaiting_permission':
    case 'paused':
    case 'timed_out':
    case 'failed':
      return 'said';
  }
}
