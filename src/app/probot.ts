import type { Probot } from 'probot';
import type { Log } from '../github/octokit/connect.ts';
import { type Coxswain, openCoxswain, reportFault } from './coxswain.ts';
import { type GivenSettings, stopMs, stoppedEarly, withDefaults } from './environment/app-settings.ts';
import { endsWithin } from './webhook-server.ts';

export { providersIn } from '../network/model/providers.ts';
export { operatorFileIn } from './environment/app-settings.ts';

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
    app.onAny(({ id, name, payload }) => open.receiver.receive({ id, name, payload }));
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
