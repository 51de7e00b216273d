import { isSurelyBefore } from '../../steering/shapes/time.ts';
import { isReadable } from '../events/payloads.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';

/** A delivery that did not get through. */
export interface MissedDelivery {
  /** Its GUID, which a redelivery keeps. */
  readonly id: string;
  readonly delivery_id: number;
  readonly name: string;
  /** It is null for what concerns no repository, such as an installation. */
  readonly repository_id: number | null;
}

/** A limit for one sweep, 10,000 deliveries; then the newest are looked at. */
const maxPages = 100;

/**
 * Deliveries since a time that did not get through, or not for certain, oldest first; GitHub never redelivers
 * them itself. Those that a later redelivery got through are left out, and so are events we do not handle.
 */
export async function missedDeliveries(app: Octokit, since: string): Promise<readonly MissedDelivery[]> {
  const missed = new Map<string, MissedDelivery>();
  const received = new Set<string>();
  let pages = 0;
  for await (const { data } of app.paginate.iterator(app.rest.apps.listWebhookDeliveries, {
    per_page: 100,
  })) {
    for (const { id: delivery_id, guid: id, status_code, event: name, action, ...about } of data) {
      if (isSurelyBefore(about.delivered_at, since)) return oldestFirst(missed);
      const { repository_id } = about;
      if (gotThrough(status_code)) received.add(id);
      else if (!received.has(id) && isReadable(name, action))
        missed.set(id, { id, delivery_id, name, repository_id });
    }
    pages += 1;
    if (pages >= maxPages) break;
  }
  return oldestFirst(missed);
}

/** A host or a proxy in front of us may turn our 200 into another; 202 is said before it is recorded. */
function gotThrough(status: number): boolean {
  return status >= 200 && status < 300 && status !== 202;
}

/** GitHub lists the newest first. */
function oldestFirst(missed: ReadonlyMap<string, MissedDelivery>): readonly MissedDelivery[] {
  return [...missed.values()].reverse();
}

/** What GitHub sent, which costs a request; undefined if it no longer has it after three days. */
export async function payloadOf(app: Octokit, { delivery_id }: MissedDelivery): Promise<unknown> {
  const found = await unless(app.rest.apps.getWebhookDelivery({ delivery_id }), 404);
  return found?.data.request.payload;
}
