import { parseArgs } from 'node:util';
import { awaitInterruption, exitCodeFor, type Interruption } from '../interruption.ts';
import { TimedOut } from './eventually.ts';
import { readOutcome } from './outcome.ts';
import { ProgressLine } from './progress-line.ts';
import { playSession } from './session.ts';
import { type Demo, startDemo } from './start.ts';

const help = `Coxswain on your own machine: a small GitHub, the App, a scripted agent, and a page to steer it.

  npm start                                starts everything and waits for you
  npm start -- --headless                  plays one session by itself and prints what happens
  npm start --silent -- --headless --json  the same, with one JSON document on stdout

  --port <number>       port of the page (default: 3000, or any free port with --headless)
  --log-level <level>   level of the App's log on stderr (default: warn)
`;

interface Arguments {
  readonly headless: boolean;
  readonly json: boolean;
  readonly port: number;
  readonly logLevel: string;
}

/** Runs the demo; the number is the exit code. */
export async function runDemo(argv: readonly string[]): Promise<number> {
  const parsed = readArguments(argv);
  if (typeof parsed === 'string') {
    process.stderr.write(parsed);
    return parsed === help ? 0 : 2;
  }
  // Before anything is created that an interruption would leave behind.
  const interruption = awaitInterruption();
  try {
    return await runUntilDone(parsed, interruption);
  } finally {
    interruption.stopListening();
  }
}

async function runUntilDone(parsed: Arguments, interruption: Interruption): Promise<number> {
  const demo = await startDemo(parsed);
  try {
    if (!parsed.headless) return await wait(demo, interruption);
    return await Promise.race([interruption.signal.then(exitCodeFor), play(demo, parsed)]);
  } finally {
    await demo.close();
  }
}

function readArguments(argv: readonly string[]): Arguments | string {
  const options = {
    headless: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    port: { type: 'string' },
    'log-level': { type: 'string', default: 'warn' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...argv], options });
    if (values.help) return help;
    const port = values.port ?? (values.headless ? '0' : '3000');
    if (!/^\d+$/.test(port))
      return `--port is ${JSON.stringify(port)}: expected a number, as in --port 3000\n`;
    return {
      headless: values.headless,
      json: values.json,
      port: Number(port),
      logLevel: values['log-level'],
    };
  } catch (cause) {
    return `${cause instanceof Error ? cause.message : String(cause)}\n\n${help}`;
  }
}

async function play(demo: Demo, { json }: Arguments): Promise<number> {
  const line = new ProgressLine(demo.app.progress, json ? process.stderr : process.stdout);
  const print = (text: string) => line.print(text);
  const began = performance.now();
  try {
    const number = await playSession(demo, print);
    const outcome = await readOutcome(demo, number, performance.now() - began);
    const { total, writes } = outcome.requests;
    print(
      `${outcome.ledger.commits} commits in ${outcome.ledger.ref}; ${total} requests to GitHub, ${writes} of them writes`,
    );
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

async function wait(demo: Demo, { signal }: Interruption): Promise<number> {
  process.stdout.write(
    `Open ${demo.app.pageUrl}\n\nLabel the issue there, steer the draft pull request, approve it. Ctrl-C ends.\n`,
  );
  const line = new ProgressLine(demo.app.progress, process.stdout);
  await signal;
  line.close();
  return 0;
}
