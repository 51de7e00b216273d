import { type Logger, pino } from 'pino';
import { SmeeClient } from 'smee-client';
import { type App, startApp } from '../app/app.ts';
import { stopMs, stoppedEarly } from '../app/environment/app-settings.ts';
import { readEnvironment } from '../app/environment/environment.ts';
import { settings } from '../app/environment/variables.ts';
import { endsWithin, webhookPath } from '../app/webhook-server.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { awaitInterruption } from './terminal/exit.ts';
import { letProgramsRead, ownEnvironment } from './terminal/own-environment.ts';

/** Runs the App until SIGINT or SIGTERM. */
export const serve: CommandFile = {
  about: 'Runs the App. It reads the environment, or `.env` in this folder, where these can be set.',
  more: settings.map(({ names, about }) => [names.join(', '), about] as const),
  examples: { serve: 'until Ctrl-C', doctor: 'what keeps it from working' },
  run: serveUntilStopped,
};

async function serveUntilStopped(): Promise<number> {
  letProgramsRead();
  const environment = readEnvironment(ownEnvironment());
  const logger = pino({ level: environment.logLevel });
  for (const name of environment.unknownVariables)
    logger.warn(`${name} is set, but is no setting of Coxswain; \`coxswain serve --help\` lists them`);
  const app = await startApp(environment, logger);
  const interruption = awaitInterruption();
  const proxy = followProxy(environment.webhookProxyUrl, app.url, logger);
  tellWhere(app, logger);
  await interruption.signal;
  logger.info('stopping');
  if (await endsWithin(stopMs, Promise.all([proxy.close(), app.stop()]))) {
    setTimeout(() => process.exit(0), answersMs).unref();
    return 0;
  }
  logger.warn(stoppedEarly);
  // Whatever still waits would keep the process alive.
  process.exit(0);
}

function tellWhere({ url, pageFile, pageUrl }: App, logger: Logger): void {
  logger.info(`listening on ${url}`);
  if (pageFile !== null) logger.info(`the page's address with its key is in ${pageFile}`);
  if (pageUrl !== null && process.stderr.isTTY) process.stderr.write(`The page: ${pageUrl}\n`);
}

/**
 * How long answers of models are still read, to learn what they cost, in milliseconds. One that takes longer
 * counts by what was expected of it.
 */
const answersMs = 3_000;

/**
 * Forwards webhooks from a smee channel to our own server, which checks their signatures as usual. A channel
 * that cannot be reached is tried again and again: until then the sweep finds what was missed.
 */
export function followProxy(
  source: string | null,
  appUrl: string,
  logger: Logger,
): { close(): Promise<void> } {
  if (source === null) return { close: async () => undefined };
  const smee = new SmeeClient({ source, target: `${appUrl}${webhookPath}`, logger });
  smee.start().then(
    () => logger.info(`receiving webhooks from ${source}`),
    () => logger.error(`WEBHOOK_PROXY_URL is ${source}, which cannot be reached; it is tried again`),
  );
  return { close: () => smee.stop() };
}
