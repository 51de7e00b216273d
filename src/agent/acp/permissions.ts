import type { AgentHost, PermissionRequest } from '../port/agent.ts';
import { at, listAt, textAt } from '../port/values.ts';
import type { ToolCalls } from './tool-calls.ts';

/** A tool call that was not allowed. */
export interface Refusal {
  readonly title: string;
  readonly reason: string;
  /** People said so, and the agent has not been told what they said. */
  untold: boolean;
}

interface Asked {
  readonly calls: ToolCalls;
  readonly host: AgentHost;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  onRefusal(refusal: Refusal): void;
}

type Answer = { readonly outcome: Outcome };
type Outcome =
  | { readonly outcome: 'selected'; readonly optionId: string }
  | { readonly outcome: 'cancelled' };

export const cancelled: Answer = { outcome: { outcome: 'cancelled' } };

/**
 * Answers a `session/request_permission` as our host decides. Only ever for this one call: what an agent
 * remembers for good it writes into settings that we would not find again.
 */
export async function answerPermission(params: unknown, asked: Asked): Promise<Answer> {
  const { calls, host, signal, onRefusal } = asked;
  const raw = at(params, ['toolCall']);
  const call = calls.request(textAt(raw, 'toolCallId') ?? `unnamed-${calls.count + 1}`, raw);
  calls.announce(call);
  const request: PermissionRequest = calls.describe(call);
  const deciding = calls.decided(call, request, () => host.decide(request, signal));
  const permission = await untilAborted(deciding, signal);
  if (permission === null || 'park' in permission) {
    delete call.decision;
    return cancelled;
  }
  const once = optionOf(params, 'allow_once');
  if (permission.allow && once !== undefined) return selected(once);
  const { reason, byPeople = false } = permission.allow ? { reason: onlyForGood } : permission;
  calls.deny(call);
  onRefusal({ title: request.command ?? request.title, reason, untold: byPeople });
  const reject = optionOf(params, 'reject_once');
  return reject === undefined ? cancelled : selected(reject);
}

/** For our own tool, which can do nothing but ask. */
export function allowedOnce(params: unknown): Answer {
  const once = optionOf(params, 'allow_once');
  return once === undefined ? cancelled : selected(once);
}

const onlyForGood = 'it can only be allowed for good, and nobody does that';

function optionOf(params: unknown, kind: 'allow_once' | 'reject_once'): string | undefined {
  const found = listAt(params, 'options').find((option) => textAt(option, 'kind') === kind);
  return textAt(found, 'optionId');
}

function selected(optionId: string): Answer {
  return { outcome: { outcome: 'selected', optionId } };
}

/** Null if the signal was aborted first, whatever then becomes of the decision. */
export async function untilAborted<T>(deciding: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  try {
    return await Promise.race([deciding, aborted]);
  } catch (fault) {
    if (signal.aborted) return null;
    throw fault;
  }
}
