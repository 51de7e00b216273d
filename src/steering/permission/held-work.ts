import { afterFailure, nextIteration } from '../attempts/attempt-outcome.ts';
import { withContributors } from '../iterations/authorship.ts';
import {
  asSetAside,
  deadlineAfter,
  openingOf,
  settingAside,
  settledButQuestions,
} from '../iterations/interactions.ts';
import { madeBy, queueLanding } from '../iterations/iteration.ts';
import { accepted, type CommandEventOf, type Next, next, refuse, type Step } from '../iterations/step.ts';
import { rulesIn, rulesToAllow } from '../shapes/gate-rules.ts';
import type { Source } from '../shapes/people.ts';
import type { HeldWork } from '../shapes/standing.ts';
import { isBefore, readableFrom } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';
import { allowLater, denyLater } from './permitted-calls.ts';

/** The rest of a long reason is in the prompt and in the comment itself. */
const maxReason = 2000;

/** The held work may be put on the branch, which an engine does. Whoever allows it has a part in the work. */
export function allowHeld(state: In<'awaiting_permission'>, event: CommandEventOf<'allow'>): Step {
  if ('call' in state.standing) return allowLater(state, event, state.standing);
  const { held } = state.standing;
  const tooSoon = objectionToHaste(held, state, event.source);
  if (tooSoon !== undefined) return refuse(tooSoon);
  const { scope } = event.command;
  const rules = scope === 'always' ? rulesToAllow(held) : [];
  const by = event.by.login;
  const allowed: State = {
    ...state,
    ...withContributors(state, [event.by]),
    ...settledButQuestions(state, event, { by, how: `allowed ${scope}` }),
    ...(rules.length > 0 && { allowed_rules: [...new Set([...(state.allowed_rules ?? []), ...rules])] }),
    times_lost: 0,
  };
  return accepted(queueLanding(allowed, held, `Allowed ${scope} by ${by}`), event);
}

/** The held work stays off the branch; that attempt has failed, and the next one is told why. */
export function denyHeld(state: In<'awaiting_permission'>, event: CommandEventOf<'deny'>): Step {
  if ('call' in state.standing) return denyLater(state, event, state.standing);
  const { held } = state.standing;
  const tooSoon = objectionToHaste(held, state, event.source);
  if (tooSoon !== undefined) return refuse(tooSoon);
  const by = event.by.login;
  const why = event.command.reason;
  const rules = rulesIn(held.hits).join(', ');
  const denied: State = {
    ...state,
    ...withContributors(state, [event.by]),
    ...settledButQuestions(state, event, { by, how: 'denied', ...(why !== '' && { reason: why }) }),
    ...settingAside(state, { by, why }),
  };
  const message = `${by} denied the work (${rules})${why === '' ? '' : `: ${[...why].slice(0, maxReason).join('')}`}`;
  const { duration_s } = held.work;
  const failure = { kind: 'denied', message } as const;
  const ended = { ...madeBy(held.work), failure, gates: held.hits, duration_s };
  return accepted(afterFailure(denied, event, ended), event);
}

/** A comment cannot decide about work that was not yet shown, or that has only just replaced other work. */
function objectionToHaste(
  { work, held_at }: HeldWork,
  { interactions }: State,
  source: Source,
): Refusal | undefined {
  if (source.from !== 'comment') return undefined;
  const replaced = interactions.some(
    ({ kind, opened_at }) => kind === 'permission' && isBefore(opened_at, held_at),
  );
  const early = Date.parse(source.written_at) < readableFrom(held_at, replaced);
  return early ? { why: 'just_held', head: work.head } : undefined;
}

/** The work of an attempt is held; steers that arrived meanwhile take precedence over asking. */
export function holdForPermission(state: State, event: Event, held: HeldWork): Next {
  if (state.queue.length > 0) return nextIteration({ ...state, set_aside: asSetAside(held) }, event);
  return askPermission(state, event, held);
}

/** The work was allowed but is not on the branch: the remote refused it, or it no longer fits or exists. */
export function landingFailed(state: State, event: EventOf<'work_failed'>, held: HeldWork): Next {
  const { failure } = event;
  if (failure.kind === 'push_refused' && state.queue.length === 0)
    return askPermission(state, event, { ...held, refusal: failure.message });
  return afterFailure({ ...state, ...settingAside(state) }, event, { ...event, ...madeBy(held.work) });
}

/** Stops for a human before the work is pushed. */
function askPermission(state: State, event: Event, held: HeldWork): Next {
  const interaction = openingOf(state, 'permission', event.at);
  const deadline = deadlineAfter(state, event.at);
  const rules = rulesIn(held.hits).join(', ');
  return next(
    state,
    { approvals: [], standing: { phase: 'awaiting_permission', interaction, held, deadline } },
    `Ask for permission to push: ${rules}`,
  );
}
