import { checksDeadline, isLate, reportOn, unsettled, untilOf } from '../approval/awaited-checks.ts';
import { checkOutput, inOrder, type Unawaited } from '../approval/check-output.ts';
import { failedRequired } from '../confidence/evaluation.ts';
import { isCiSkipped } from '../iterations/iterations.ts';
import { observed } from '../iterations/observing.ts';
import { withTime } from '../iterations/spending.ts';
import { type Next, next, nothing, type Step, withEffect } from '../iterations/step.ts';
import type { Found } from '../shapes/attempt-result.ts';
import { isSameNews, verdictOf } from '../shapes/check-report.ts';
import { withRedChecks } from '../shapes/proof.ts';
import {
  type AwaitedChecks,
  type AwaitingChecks,
  isAwaitingChecks,
  type Verifying,
} from '../shapes/standing.ts';
import { isBefore } from '../shapes/time.ts';
import type { EventOf, Stamp } from '../state/event.ts';
import type { In, State } from '../state/state.ts';
import { judge } from './attempt-outcome.ts';

/** The wait for checks of the repository's own CI, after the verifiers have run. */

type Waiting = State & { readonly standing: AwaitingChecks };

/** The verifiers have run: what they found is judged, unless checks are still to be waited for. */
export function afterVerifiers(
  before: State & { readonly standing: Verifying },
  event: EventOf<'verified'>,
): Next {
  const { work } = before.standing;
  const state = withTime(observed(before, event), event.duration_s);
  const { checks = [] } = state.settings;
  if (checks.length === 0) return judge(state, event, work);
  const found = foundIn(event);
  const because = reasonNotToWait(state, event);
  const awaits: AwaitedChecks = { found, since: event.at, seen: [], late: [] };
  if (because !== undefined) return judgeTogether(state, event, { work, awaits, because });
  const waiting = next(state, { standing: { phase: 'verifying', work, awaits } }, 'Wait for CI checks');
  return withEffect(waiting, { id: `${event.id}:checks`, do: 'read_checks' });
}

/** What is red stays red, and what nobody has let run does not come. */
function reasonNotToWait(state: State, { verifiers }: EventOf<'verified'>): Unawaited | undefined {
  if (failedRequired(verifiers).length > 0) return 'pointless';
  return isCiSkipped(state) ? 'held_back' : undefined;
}

function foundIn({
  id: _,
  at: __,
  type: ___,
  hold: ____,
  blocked: _____,
  notices: ______,
  heard: _______,
  ...found
}: EventOf<'verified'>): Found {
  return found;
}

/** GitHub has named the checks: the wait is over as soon as it is certain what comes of it. */
export function noteChecks(state: In<'verifying'>, event: EventOf<'checks_reported'>): Step {
  if (!isWaiting(state) || event.head !== state.head) return nothing;
  const { awaits } = state.standing;
  if (isSameNews(awaits.seen, event.checks)) return nothing;
  return goOn(state, event, { ...awaits, seen: event.checks });
}

/** The time of some checks is over. */
export function endWait(state: In<'verifying'>, event: EventOf<'timer_due'>): Step {
  if (!isWaiting(state) || event.timer !== 'checks') return nothing;
  if (event.deadline !== checksDeadline(state) || isBefore(event.at, event.deadline)) return nothing;
  const { awaits } = state.standing;
  const over = unsettled(state).filter((spec) => !isBefore(event.deadline, untilOf(awaits, spec)));
  return goOn(state, event, { ...awaits, late: [...awaits.late, ...over.map(({ name }) => name)] });
}

function isWaiting(state: State): state is Waiting {
  return isAwaitingChecks(state.standing);
}

function goOn(state: Waiting, event: Stamp, awaits: AwaitedChecks): Next {
  const { work } = state.standing;
  const moved: Waiting = { ...state, standing: { ...state.standing, awaits } };
  const say = (awaits.seen ?? []).map(({ name, status, conclusion }) => `${name} ${conclusion ?? status}`);
  if (unsettled(moved).length > 0 && !isRed(moved))
    return next(moved, {}, `Note what the CI checks say: ${say.join(', ') || 'nothing yet'}`);
  return judgeTogether(moved, event, { work, awaits, because: 'pointless' });
}

/** Whether a required one has ended and is not green: the others would change nothing. */
function isRed({ settings: { checks = [] }, standing: { awaits } }: Waiting): boolean {
  return checks
    .filter(({ required }) => required)
    .some((spec) => {
      const verdict = verdictOf(reportOn(awaits.seen, spec));
      return verdict === 'red' || verdict === 'not_run' || (verdict !== 'green' && isLate(awaits, spec));
    });
}

interface Together extends Pick<AwaitingChecks, 'work' | 'awaits'> {
  /** Why those are judged that have neither ended nor run out of time. */
  readonly because: Unawaited;
}

function judgeTogether(state: State, { id, at }: Stamp, { work, awaits, because }: Together): Next {
  const { checks = [] } = state.settings;
  const outputs = checks.map((spec) => {
    const report = reportOn(awaits.seen, spec);
    const why = isLate(awaits, spec) ? 'late' : because;
    return { spec, output: checkOutput(state, spec, { report, because: why }) };
  });
  const verifiers = inOrder(awaits.found.verifiers, outputs);
  const baseline = withRedChecks(awaits.found.baseline, awaits.seen);
  return judge(state, { ...awaits.found, ...baseline, id, at, verifiers }, work);
}
