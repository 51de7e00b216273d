import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startApp } from '../app/app.ts';
import { readEnvironment } from '../app/environment.ts';
import { endsWithin } from '../app/in-time.ts';
import { followProxy } from '../app/proxy.ts';
import { stopMs, stoppedEarly } from '../app/settings.ts';
import { awaitInterruption } from './interruption.ts';
import { ownEnvironment } from './own-environment.ts';
import { letProgramsRead } from './own-umask.ts';

const help = `Runs the App. It listens on 127.0.0.1:3000; HOST and PORT change that.

  APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, WEBHOOK_SECRET   from \`coxswain setup\`, or your App's settings
  COXSWAIN_LEDGER_KEY        from \`coxswain setup\` or \`coxswain key\`: proves what the App wrote; runs from
                             before the App had one are sealed with \`coxswain seal\`
  GHE_HOST, GHE_PROTOCOL     a GitHub Enterprise Server instead of github.com
  WEBHOOK_PROXY_URL          a smee.io channel, if GitHub cannot reach this machine
  LOG_LEVEL                  default: info
  COXSWAIN_DATA              folder for mirrors and worktrees, safe to delete while the App is down
                             (default: .coxswain)
  COXSWAIN_CONCURRENCY       attempts at the same time (default: 4)
  COXSWAIN_SWEEP_EVERY       how often to look for missed events (default: 5m)
  COXSWAIN_RENDER_AFTER      how long a phase must last before it is rendered (default: 3s); 0 renders every phase
  COXSWAIN_WRITE_LIMITS      github, or off where GitHub has no rate limits (default: github)
  COXSWAIN_SANDBOX           required, preferred or off (default: required); without a sandbox,
                             agents run with your own permissions
  COXSWAIN_SANDBOX_READABLE  paths that programs may read besides the system and its toolchains, with commas
  COXSWAIN_SANDBOX_USER      whom programs run as if the App is root (default: a user that nobody else is)
  ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN, ANTHROPIC_AUTH_TOKEN, OPENAI_API_KEY, GEMINI_API_KEY,
  GOOGLE_API_KEY             keys of models; agents reach these models, and never see the keys
  COXSWAIN_MODEL_URL         a gateway that answers for all of these providers
  COXSWAIN_MODEL_HOSTS       more hosts of models, with the variables of their keys (docs/sandbox.md)
  COXSWAIN_AGENT_ENV         names of variables to pass to agents, never to verifiers, and none with a secret
  COXSWAIN_OPERATOR_FILE     what repositories may ask for, as YAML (docs/operator.md)
  COXSWAIN_ENGINE            local, the only one in this version
  COXSWAIN_PAGE_TOKEN        a GitHub user's token: enables the page, which acts as that user; its address
                             with the key is in \`page-address\` in the data folder, not in the log
  COXSWAIN_PAGE_URL          where people open the page if not where the App listens, such as
                             https://coxswain.example.org; check runs then lead to the page
`;

/** `coxswain serve`: runs the App until SIGINT or SIGTERM. */
export async function serve(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { help: { type: 'boolean', default: false } } });
  if (values.help) {
    process.stderr.write(help);
    return 0;
  }
  letProgramsRead();
  const environment = readEnvironment(ownEnvironment());
  const logger = pino({ level: environment.logLevel });
  const app = await startApp(environment, logger);
  const interruption = awaitInterruption();
  logger.info(`listening on ${app.url}`);
  if (app.pageFile !== null) logger.info(`the page's address with its key is in ${app.pageFile}`);
  if (app.pageUrl !== null && process.stderr.isTTY) process.stderr.write(`The page: ${app.pageUrl}\n`);
  const proxy = await followProxy(environment.webhookProxyUrl, app.url, logger);
  await interruption.signal;
  logger.info('stopping');
  await proxy.close();
  if (await endsWithin(stopMs, app.stop())) {
    setTimeout(() => process.exit(0), answersMs).unref();
    return 0;
  }
  logger.warn(stoppedEarly);
  // Whatever still waits would keep the process alive.
  process.exit(0);
}

/**
 * How long answers of models are still read, to learn what they cost, in milliseconds. One that takes longer
 * counts by what was expected of it.
 */
const answersMs = 3_000;
