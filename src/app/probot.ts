import type { Logger } from 'pino';
import { Probot, ProbotOctokit } from 'probot';
import type { Delivery } from './webhook-server.ts';

export interface DispatchOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly secret: string;
  readonly apiUrl: string;
  readonly log: Logger;
  /** Takes one delivery in; rejects when it is not remembered. */
  receive(delivery: Delivery): Promise<void>;
}

/**
 * Probot's part: it knows events, installations and their order. Signature, size and what concerns us were
 * settled at the door; our own clients keep the pace, so Probot's throttle (3 s between comments) is off.
 */
export function dispatcher(options: DispatchOptions): (delivery: Delivery) => Promise<void> {
  const { appId, privateKey, secret, apiUrl: baseUrl, log, receive } = options;
  const Octokit = ProbotOctokit.defaults((defaults: object) => ({
    ...defaults,
    throttle: { enabled: false },
    retry: { enabled: false },
  }));
  const probot = new Probot({ appId, privateKey, secret, baseUrl, log, Octokit });
  probot.onAny(({ id, name, payload }) => receive({ id, name, payload }));
  // Probot's union of event names is closed; a name of no event reaches no handler.
  return (delivery) => probot.receive(delivery as Parameters<typeof probot.receive>[0]);
}
