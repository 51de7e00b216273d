import { keepLateResult } from '../event-handlers.ts';
import { ignored, type Row } from '../row.ts';
import type { Phase } from '../standing.ts';

type AttemptEvent =
  | 'attempt_started'
  | 'work_finished'
  | 'work_held'
  | 'ci_started'
  | 'undone'
  | 'work_failed'
  | 'verified'
  | 'checks_reported'
  | 'base_moved'
  | 'hold_lost'
  | AgentEvent;

type AgentEvent = 'permission_requested' | 'permission_lapsed' | 'steer_told';

/** Where no agent works, none waits or is told anything. */
export const noAgent = {
  permission_requested: ignored,
  permission_lapsed: ignored,
  steer_told: ignored,
} satisfies Pick<Row<Phase>['events'], AgentEvent>;

/** How phases without an attempt in progress handle its events: results are late. */
export const noAttempt = {
  work_finished: keepLateResult,
  work_held: keepLateResult,
  ci_started: keepLateResult,
  undone: keepLateResult,
  work_failed: keepLateResult,
  verified: keepLateResult,
  attempt_started: ignored,
  checks_reported: ignored,
  base_moved: ignored,
  hold_lost: ignored,
  ...noAgent,
} satisfies Pick<Row<Phase>['events'], AttemptEvent>;
