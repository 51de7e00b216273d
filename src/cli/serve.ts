import { type Logger, pino } from 'pino';
import { type App, startApp } from '../app/app.ts';
import { readEnvironment } from '../app/environment/environment.ts';
import { settings } from '../app/environment/variables.ts';
import { endsWithin } from '../app/in-time.ts';
import { followProxy } from '../app/proxy.ts';
import { stopMs, stoppedEarly } from '../app/settings.ts';
import { readArguments } from './arguments.ts';
import { awaitInterruption } from './interruption.ts';
import { letProgramsRead, ownEnvironment } from './own-environment.ts';

/** The first column of the help, and how wide its lines are. */
const nameColumn = 29;
const width = 110;

const help = `Runs the App. It reads the environment, or .env in this folder, where these can be set:

${helpOf(settings)}`;

/** `coxswain serve`: runs the App until SIGINT or SIGTERM. */
export async function serve(argv: readonly string[]): Promise<number> {
  if (readArguments(argv, { help, options: {} }) === undefined) return 0;
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

/** Names and what they are for, in two columns; a name too long for the first has a line of its own. */
function helpOf(rows: readonly { readonly names: readonly string[]; readonly about: string }[]): string {
  return rows.map(({ names, about }) => rowOf(names, about)).join('');
}

function rowOf(names: readonly string[], about: string): string {
  const heads = wrapped(names.join(', '), width - 2).map((line) => `  ${line}`);
  const texts = wrapped(about, width - nameColumn).map((line) => `${' '.repeat(nameColumn)}${line}`);
  const last = heads.at(-1) ?? '';
  const [first = '', ...rest] = texts;
  const fits = last.length < nameColumn;
  const middle = fits ? [`${last.padEnd(nameColumn)}${first.trimStart()}`] : [last, first];
  return [...heads.slice(0, -1), ...middle, ...rest].map((line) => `${line}\n`).join('');
}

function wrapped(text: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= length) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
