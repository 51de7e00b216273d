import { waitOrGoOn } from '../attempts/parking.ts';
import { withContributors } from '../iterations/contributing.ts';
import { rulesToAllow } from '../iterations/held-work.ts';
import { openingOf, settledButQuestions } from '../iterations/interactions.ts';
import {
  accepted,
  type CommandEventOf,
  holdsLease,
  next,
  nothing,
  refuse,
  type Step,
} from '../iterations/step.ts';
import { firstLine } from '../phrases/first-line.ts';
import type { AskedCall } from '../shapes/attempt-result.ts';
import type { AwaitingPermission, CallAnswer, Working } from '../shapes/standing.ts';
import { readingTimeMs, wholeSecond } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';

/** What people decide about a tool call, while the agent is held before it. */

/** The agent asks for one thing at a time. */
export function askForCall(state: In<'working'>, event: EventOf<'permission_requested'>): Step {
  if (!holdsLease(state, event.hold) || state.standing.asking !== undefined) return nothing;
  const { call, until, at } = event;
  const { iteration, attempt } = event.hold;
  const interaction = { ...openingOf(state, 'permission', at), of: { iteration, attempt } };
  const standing: Working = { ...state.standing, asking: { interaction, call, until } };
  return next(state, { standing }, `Ask whether the agent may: ${oneLine(call.command ?? call.title)}`);
}

/** Nobody answered in time, or the agent no longer wants to: it goes on without. */
export function lapse(state: In<'working'>, event: EventOf<'permission_lapsed'>): Step {
  const { asking } = state.standing;
  if (!holdsLease(state, event.hold) || asking?.call.id !== event.call) return nothing;
  const why = event.because === 'timeout' ? 'nobody answered in time' : 'the agent withdrew it';
  return next(
    settled(state, event, { by: 'coxswain', how: why, answer: { allowed: false, why } }),
    {},
    `Denied: ${why}`,
  );
}

/** The agent may make the call; `always` is for the same rules, or the same kind of call, in this run. */
export function allowCall(state: In<'working'>, event: CommandEventOf<'allow'>): Step {
  const { asking } = state.standing;
  if (asking === undefined) return refuse(notAsked('allow'));
  const tooSoon = objectionToHaste(asking, { state, event });
  if (tooSoon !== undefined) return refuse(tooSoon);
  const { scope } = event.command;
  const by = event.by.login;
  const rules = scope === 'always' ? rulesOf(asking.call) : [];
  const end = { by, how: `allowed ${scope}`, answer: { allowed: true, why: '' } };
  const allowed: State = {
    ...settled(state, event, end),
    ...withContributors(state, [event.by]),
    ...withRules(state, rules),
  };
  return accepted(next(allowed, {}, `Allowed ${scope} by ${by}`), event);
}

/** The agent is told why, and goes on without. */
export function denyCall(state: In<'working'>, event: CommandEventOf<'deny'>): Step {
  const { asking } = state.standing;
  if (asking === undefined) return refuse(notAsked('deny'));
  const tooSoon = objectionToHaste(asking, { state, event });
  if (tooSoon !== undefined) return refuse(tooSoon);
  const by = event.by.login;
  const why = `${by} denied it${event.command.reason === '' ? '' : `: ${event.command.reason}`}`;
  const end = { by, how: 'denied', answer: { allowed: false, why } };
  const denied: State = { ...settled(state, event, end), ...withContributors(state, [event.by]) };
  return accepted(next(denied, {}, firstLine(why)), event);
}

/** The agent was stopped before the call; the next attempt may make it, once or always. */
export function allowLater(state: State, event: CommandEventOf<'allow'>, asked: AwaitedCall): Step {
  const tooSoon = objectionToHaste(asked, { state, event });
  if (tooSoon !== undefined) return refuse(tooSoon);
  const { scope } = event.command;
  const by = event.by.login;
  const { call } = asked;
  const rules = scope === 'always' ? rulesOf(call) : [];
  const end = { by, how: `allowed ${scope}`, asked: askedIn(call), answer: { allowed: true, why: '' } };
  const allowed: State = {
    ...state,
    ...settledButQuestions(state, event, end),
    ...withContributors(state, [event.by]),
    ...(state.parked && { parked: { ...state.parked, granted: textOfCall(call) } }),
    ...withRules(state, rules),
  };
  return accepted({ ...waitOrGoOn(allowed, event), subject: `Allowed ${scope} by ${by}` }, event);
}

