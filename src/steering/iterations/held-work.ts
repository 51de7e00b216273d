import type { AskedCall, GateHit } from '../shapes/attempt-result.ts';
import { meaningOf } from '../shapes/gate-rules.ts';
import type { HeldWork, PauseAsked } from '../shapes/standing.ts';
import type { SetAside, State } from '../state/state.ts';

/** The gates because of which this work must not be pushed yet; none if it may be. */
export function holdingHits(
  { allowed_rules = [] }: Pick<State, 'allowed_rules'>,
  hits: readonly GateHit[],
): readonly GateHit[] {
  return hits.filter((hit) => isHolding(hit) && (isCritical(hit) || !allowed_rules.includes(hit.rule)));
}

function isHolding(hit: GateHit): boolean {
  return isCritical(hit) || (meaningOf(hit.rule)?.held ?? 'never') !== 'never';
}

/** Critical ones are asked each time, and only maintainers may allow them. */
export function isCritical({ severity }: GateHit): boolean {
  return severity === 'critical';
}

/** Whether the work may be kept on the remote: what is a secret, or may be one, stays on this machine. */
export function mayKeepRemotely(hits: readonly GateHit[]): boolean {
  return !hits.some(({ rule }) => meaningOf(rule)?.held === 'here');
}

/** The rules that `/allow always` lets through from now on: all but critical ones. */
export function rulesToAllow({ hits }: Pick<HeldWork, 'hits'>): readonly string[] {
  return [...new Set(hits.filter((hit) => !isCritical(hit)).map(({ rule }) => rule))];
}

/** The held work of a run, whether it waits for permission, for an engine or for a person who is late. */
export function heldWork({ standing }: Pick<State, 'standing'>): HeldWork | undefined {
  if (standing.phase === 'timed_out') return heldWork({ standing: standing.before });
  if (standing.phase === 'paused') return standing.asked && heldAt(standing.asked.stood);
  return 'held' in standing ? standing.held : undefined;
}

/** The tool call that people are asked about, whether the agent is held before it or was stopped. */
export function askedCall({ standing }: Pick<State, 'standing'>): AskedCall | undefined {
  if (standing.phase === 'working') return standing.asking?.call;
  if (standing.phase === 'timed_out') return askedCall({ standing: standing.before });
  return 'call' in standing ? standing.call : undefined;
}

function heldAt(stood: PauseAsked['stood']): HeldWork | undefined {
  if ('asking' in stood) return heldWork({ standing: stood.asking });
  return 'due' in stood && stood.due.work === 'land' ? stood.due.held : undefined;
}

/** Held work that is not put on the branch after all; the ref that keeps it stays. */
export function settingAside(state: State, denied?: SetAside['denied']): Pick<State, 'set_aside'> {
  const held = heldWork(state);
  if (held === undefined) return {};
  return { set_aside: { ...asSetAside(held), ...(denied !== undefined && { denied }) } };
}

export function asSetAside({ work, hits, kept }: HeldWork): SetAside {
  return { work, hits, kept };
}
