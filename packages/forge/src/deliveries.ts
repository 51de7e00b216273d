import { setImmediate } from 'node:timers';
import type { Context } from './context.ts';
import type { App, Delivery } from './model.ts';
import { signedHeaders } from './webhooks.ts';

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