/** The next attempt is told why, and goes on without the call. */
export function denyLater(state: State, event: CommandEventOf<'deny'>, asked: AwaitedCall): Step {
  const tooSoon = objectionToHaste(asked, { state, event });
  if (tooSoon !== undefined) return refuse(tooSoon);
  const { call } = asked;
  const by = event.by.login;
  const why = `${by} denied it${event.command.reason === '' ? '' : `: ${event.command.reason}`}`;
  const end = { by, how: 'denied', asked: askedIn(call), answer: { allowed: false, why } };
  const denied: State = {
    ...state,
    ...settledButQuestions(state, event, end),
    ...withContributors(state, [event.by]),
  };
  return accepted({ ...waitOrGoOn(denied, event), subject: firstLine(why) }, event);
}

type AwaitedCall = Extract<AwaitingPermission, { call: AskedCall }>;

function withRules({ allowed_rules = [] }: State, rules: readonly string[]): Pick<State, 'allowed_rules'> {
  return rules.length === 0 ? {} : { allowed_rules: [...new Set([...allowed_rules, ...rules])] };
}

/** What `/allow always` allows from now on: the rules but for critical ones, or else the kind of call. */
export function rulesOf({ hits, kind }: AskedCall): readonly string[] {
  if (hits.length === 0) return [ruleOfKind(kind)];
  return rulesToAllow({ hits });
}

/** How a kind of call is called among the rules that are always allowed. */
export function ruleOfKind(kind: string): string {
  return `kind:${kind}`;
}

/** The state in which the agent no longer waits. */
function settled(
  state: In<'working'>,
  event: Pick<Event, 'at'>,
  end: { readonly by: string; readonly how: string; readonly answer: CallAnswer },
): In<'working'> {
  const { asking, ...standing } = state.standing;
  const asked = asking === undefined ? {} : { asked: askedIn(asking.call) };
  return { ...state, ...settledButQuestions(state, event, { ...end, ...asked }), standing };
}

/**
 * The state when its agent ends, and so no longer waits; it may have made the call that it was allowed once.
 */
export function withoutCall(before: In<'working'>, event: Event): In<'working'> {
  const state = withoutGrant(before);
  if (state.standing.asking === undefined) return state;
  const why = 'the attempt ended';
  return settled(state, event, { by: 'coxswain', how: why, answer: { allowed: false, why } });
}

/** Whoever allowed a call has not seen what somebody pushed since, which it may run. */
export function withoutGrant<S extends State>(state: S): S {
  if (state.parked?.granted === undefined) return state;
  const { granted: _, ...parked } = state.parked;
  return { ...state, parked };
}

function notAsked(command: 'allow' | 'deny'): Refusal {
  return { why: 'not_now', command, phase: 'working' };
}

/** A comment cannot answer what was only just asked, if something else was asked earlier. */
function objectionToHaste(
  { interaction: { opened_at }, call }: Pick<AwaitedCall, 'interaction' | 'call'>,
  {
    state: { interactions },
    event: { source },
  }: { readonly state: State; readonly event: CommandEventOf<'allow' | 'deny'> },
): Refusal | undefined {
  if (source.from !== 'comment') return undefined;
  // Whoever answers the same question, asked again by the next attempt, has read it.
  const askedBefore = interactions.some(
    ({ kind, asked: earlier }) => kind === 'permission' && !isSameCall(call, earlier),
  );
  const readableFrom = askedBefore ? Date.parse(opened_at) + readingTimeMs : wholeSecond(opened_at);
  return Date.parse(source.written_at) < readableFrom ? { why: 'just_asked' } : undefined;
}

/** What began alike may end otherwise: a text that was cut is that of no call. */
function isSameCall(call: AskedCall, earlier: string | undefined): boolean {
  return textOfCall(call) === earlier;
}

function askedIn(call: AskedCall): string {
  return [...textOfCall(call)].slice(0, maxAsked).join('');
}

const maxAsked = 500;

/** What a call does. The title is the agent's own, and may be the same for other files. */
export function textOfCall({ kind, command, title, paths = [] }: Omit<AskedCall, 'id' | 'hits'>): string {
  return JSON.stringify([kind, command ?? title, ...paths]);
}

function oneLine(text: string): string {
  return [...text.replace(/\s+/g, ' ')].slice(0, 120).join('');
}

/** The command of a tool call, or its title, from how it is recorded; older versions recorded only that. */
export function callIn(asked: string): string {
  try {
    const call: unknown = JSON.parse(asked);
    return Array.isArray(call) && typeof call[1] === 'string' ? call[1] : asked;
  } catch {
    return asked; // it was cut, or is of an older version
  }
}
