import { once } from 'node:events';
import { createServer } from 'node:net';
import { logLevel } from '../../app/environment/app-settings.ts';
import { EnvironmentError } from '../../app/environment/values.ts';
import { type CommandFile, nameOption, portOption } from '../terminal/command-file.ts';
import { awaitInterruption, exitCodeFor, type Interruption, UsageError } from '../terminal/exit.ts';
import { letProgramsRead } from '../terminal/own-environment.ts';
import { Conversation, ProgressLine } from './demo-output.ts';
import { aboutRepository, examineRepository, type OwnRepository } from './own-repository.ts';
import { plays, readOutcome, Session, TimedOut } from './played-session.ts';
import { type Demo, startDemo } from './start-demo.ts';
import { stories } from './stories/index.ts';

export const demo: CommandFile<Options> = {
  about:
    'Coxswain on your own machine: a small GitHub, the App, a scripted agent, and a page to steer it. ' +
    'In a clone of Coxswain, `npm start` is the same; what it takes comes after `--`.',
  takes: (command) =>
    command
      .option('--headless', 'play one story and print what happens')
      .option('--json', 'with --headless, one JSON document on stdout')
      .option(
        '--story <name>',
        'with --headless, the story that is played, up to its last approval (default: discount)',
      )
      .option('--repository <folder>', 'a copy of your own repository, to try its first run')
      .option('--port <number>', 'port of the page (default: 3000 if it is free, else any)')
      .option('--log-level <level>', "level of the App's log on stderr", 'error'),
  more: stories.map(({ name, summary }) => [name, summary] as const),
  examples: {
    demo: 'start everything, and wait for you',
    'demo --headless': 'play a story by itself; --story chooses one of these',
    'demo --headless --json': 'the same, for a program',
  },
  run: runDemo,
};

interface Options {
  readonly headless?: boolean;
  readonly json?: boolean;
  readonly story?: string;
  readonly repository?: string;
  readonly port?: string;
  readonly logLevel: string;
}

type Arguments = ReturnType<typeof argumentsIn>;

async function runDemo(options: Options): Promise<number> {
  const parsed = argumentsIn(options);
  letProgramsRead();
  // Before anything is created that an interruption would leave behind.
  const interruption = awaitInterruption();
  try {
    return await runUntilDone(parsed, interruption);
  } finally {
    interruption.stopListening();
  }
}

async function runUntilDone(parsed: Arguments, interruption: Interruption): Promise<number> {
  const { repository: path } = parsed;
  const repository = path === undefined ? undefined : await examineRepository(path);
  const port = parsed.port ?? (parsed.headless ? 0 : await freeOr(3000));
  const demo = await startDemo({ ...parsed, port, repository });
  try {
    if (!parsed.headless) return await wait(demo, interruption, repository);
    return await Promise.race([interruption.signal.then(exitCodeFor), play(demo, parsed)]);
  } finally {
    await demo.close();
  }
}

/** Takes the port if nothing listens there, else 0, which is any. */
async function freeOr(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  return await once(server, 'listening').then(
    async () => {
      server.close();
      await once(server, 'close');
      return port;
    },
    () => 0,
  );
}

/** Throws `UsageError`. */
function argumentsIn({
  headless = false,
  json = false,
  repository,
  story: chosen,
  port: given,
  logLevel: level,
}: Options) {
  if (json && !headless)
    throw new UsageError('--json is only for --headless, as in npm start --silent -- --headless --json');
  if (chosen !== undefined && !headless)
    throw new UsageError('--story is only for --headless: without it, the page offers all stories');
  if (repository !== undefined && headless)
    throw new UsageError(
      '--repository is not for --headless, which plays a story in a repository of its own',
    );
  const story = nameOption(
    '--story',
    chosen ?? 'discount',
    stories.map(({ name }) => name),
  );
  const port = portOption(given);
  return { headless, json, story, port, repository, logLevel: levelOption(level) };
}

function levelOption(value: string): string {
  try {
    return logLevel(value, '--log-level');
  } catch (fault) {
    throw fault instanceof EnvironmentError ? new UsageError(fault.message) : fault;
  }
}

async function play(demo: Demo, { json, story }: Arguments): Promise<number> {
  const line = new ProgressLine(demo.app.progress, json ? process.stderr : process.stdout);
  const print = (text: string) => line.print(text);
  const began = performance.now();
  try {
    const conversation = new Conversation(print);
    demo.listen((event) => conversation.hear(event));
    demo.notifications.listen(print);
    const repo = stories.find(({ name }) => name === story)?.repo ?? demo.repo;
    const session = new Session({ ...demo, repo });
    await plays[story](session);
    const { outcome, log } = await readOutcome({ ...demo, repo }, session.number, performance.now() - began);
    const { total, writes } = outcome.requests;
    const { ref, commits } = outcome.ledger;
    print(`${commits} commits in ${ref}; ${total} requests to GitHub, ${writes} of them writes\n`);
    print(`git log --reverse --format=%s ${ref}\n${log.join('\n').replace(/^/gm, '  ')}`);
    if (json) process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
    return 0;
  } catch (fault) {
    if (!(fault instanceof TimedOut)) throw fault;
    process.stderr.write(`${fault.message}\n`);
    return 1;
  } finally {
    line.close();
  }
}

async function wait(demo: Demo, { signal }: Interruption, own: OwnRepository | undefined): Promise<number> {
  process.stdout.write(`Open ${demo.app.pageUrl}

Seven stories, in any order or all at once; the page says what to try next:
${stories.map(({ repo, issue, title, summary }) => `  ${`${repo ?? ''}#${issue.number}`.padEnd(9)} ${title.padEnd(9)} ${summary}`).join('\n')}

${own ? `${aboutRepository(own, demo.forge.url)}\n` : ''}When a run waits for you, and when it ends, a notification is printed here, as Slack or Teams would show it.

In another terminal, in this folder, you are Ada, too:
  export GH_HOST=${new URL(demo.forge.url).host} GH_ENTERPRISE_TOKEN=${demo.people.ada} COXSWAIN_SERVER=${demo.app.url}
  npx coxswain inbox

Ctrl-C ends.
`);
  const line = new ProgressLine(demo.app.progress, process.stdout);
  demo.notifications.listen((text) => line.print(text));
  await signal;
  line.close();
  return 0;
}
