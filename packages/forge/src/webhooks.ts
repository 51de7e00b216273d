import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers';
import { type Context, fullName, type WebhookEvent } from './context.ts';
import type { App, Delivery, Installation, Json } from './model.ts';
import { accountPayload } from './payloads/accounts.ts';
import { nodeId } from './payloads/links.ts';
import { repositoryPayload } from './payloads/repositories.ts';
import { covers } from './permissions.ts';

/** The permission that an App needs to receive an event. */
const permissionFor: Record<string, string> = {
  issues: 'issues',
  issue_comment: 'issues',
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  check_run: 'checks',
  check_suite: 'checks',
  push: 'contents',
  merge_group: 'merge_queues',
};

/** Creates one delivery for each subscribed App, in the order of the events. */
export function emitWebhooks(context: Context, event: WebhookEvent): void {
  const payload = fullPayload(context, event);
  notifyWorkflows(context, event, payload);
  for (const listener of listeners(context, event)) {
    const { app, installation } = listener;
    const body =
      installation === undefined || event.name.startsWith('installation')
        ? payload
        : {
            ...payload,
            installation: { id: installation.id, node_id: nodeId('Installation', installation.id) },
          };
    const delivery = newDelivery(context, event, listener, body);
    context.observers.onDelivery?.(event.name, body);
    context.store.data.deliveries.push(delivery);
    context.enqueue(app, delivery);
  }
}

/** The headers of a delivery, with its signature. */
function signedHeaders(app: App, delivery: Delivery): Record<string, string> {
  const body = JSON.stringify(delivery.request.payload);
  const signature = createHmac('sha256', app.webhook_secret).update(body).digest('hex');
  return { ...delivery.request.headers, 'X-Hub-Signature-256': `sha256=${signature}` };
}

function fullPayload(context: Context, event: WebhookEvent): Json {
  const { action, repository, sender_id, payload } = event;
  return {
    ...(action ? { action } : {}),
    ...payload,
    ...(repository ? { repository: repositoryPayload(context, repository) } : {}),
    sender: accountPayload(context, context.store.account(sender_id)),
  };
}

function notifyWorkflows(
  context: Context,
  { name, repository, sender_id, cause_id = sender_id }: WebhookEvent,
  payload: Json,
): void {
  if (!repository) return;
  context.observers.onEvent?.({
    event: name,
    repository: fullName(context, repository),
    payload,
    by_actions: context.store.account(cause_id).login === 'github-actions[bot]',
  });
}

/** To whom an event is delivered: to an App where it is installed, or to the App itself. */
interface Listener {
  app: App;
  installation?: Installation;
}

function listeners(context: Context, event: WebhookEvent): Listener[] {
  const { store } = context;
  const { app_id } = event;
  if (event.repository || event.installation)
    return installationsFor(context, event).map((one) => ({ app: store.app(one.app_id), installation: one }));
  const app = app_id === undefined ? undefined : store.app(app_id);
  return app === undefined || app.webhook_url === '' ? [] : [{ app }];
}

function installationsFor(context: Context, event: WebhookEvent): Installation[] {
  const { name, repository, app_id } = event;
  if (event.installation) return [event.installation];
  if (!repository) return [];
  const needed = permissionFor[name];
  return context.store.data.installations.filter(
    (installation) =>
      installation.repository_ids.includes(repository.id) &&
      (app_id === undefined || installation.app_id === app_id) &&
      installation.events.includes(name) &&
      context.store.app(installation.app_id).webhook_url !== '' &&
      (needed === undefined || covers(installation.permissions, { [needed]: 'read' })),
  );
}

function newDelivery(
  context: Context,
  event: WebhookEvent,
  { app, installation }: Listener,
  payload: Json,
): Delivery {
  const guid = randomUUID();
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'GitHub-Hookshot/forge',
    Accept: '*/*',
    'X-GitHub-Delivery': guid,
    'X-GitHub-Event': event.name,
    'X-GitHub-Hook-ID': String(app.hook_id),
    'X-GitHub-Hook-Installation-Target-ID': String(app.id),
    'X-GitHub-Hook-Installation-Target-Type': 'integration',
  };
  return {
    id: context.store.id(),
    guid,
    app_id: app.id,
    event: event.name,
    action: event.action ?? null,
    installation_id: installation?.id ?? null,
    repository_id: event.repository?.id ?? null,
    delivered_at: context.now().toISOString(),
    redelivery: false,
    duration: 0,
    status: 'pending',
    status_code: 0,
    request: { headers, payload },
    response: { headers: {}, payload: '' },
  };
}

const timeoutMs = 10_000;
const atOnce = 8;

/** Posts deliveries to the Apps: in order, a few at a time, without retries, as GitHub does. */
export class DeliveryQueue {
  readonly #context: Context;
  readonly #queues = new Map<number, AppQueue>();
  readonly #closed = new AbortController();

  constructor(context: Context) {
    this.#context = context;
  }

  add(app: App, delivery: Delivery): void {
    const queue = this.#queues.get(app.id) ?? { waiting: [], active: 0 };
    this.#queues.set(app.id, queue);
    queue.waiting.push(delivery);
    setImmediate(() => this.#advance(app, queue));
  }

  /** Whether no delivery is pending. */
  get idle(): boolean {
    return [...this.#queues.values()].every((queue) => queue.active === 0 && queue.waiting.length === 0);
  }

  close(): void {
    this.#closed.abort();
    for (const queue of this.#queues.values()) queue.waiting.length = 0;
  }

  #advance(app: App, queue: AppQueue): void {
    while (queue.active < atOnce) {
      const delivery = queue.waiting.shift();
      if (!delivery) return;
      queue.active += 1;
      void this.#post(app, delivery).finally(() => {
        queue.active -= 1;
        this.#advance(app, queue);
      });
    }
  }

  /** Never throws: the delivery holds the outcome. */
  async #post(app: App, delivery: Delivery): Promise<void> {
    const started = performance.now();
    try {
      const response = await fetch(app.webhook_url, {
        method: 'POST',
        headers: signedHeaders(app, delivery),
        body: JSON.stringify(delivery.request.payload),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closed.signal]),
      });
      delivery.response.payload = await response.text();
      delivery.response.headers = Object.fromEntries(response.headers);
      delivery.status_code = response.status;
      delivery.status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`;
    } catch (error) {
      const timedOut = error instanceof Error && error.name === 'TimeoutError';
      delivery.status = timedOut ? 'timed out' : 'failed to connect to host';
      delivery.status_code = timedOut ? 504 : 502;
    }
    delivery.duration = Math.round(performance.now() - started) / 1000;
    this.#context.observers.log?.(
      `webhook ${delivery.event}.${delivery.action ?? ''} to ${app.slug}: ${delivery.status_code}`,
    );
  }
}

interface AppQueue {
  waiting: Delivery[];
  active: number;
}
