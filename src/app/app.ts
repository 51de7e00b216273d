import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  adapters,
  endLeftovers,
  probeSandbox,
  pruneWorkspaces,
  type Sandbox,
  secretsIn,
} from '../agent/index.ts';
import { configPath } from '../config/schema.ts';
import { checkGit } from '../git/check.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Connection, Log } from '../github/octokit/connect.ts';
import type { AttemptServices } from '../runs/attempt.ts';
import { messageOf } from '../runs/faults.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { LocalEngine } from '../runs/local-engine.ts';
import { Timers } from '../runs/timers.ts';
import type { AppEnvironment } from './environment.ts';
import { whoAmI } from './identity.ts';
import { Installations } from './installations.ts';
import { type Instance, takeFolder } from './instance.ts';
import { type MountedPage, mountPage } from './mount-page.ts';
import { dispatcher } from './probot.ts';
import { Receiver } from './receiver.ts';
import { Sweeper } from './sweeper.ts';
import { startWebhookServer, type WebhookServer } from './webhook-server.ts';

export interface App {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  /** Where the page is, with the key that opens it; null when it has nobody to speak for. */
  readonly pageUrl: string | null;
  /** Stops listening, gives back what is at work, writes down what was said, and leaves. */
  stop(): Promise<void>;
}

/** Starts the App. Nothing is accepted before Git, sandbox, folder and GitHub were found to be there. */
export async function startApp(environment: AppEnvironment, logger: Logger): Promise<App> {
  await checkGit();
  const { data, keyFiles } = environment;
  const sandbox = await probeSandbox(environment.sandbox, { hidden: [data, ...keyFiles] });
  if (sandbox.note !== null) logger.warn(sandbox.note);
  const instance = await takeFolder(data);
  const prerequisites: Prerequisites = {
    environment,
    logger,
    log: logOf(logger),
    sandbox,
    instance,
    clock: new GitHubClock(),
  };
  try {
    return await openApp(prerequisites, assemble(prerequisites));
  } catch (fault) {
    await instance.leave();
    throw fault;
  }
}

/** What was found to be there. */
interface Prerequisites {
  readonly environment: AppEnvironment;
  readonly logger: Logger;
  readonly log: Log;
  readonly sandbox: Sandbox;
  readonly instance: Instance;
  readonly clock: GitHubClock;
}

interface AppParts {
  readonly installations: Installations;
  readonly engine: LocalEngine;
  readonly timers: Timers;
  readonly liveRuns: LiveRuns;
  readonly receiver: Receiver;
  readonly sweeper: Sweeper;
}

function assemble(prerequisites: Prerequisites): AppParts {
  const { environment, log, clock, instance } = prerequisites;
  const { data, drawAfterMs } = environment;
  endLeftovers(workRoot(environment));
  const installations = new Installations({
    ...environment,
    log,
    onClient: (client: Connection) => clock.follow(client),
    // What a killed App left at work is cleared away.
    onMirror: (mirror: Mirror) => pruneWorkspaces(mirror, workRoot(environment)),
  });
  const engine = engineOf(prerequisites);
  const timers = new Timers({ clock, log });
  const operator = { bounds: { sandbox: environment.sandbox } };
  const liveRuns = new LiveRuns({
    ...{ presenter: 'app', data, operator, configPath, engine, timers, clock, log, drawAfterMs },
  });
  const receiver = new Receiver(installations, liveRuns);
  const sweeper = new Sweeper({
    installations,
    liveRuns,
    receiver,
    instance,
    clock,
    log,
    everyMs: environment.sweepEveryMs,
  });
  return { installations, engine, timers, liveRuns, receiver, sweeper };
}

async function openApp(prerequisites: Prerequisites, parts: AppParts): Promise<App> {
  const { environment, log } = prerequisites;
  const { slug, login, missing } = await whoAmI(parts.installations.app);
  parts.installations.own = { login };
  if (missing.length > 0) {
    log.warn(
      `the App ${slug} lacks ${missing.join(', ')}: grant it under "Permissions & events" in its settings`,
    );
  }
  const page = await mountPage(environment, parts);
  const server = await serveWebhooks(prerequisites, parts, page);
  page?.at(server.url);
  parts.sweeper.start();
  return {
    url: server.url,
    pageUrl: page?.address() ?? null,
    stop: () => close(prerequisites, parts, server),
  };
}

function serveWebhooks(
  prerequisites: Prerequisites,
  parts: AppParts,
  page: MountedPage | undefined,
): Promise<WebhookServer> {
  const { environment, logger, log, sandbox } = prerequisites;
  const { host, port, webhookSecret: secret } = environment;
  const receive = dispatcher({
    ...environment,
    secret,
    log: logger,
    receive: (each) => parts.receiver.receive(each),
  });
  return startWebhookServer({
    host,
    port,
    secret,
    receive,
    health: () => ({ ok: true, sandbox: sandbox.kind, last_sweep: parts.sweeper.lastSweep }),
    other: async (request, response) => (await page?.handle(request, response)) ?? false,
    onFault: (fault, { id, name }) => {
      log.warn(`could not take in ${name} ${id}: ${messageOf(fault)}`);
      parts.sweeper.hurry();
    },
  });
}

function engineOf({ environment, log, clock, instance, sandbox }: Prerequisites): LocalEngine {
  const { agentEnvironment, privateKey, webhookSecret, pageToken } = environment;
  const secrets = [privateKey, webhookSecret, pageToken ?? '', ...secretsIn(agentEnvironment)];
  const kit = { workRoot: workRoot(environment), sandbox, adapters, secrets, environment: agentEnvironment };
  const services: AttemptServices = {
    log,
    clock,
    nextHolder: () => instance.nextHolder(),
    tools: (mirror) => ({ ...kit, mirror }),
  };
  return new LocalEngine(services, environment.concurrency);
}

/** First nobody new comes in, then what is at work is given back, then all of it is written down. */
async function close({ instance }: Prerequisites, parts: AppParts, server: WebhookServer): Promise<void> {
  await server.close();
  await parts.sweeper.stop();
  parts.timers.stop();
  await parts.engine.stop();
  await parts.liveRuns.close();
  await instance.leave();
}

function workRoot({ data }: AppEnvironment): string {
  return join(data, 'work');
}

function logOf(logger: Logger): Log {
  return {
    debug: (message) => logger.debug(message),
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
    error: (message) => logger.error(message),
  };
}
