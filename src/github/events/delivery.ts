import type { GitHubEvent } from './github-event.ts';
import { PayloadUnreadable, readPayload } from './payloads.ts';
import { isRelevant, mayBeRelevant } from './relevance.ts';

/** A webhook delivery with its parsed payload. */
export interface Delivery {
  /** The GUID that GitHub gave it. */
  readonly id: string;
  /** As in `X-GitHub-Event`. */
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Parses a delivery that may concern a run; undefined for all others. A payload that lacks documented
 * fields passes, so that its handler reports the error. Throws `SyntaxError` when the body is not JSON.
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
 * The events of a delivery that may concern a run. Each payload is validated once: Probot passes on the same
 * object, so the result is cached by object. Throws `PayloadUnreadable`.
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
