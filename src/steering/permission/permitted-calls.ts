import { waitOrGoOn } from '../attempts/stopped-agent.ts';
import { withContributors } from '../iterations/authorship.ts';
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
import { firstLine } from '../phrases/phrases.ts';
import type { AskedCall, GateHit } from '../shapes/attempt-result.ts';
import { isCritical, meaningOf, rulesToAllow } from '../shapes/gate-rules.ts';
import type { Source } from '../shapes/people.ts';
import type { PermissionSettings, Permit } from '../shapes/settings.ts';
import type { AwaitingPermission, CallAnswer, Working } from '../shapes/standing.ts';
import { readableFrom } from '../shapes/time.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';

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
  const { asking, ...standing } = state.standing;
  if (asking === undefined) return refuse(notAsked('allow'));
  const tooSoon = objectionToHaste(asking, state, event.source);
  if (tooSoon !== undefined) return refuse(tooSoon);
  return accepted(next(allowed(state, event, asking), { standing }, allowedText(event)), event);
}

/** The agent is told why, and goes on without. */
export function denyCall(state: In<'working'>, event: CommandEventOf<'deny'>): Step {
  const { asking, ...standing } = state.standing;
  if (asking === undefined) return refuse(notAsked('deny'));
  const tooSoon = objectionToHaste(asking, state, event.source);
  if (tooSoon !== undefined) return refuse(tooSoon);
  return accepted(next(denied(state, event, asking), { standing }, firstLine(deniedText(event))), event);
}

/** The agent was stopped before the call; the next attempt may make it, once or always. */
export function allowLater(before: State, event: CommandEventOf<'allow'>, asked: AwaitedCall): Step {
  const tooSoon = objectionToHaste(asked, before, event.source);
  if (tooSoon !== undefined) return refuse(tooSoon);
  const { parked, ...state } = allowed(before, event, asked);
  const granted = parked && { parked: { ...parked, granted: textOfCall(asked.call) } };
  return accepted({ ...waitOrGoOn({ ...state, ...granted }, event), subject: allowedText(event) }, event);
}

/** The next attempt is told why, and goes on without the call. */
export function denyLater(state: State, event: CommandEventOf<'deny'>, asked: AwaitedCall): Step {
  const tooSoon = objectionToHaste(asked, state, event.source);
  if (tooSoon !== undefined) return refuse(tooSoon);
  const step = waitOrGoOn(denied(state, event, asked), event);
  return accepted({ ...step, subject: firstLine(deniedText(event)) }, event);
}

type AwaitedCall = Extract<AwaitingPermission, { call: AskedCall }>;

function allowed(state: State, event: CommandEventOf<'allow'>, { call }: Pick<AwaitedCall, 'call'>): State {
  const { scope } = event.command;
  const rules = scope === 'always' ? rulesHit(call) : [];
  const answer = { allowed: true, why: '' };
  const end = { by: event.by.login, how: `allowed ${scope}`, asked: askedIn(call), answer };
  return {
    ...state,
    ...settledButQuestions(state, event, end),
    ...withContributors(state, [event.by]),
    ...(rules.length > 0 && { allowed_rules: [...new Set([...(state.allowed_rules ?? []), ...rules])] }),
  };
}

function denied(state: State, event: CommandEventOf<'deny'>, { call }: Pick<AwaitedCall, 'call'>): State {
  const answer = { allowed: false, why: deniedText(event) };
  const end = { by: event.by.login, how: 'denied', asked: askedIn(call), answer };
  return { ...state, ...settledButQuestions(state, event, end), ...withContributors(state, [event.by]) };
}

function allowedText({ command: { scope }, by }: CommandEventOf<'allow'>): string {
  return `Allowed ${scope} by ${by.login}`;
}

/** What the agent is told. */
function deniedText({ command: { reason }, by }: CommandEventOf<'deny'>): string {
  return `${by.login} denied it${reason === '' ? '' : `: ${reason}`}`;
}

/** What `/allow always` allows from now on: the rules but for critical ones, or else the kind of call. */
export function rulesHit({ hits, kind }: AskedCall): readonly string[] {
  if (hits.length === 0) return [ruleOfKind(kind)];
  return rulesToAllow({ hits });
}

/** How a kind of call is called among the rules that are always allowed. */
function ruleOfKind(kind: string): string {
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
  { interactions }: State,
  source: Source,
): Refusal | undefined {
  if (source.from !== 'comment') return undefined;
  // Whoever answers the same question, asked again by the next attempt, has read it.
  const askedBefore = interactions.some(
    ({ kind, asked: earlier }) => kind === 'permission' && !isSameCall(call, earlier),
  );
  const early = Date.parse(source.written_at) < readableFrom(opened_at, askedBefore);
  return early ? { why: 'just_asked' } : undefined;
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

/** What decides about a tool call before it is made. */
interface Permitting {
  readonly permissions: PermissionSettings;
  /** It runs in a sandbox, so that nothing outside of the workspace can be changed. */
  readonly sandboxed: boolean;
  /** What people have always allowed in this run. */
  readonly allowed_rules: readonly string[];
}

/** How often people are asked in one attempt: whoever is asked more often stops reading. */
export const maxAsks = 3;

/** What agents may do where nothing is written. */
export const usualPermissions: PermissionSettings = {
  edit: 'allow',
  delete: 'allow',
  move: 'allow',
  execute: 'allow',
  rules: {},
  hold_s: 120,
};

/** The strictest answer of the call's kind and of each rule that matches it. */
export function permitFor({ kind, hits }: Pick<AskedCall, 'kind' | 'hits'>, permitting: Permitting): Permit {
  const answers = [
    permitOfKind(kind, permitting),
    ...hits.map((hit) => permitOfHit(hit, { kind, ...permitting })),
  ];
  return strictestFirst.find((permit) => answers.includes(permit)) ?? 'deny';
}

const strictestFirst: readonly Permit[] = ['deny', 'ask', 'allow'];

/** These kinds of calls only look, wherever they do. */
const looking = ['read', 'search', 'think', 'fetch'];

function permitOfKind(kind: string, { permissions, allowed_rules }: Permitting): Permit {
  if (looking.includes(kind)) return 'allow';
  // Such as to a mode in which it no longer asks.
  if (kind === 'switch_mode') return 'deny';
  const isNamed = kind === 'edit' || kind === 'delete' || kind === 'move';
  const permit = permissions[isNamed ? kind : 'execute'];
  return permit === 'ask' && allowed_rules.includes(ruleOfKind(kind)) ? 'allow' : permit;
}

function permitOfHit(hit: GateHit, { kind, ...permitting }: Permitting & { readonly kind: string }): Permit {
  const { permissions, allowed_rules } = permitting;
  const usual = isJudgedOnDiff({ kind, hit }, permitting) ? 'allow' : 'ask';
  const permit = permissions.rules[hit.rule] ?? usual;
  const isAllowed = !isCritical(hit) && allowed_rules.includes(hit.rule);
  return permit === 'ask' && isAllowed ? 'allow' : permit;
}

/** These kinds only change files of the workspace, whatever they are. */
const editing = ['edit', 'delete', 'move'];

/** Whether the diff says all that there is to say about it. */
export function isJudgedOnDiff(
  { kind, hit }: { readonly kind: string; readonly hit: GateHit },
  { sandboxed }: Pick<Permitting, 'sandboxed'>,
): boolean {
  return sandboxed && (editing.includes(kind) || meaningOf(hit.rule)?.calls === 'workspace');
}
