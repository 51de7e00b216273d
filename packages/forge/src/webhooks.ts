import { createHmac, randomUUID } from 'node:crypto';
import type { App, Delivery, Installation, Repository } from './model.ts';
import { accountPayload } from './payloads/accounts.ts';
import { repositoryPayload } from './payloads/repositories.ts';
import { covers } from './permissions.ts';
import { fullName, type Json, type Site } from './site.ts';

/** Something that happened and that Apps may have asked to be told of. */
export interface Occurrence {
  event: string;
  action?: string;
  repository?: Repository;
  installation?: Installation;
  sender_id: number;
  payload: Json;
  /** Only this App is told (clicks, requests to check again). */
  app_id?: number;
}

/** The permission without which an event is not sent. */
const permissionFor: Record<string, string> = {
  issues: 'issues',
  issue_comment: 'issues',
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  check_run: 'checks',
  check_suite: 'checks',
  push: 'contents',
};

/** Makes one delivery for each App that listens, in the order things happened. */
export function announce(site: Site, occurrence: Occurrence): void {
  const payload = fullPayload(site, occurrence);
  tellWorkflows(site, occurrence, payload);
  for (const installation of listeners(site, occurrence)) {
    const app = site.store.app(installation.app_id);
    const body = occurrence.event.startsWith('installation')
      ? payload
      : { ...payload, installation: { id: installation.id, node_id: nodeIdOf(installation) } };
    const delivery = newDelivery(site, { app, installation, occurrence, payload: body });
    site.observers.onDelivery?.(occurrence.event, body);
    site.store.data.deliveries.push(delivery);
    site.post(app, delivery);
  }
}

/** The same again under the same GUID, as a delivery of its own. */
export function redeliver(site: Site, app: App, original: Delivery): void {
  const delivery: Delivery = {
    ...original,
    id: site.store.id(),
    delivered_at: site.now().toISOString(),
    redelivery: true,
    duration: 0,
    status: 'pending',
    status_code: 0,
    response: { headers: {}, payload: '' },
  };
  site.store.data.deliveries.push(delivery);
  site.post(app, delivery);
}

/** The headers that prove where a payload comes from. */
export function signedHeaders(app: App, delivery: Delivery): Record<string, string> {
  const body = JSON.stringify(delivery.request.payload);
  const signature = createHmac('sha256', app.webhook_secret).update(body).digest('hex');
  return { ...delivery.request.headers, 'X-Hub-Signature-256': `sha256=${signature}` };
}

function fullPayload(site: Site, occurrence: Occurrence): Json {
  const { action, repository, sender_id, payload } = occurrence;
  return {
    ...(action ? { action } : {}),
    ...payload,
    ...(repository ? { repository: repositoryPayload(site, repository) } : {}),
    sender: accountPayload(site, site.store.account(sender_id)),
  };
}

function tellWorkflows(site: Site, { event, repository, sender_id }: Occurrence, payload: Json): void {
  if (!repository) return;
  site.observers.onEvent?.({
    event,
    repository: fullName(site, repository),
    payload,
    by_actions: site.store.account(sender_id).login === 'github-actions[bot]',
  });
}

function listeners(site: Site, occurrence: Occurrence): Installation[] {
  const { event, repository, app_id } = occurrence;
  if (occurrence.installation) return [occurrence.installation];
  if (!repository) return [];
  const needed = permissionFor[event];
  return site.store.data.installations.filter(
    (installation) =>
      installation.repository_ids.includes(repository.id) &&
      (app_id === undefined || installation.app_id === app_id) &&
      installation.events.includes(event) &&
      site.store.app(installation.app_id).webhook_url !== '' &&
      (needed === undefined || covers(installation.permissions, { [needed]: 'read' })),
  );
}

interface NewDelivery {
  app: App;
  installation: Installation;
  occurrence: Occurrence;
  payload: Json;
}

function newDelivery(site: Site, { app, installation, occurrence, payload }: NewDelivery): Delivery {
  const guid = randomUUID();
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'GitHub-Hookshot/forge',
    Accept: '*/*',
    'X-GitHub-Delivery': guid,
    'X-GitHub-Event': occurrence.event,
    'X-GitHub-Hook-ID': String(app.hook_id),
    'X-GitHub-Hook-Installation-Target-ID': String(app.id),
    'X-GitHub-Hook-Installation-Target-Type': 'integration',
  };
  return {
    id: site.store.id(),
    guid,
    app_id: app.id,
    event: occurrence.event,
    action: occurrence.action ?? null,
    installation_id: installation.id,
    repository_id: occurrence.repository?.id ?? null,
    delivered_at: site.now().toISOString(),
    redelivery: false,
    duration: 0,
    status: 'pending',
    status_code: 0,
    request: { headers, payload },
    response: { headers: {}, payload: '' },
  };
}

function nodeIdOf(installation: Installation): string {
  return Buffer.from(`Installation:${installation.id}`).toString('base64url');
}
