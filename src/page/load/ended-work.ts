import { sumOfSeconds } from '../../steering/iterations/spending.ts';
import type { Failure, PlanText, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { LeaseId } from '../../steering/shapes/standing.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { AttemptRecord } from '../../steering/state/state.ts';

/** Work that has ended, with what its verifiers printed, as the ledger has it. */
export interface EndedWork {
  readonly iteration: number;
  /** Null if only the verifiers ran, on a commit that is not of this attempt. */
  readonly attempt: number | null;
  /** Counts all work of the run that has ended, from 1. */
  readonly number: number;
  /** When it ended, ISO 8601. */
  readonly at: string;
  /** The commit it was about; null if there is none. */
  readonly head: string | null;
  /**
   * `handed_over`: to the next stage, or to people, who read a plan. `unverified`: it was not put on the
   * branch, or verified, before something else began.
   */
  readonly outcome: AttemptRecord['outcome'] | 'handed_over' | 'unverified';
  readonly failure: Failure | null;
  /** The ref that keeps what was refused; null if none does. */
  readonly kept_ref: string | null;
  /** The stage that it was; absent without a pipeline, and if only the verifiers ran. */
  readonly stage?: string | undefined;
  /** The plan that it came to; absent if it was to do something else. */
  readonly plan?: PlanText | undefined;
  /** What the agent said; empty if it said nothing, or none worked. */
  readonly summary: string;
  readonly verifiers: readonly VerifierOutput[];
  /** How long its agent and its verifiers took together. */
  readonly duration_s: number;
}

/** All work of a run that has ended, oldest first. Work that was lost with its process leaves no trace. */
export function endedWork(events: readonly Event[]): readonly EndedWork[] {
  const found: Found[] = [];
  let made: Made | undefined;
  for (const event of events) {
    if (event.type === 'attempt_started' && made !== undefined && isOther(event.hold, made.hold)) {
      found.push(unverified(made, isSame(event.hold, made.hold)));
      made = undefined;
    }
    // What was held is put on the branch as it was, which is the same work.
    if (event.type === 'work_finished' || event.type === 'work_held') made = event;
    if (event.type !== 'verified' && event.type !== 'work_failed') continue;
    const own = madeBy(event, made);
    found.push(event.type === 'verified' ? verified(event, own) : failed(event, own));
    if (own !== undefined) made = undefined;
  }
  // A plan that is on show, or was when the run ended.
  if (made?.work.plan !== undefined) found.push(unverified(made, true));
  return found.map((work, index) => ({ ...work, number: index + 1 }));
}

type Found = Omit<EndedWork, 'number'>;
type Made = EventOf<'work_finished' | 'work_held'>;

/** What an agent made, if it is what the event is about. */
function madeBy(event: EventOf<'verified' | 'work_failed'>, made: Made | undefined): Made | undefined {
  if (made === undefined || !isSame(event.hold, made.hold)) return undefined;
  return event.type === 'verified' && event.head !== made.work.head ? undefined : made;
}

function isSame(one: LeaseId, other: LeaseId | undefined): boolean {
  return one.iteration === other?.iteration && one.attempt === other.attempt;
}

/** Another attempt, or the next stage of the same one, which takes over what was made. */
function isOther(now: LeaseId, before: LeaseId): boolean {
  return !isSame(now, before) || (now.stage !== undefined && now.stage !== before.stage);
}

function verified(event: EventOf<'verified'>, made: Made | undefined): Found {
  const { hold, at, head, verifiers, duration_s } = event;
  const isRed = verifiers.some(({ required, success }) => required && !success);
  return {
    ...endOf(made, { hold, at, duration_s }),
    attempt: made === undefined ? null : hold.attempt,
    head,
    outcome: isRed ? 'red' : 'green',
    verifiers,
  };
}

function failed(event: EventOf<'work_failed'>, made: Made | undefined): Found {
  const { failure, kept, kept_ref = null } = event;
  return { ...endOf(made, event), head: made?.work.head ?? kept, outcome: 'failed', failure, kept_ref };
}

function unverified(made: Made, isHandedOver: boolean): Found {
  const ended = endOf(made, { hold: made.hold, at: made.at, duration_s: 0 });
  const outcome = isHandedOver || ended.plan !== undefined ? 'handed_over' : 'unverified';
  return { ...ended, head: made.work.head, outcome };
}

type Ended = Pick<EventOf<'work_failed'>, 'hold' | 'at' | 'duration_s'>;

function endOf(made: Made | undefined, { hold, at, duration_s }: Ended) {
  const { iteration, attempt } = hold;
  const { stage } = made?.hold ?? hold;
  const { report, plan, duration_s: before = 0 } = made?.work ?? {};
  const worked = { summary: report?.summary ?? '', plan, duration_s: sumOfSeconds(before, duration_s) };
  return { iteration, attempt, stage, at, ...worked, failure: null, kept_ref: null, verifiers: [] };
}
