import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startApp } from '../app/app.ts';
import { readEnvironment } from '../app/environment.ts';
import { followProxy } from '../app/proxy.ts';

const help = `Runs the App. It listens on 127.0.0.1:3000 unless HOST and PORT say otherwise.

  APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, WEBHOOK_SECRET   from \`coxswain setup\`, or your App's settings
  GHE_HOST, GHE_PROTOCOL     another GitHub than github.com
  WEBHOOK_PROXY_URL          a smee.io channel, where GitHub cannot reach this machine
  LOG_LEVEL                  info
  COXSWAIN_DATA              .coxswain: mirrors and worktrees; may be thrown away while the App is down
  COXSWAIN_CONCURRENCY       4: attempts at once
  COXSWAIN_SWEEP_EVERY       5m: how often what was missed is made good
  COXSWAIN_DRAW_AFTER        3s: how long work must last to be shown while it goes on; 0 shows all of it
  COXSWAIN_WRITE_LIMITS      github; off where GitHub counts no writes, as an Enterprise Server may be set up
  COXSWAIN_SANDBOX           required; preferred or off run agents with your own rights
  COXSWAIN_AGENT_ENV         names of variables that agents get, such as that of a model's key; verifiers do not
  COXSWAIN_ENGINE            local, the only one in this version
  COXSWAIN_PAGE_TOKEN        a GitHub user's token: turns the page on, which speaks in that person's name
`;

/** `coxswain serve`: the App until it is told to stop. */
export async function serve(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { help: { type: 'boolean', default: false } } });
  if (values.help) {
    process.stderr.write(help);
    return 0;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  const environment = readEnvironment(process.env);
  const logger = pino({ level: environment.logLevel });
  const app = await startApp(environment, logger);
  logger.info(`listening on ${app.url}`);
  if (app.pageUrl !== null) logger.info(`the page is at ${app.pageUrl}`);
  const proxy = await followProxy(environment.webhookProxyUrl, app.url, logger);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  logger.info('stopping');
  await proxy.close();
  await app.stop();
  return 0;
}
