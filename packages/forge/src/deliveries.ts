import { setImmediate } from 'node:timers';
import type { Context } from './context.ts';
import type { App, Delivery } from './model.ts';
import { signedHeaders } from './webhooks.ts';

const timeoutMs = 10_000;
const atOnce = 8;

/** Posts deliveries to the Apps: started in order, a few at a time, each tried once, as GitHub does. */
export class DeliveryQueue {
  readonly #context: Context;
  readonly #lanes = new Map<number, Lane>();
  readonly #closed = new AbortController();

  constructor(context: Context) {
    this.#context = context;
  }

  add(app: App, delivery: Delivery): void {
    const lane = this.#lanes.get(app.id) ?? { waiting: [], active: 0 };
    this.#lanes.set(app.id, lane);
    lane.waiting.push(delivery);
    setImmediate(() => this.#advance(app, lane));
  }

  /** Whether every delivery has been answered, refused or given up. */
  get idle(): boolean {
    return [...this.#lanes.values()].every((lane) => lane.active === 0 && lane.waiting.length === 0);
  }

  close(): void {
    this.#closed.abort();
    for (const lane of this.#lanes.values()) lane.waiting.length = 0;
  }

  #advance(app: App, lane: Lane): void {
    while (lane.active < atOnce) {
      const delivery = lane.waiting.shift();
      if (!delivery) return;
      lane.active += 1;
      void this.#post(app, delivery).finally(() => {
        lane.active -= 1;
        this.#advance(app, lane);
      });
    }
  }

  /** Never throws: how it went is written into the delivery. */
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

interface Lane {
  waiting: Delivery[];
  active: number;
}
