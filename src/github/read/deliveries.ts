import { isReadable } from '../events/payloads.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';

/** A delivery as GitHub sent it. */
export interface MissedDelivery {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Deliveries since a time that were not answered with 200, oldest first; GitHub never redelivers them itself.
 * Those that a later redelivery got through are left out, and so are events we do not handle, because each
 * payload costs a request.
 */
export async function missedDeliveries(app: Octokit, since: string): Promise<readonly MissedDelivery[]> {
  const missed = new Map<string, number>();
  const received = new Set<string>();
  for await (const { data } of app.paginate.iterator(app.rest.apps.listWebhookDeliveries, {
    per_page: 100,
  })) {
    for (const { id, guid, delivered_at, status_code, event, action } of data) {
      if (delivered_at < since) return payloadsOf(app, missed);
      if (status_code === 200) received.add(guid);
      else if (!received.has(guid) && isReadable(event, action)) missed.set(guid, id);
    }
  }
  return payloadsOf(app, missed);
}

/** GitHub lists the newest first. */
async function payloadsOf(
  app: Octokit,
  missed: ReadonlyMap<string, number>,
): Promise<readonly MissedDelivery[]> {
  const deliveries: MissedDelivery[] = [];
  for (const [guid, delivery_id] of [...missed].reverse()) {
    try {
      const { data } = await app.rest.apps.getWebhookDelivery({ delivery_id });
      deliveries.push({ id: guid, name: data.event, payload: data.request.payload });
    } catch (fault) {
      if (!(fault instanceof GitHubFault) || fault.status !== 404) throw fault; // kept for three days only
    }
  }
  return deliveries;
}
