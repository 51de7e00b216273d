import { Probot, ProbotOctokit } from 'probot';
import type { Delivery } from '../github/events/delivery.ts';
import type { Log } from '../github/octokit/connect.ts';
import { messageOf } from '../runs/repository/faults.ts';
import { type Coxswain, openCoxswain } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import { type GivenSettings, stopMs, stoppedEarly, withDefaults } from './environment/settings.ts';
import { endsWithin } from './in-time.ts';

export { providersIn } from '../network/model/providers.ts';
export { operatorFileIn } from './environment/operator-file.ts';

/** A Probot application function that can be stopped. */
export type CoxswainApplication = ((app: Probot) => Promise<void>) & { stop(): Promise<void> };

/**
 * Coxswain for any Probot host: `await server.load(coxswain({ appId, privateKey }))`. It has its own clients
 * and sweep, reads no environment, and needs a long-running host. Call `stop` before the host exits.
 */
export function coxswain(given: GivenSettings): CoxswainApplication {
  let opening: Promise<Coxswain> | undefined;
  let log: Pick<Log, 'warn'> | undefined;
  const application = async (app: Probot): Promise<void> => {
    if (opening !== undefined) throw new Error('already loaded: call coxswain() again for another host');
    log = app.log;
    opening = openCoxswain(withDefaults(given), app.log);
    const open = await opening.catch((fault: unknown) => {
      opening = undefined;
      throw fault;
    });
    const report = reportFault(open, app.log);
    listen(app, open);
    app.onError((fault) => report(fault, { id: fault.event.id, name: fault.event.name }));
    open.sweeper.start();
  };
  // If it could not be opened, the host knows from `application`.
  let stopping: Promise<void> | undefined;
  const close = async (opened: Promise<Coxswain>) => {
    const open = await opened.catch(() => undefined);
    if (open !== undefined && !(await endsWithin(stopMs, open.close()))) log?.warn(stoppedEarly);
  };
  const stop = async () => {
    if (opening !== undefined) stopping ??= close(opening);
    await stopping;
  };
  return Object.assign(application, { stop });
}

/** Passes every delivery that Probot receives on to Coxswain. */
export function listen(app: Probot, { receiver }: Coxswain): void {
  app.onAny(({ id, name, payload }) => receiver.receive({ id, name, payload }));
}

/** Logs what could not be recorded, and schedules a sweep that retries it soon. */
export function reportFault({ sweeper }: Coxswain, log: Log): (fault: unknown, delivery: Named) => void {
  return (fault, { id, name }) => {
    log.warn(`could not record ${name} ${id}: ${messageOf(fault)}`);
    sweeper.sweepSoon();
  };
}

type Named = Pick<Delivery, 'id' | 'name'>;

/** Probot behind our own server, which has already checked signature, size and relevance. */
export function hostProbot(
  { appId, privateKey, webhookSecret: secret, apiUrl: baseUrl }: AppEnvironment,
  log: Probot['log'],
): { readonly probot: Probot; receive(delivery: Delivery): Promise<void> } {
  const quiet = log.child({}, { serializers: { err: withoutPayload } });
  const probot = new Probot({ appId, privateKey, secret, baseUrl, log: quiet, Octokit: unpaced });
  // Probot's type of event names is closed; an unknown name simply reaches no handler.
  const receive = (delivery: Delivery) => probot.receive(delivery as Parameters<Probot['receive']>[0]);
  return { probot, receive };
}

/** Probot logs a failed delivery with its whole payload, which may have 25 MB. */
function withoutPayload({ name, message, stack }: Error) {
  return { type: name, message, stack };
}

/** Our own clients respect GitHub's limits, so Probot's throttle, which spaces comments 3 s apart, is off. */
const unpaced = ProbotOctokit.defaults((defaults: object) => ({
  ...defaults,
  throttle: { enabled: false },
  retry: { enabled: false },
}));
