import type { GitHubEvent } from './github-event.ts';
import { PayloadUnreadable, readPayload } from './payloads.ts';
import { isRelevant, mayBeRelevant } from './relevance.ts';

/** A webhook delivery whose payload was parsed. */
export interface Delivery {
  /** The GUID that GitHub gave it. */
  readonly id: string;
  /** As in `X-GitHub-Event`. */
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Reads a delivery that may concern a run; undefined for all others. A payload that lacks what GitHub
 * documents passes, so that whoever handles it reports the fault. Throws `SyntaxError` when the body is not
 * JSON.
 */
export function readDelivery({ id, name }: Omit<Delivery, 'payload'>, body: Buffer): Delivery | undefined {
  if (!mayBeRelevant(name, body)) return undefined;
  const delivery = { id, name, payload: JSON.parse(body.toString('utf8')) };
  try {
    return eventsIn(delivery).length > 0 ? delivery : undefined;
  } catch (fault) {
    if (fault instanceof PayloadUnreadable) return delivery;
    throw fault;
  }
}

/**
 * The events of a delivery that may concern a run. A payload is validated once: Probot passes on the object
 * that it was given, and what was read from it at the door is found again. Throws `PayloadUnreadable`.
 */
export function eventsIn({ name, payload }: Pick<Delivery, 'name' | 'payload'>): readonly GitHubEvent[] {
  if (typeof payload !== 'object' || payload === null) return [];
  const known = read.get(payload);
  if (known !== undefined) return known;
  const events = readPayload(name, payload).filter(isRelevant);
  read.set(payload, events);
  return events;
}

const read = new WeakMap<object, readonly GitHubEvent[]>();
