import { Probot, ProbotOctokit } from 'probot';
import type { Delivery } from '../github/events/delivery.ts';
import type { Log } from '../github/octokit/connect.ts';
import { messageOf } from '../runs/faults.ts';
import { type Coxswain, openCoxswain } from './coxswain.ts';
import type { AppEnvironment } from './environment.ts';
import { type GivenSettings, withDefaults } from './settings.ts';

/** A Probot application function, and how to end what it began. */
export type CoxswainApplication = ((app: Probot) => Promise<void>) & { stop(): Promise<void> };

/**
 * Coxswain for any Probot host: `await server.load(coxswain({ appId, privateKey }))`. It has clients and a
 * sweep of its own, reads no environment, and needs a host that stays up. Call `stop` before the host ends.
 */
export function coxswain(given: GivenSettings): CoxswainApplication {
  let open: Coxswain | undefined;
  const application = async (app: Probot): Promise<void> => {
    open = await openCoxswain(withDefaults(given), app.log);
    const report = reportFault(open, app.log);
    listen(app, open);
    app.onError((fault) => report(fault, { id: fault.event.id, name: fault.event.name }));
    open.sweeper.start();
  };
  return Object.assign(application, { stop: async () => open?.close() });
}

/** Hands Coxswain every delivery that Probot receives. */
export function listen(app: Probot, { receiver }: Coxswain): void {
  app.onAny(({ name, payload }) => receiver.receive({ name, payload }));
}

/** Says what could not be recorded, and has it looked for soon. */
export function reportFault({ sweeper }: Coxswain, log: Log): (fault: unknown, delivery: Named) => void {
  return (fault, { id, name }) => {
    log.warn(`could not record ${name} ${id}: ${messageOf(fault)}`);
    sweeper.hurry();
  };
}

type Named = Pick<Delivery, 'id' | 'name'>;

/** Probot behind our own server, which has checked signature, size and relevance already. */
export function hostProbot(
  { appId, privateKey, webhookSecret: secret, apiUrl: baseUrl }: AppEnvironment,
  log: Probot['log'],
): { readonly probot: Probot; receive(delivery: Delivery): Promise<void> } {
  const probot = new Probot({ appId, privateKey, secret, baseUrl, log, Octokit: unpaced });
  // Probot's union of event names is closed; a name of no event reaches no handler.
  const receive = (delivery: Delivery) => probot.receive(delivery as Parameters<Probot['receive']>[0]);
  return { probot, receive };
}

/** Our own clients keep GitHub's pace, so Probot's throttle, which spaces comments 3 s apart, is off. */
const unpaced = ProbotOctokit.defaults((defaults: object) => ({
  ...defaults,
  throttle: { enabled: false },
  retry: { enabled: false },
}));
