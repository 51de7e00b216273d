import { parseArgs } from 'node:util';
import { awaitInterruption, exitCodeFor, type Interruption } from '../interruption.ts';
import { NotSeen } from './eventually.ts';
import { readOutcome } from './outcome.ts';
import { playSession } from './session.ts';
import { type Stage, setStage } from './stage.ts';

const help = `Coxswain on your own machine: a small GitHub, the App, a scripted agent, and a page to watch and steer on.

  npm start                                starts everything and waits for you
  npm start -- --headless                  plays one session by itself and prints what happens
  npm start --silent -- --headless --json  the same, with one JSON document on stdout

  --port <number>       port of the page (default: 3000, or any free port with --headless)
  --log-level <level>   level of the App's log on stderr (default: warn)
`;

interface DemoOptions {
  readonly headless: boolean;
  readonly json: boolean;
  readonly port: number;
  readonly logLevel: string;
}

/** Runs the demo; the number is the exit code. */
export async function runDemo(argv: readonly string[]): Promise<number> {
  const startOptions = readArguments(argv);
  if (typeof startOptions === 'string') {
    process.stderr.write(startOptions);
    return startOptions === help ? 0 : 2;
  }
  // Before anything is there that would be left behind.
  const interruption = awaitInterruption();
  try {
    return await onStage(startOptions, interruption);
  } finally {
    interruption.forget();
  }
}

async function onStage(startOptions: DemoOptions, interruption: Interruption): Promise<number> {
  const stage = await setStage(startOptions);
  try {
    if (!startOptions.headless) return await wait(stage, interruption);
    return await Promise.race([interruption.happens.then(exitCodeFor), play(stage, startOptions)]);
  } finally {
    await stage.close();
  }
}

function readArguments(argv: readonly string[]): DemoOptions | string {
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

async function play(stage: Stage, { json }: DemoOptions): Promise<number> {
  const tell = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
  const began = performance.now();
  try {
    const number = await playSession(stage, tell);
    const outcome = await readOutcome(stage, number, performance.now() - began);
    const { total, writes } = outcome.requests;
    tell(
      `${outcome.ledger.commits} commits in ${outcome.ledger.ref}; ${total} requests to GitHub, ${writes} of them writes`,
    );
    if (json) process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
    return 0;
  } catch (fault) {
    if (!(fault instanceof NotSeen)) throw fault;
    process.stderr.write(`${fault.message}\n`);
    return 1;
  }
}

async function wait(stage: Stage, { happens }: Interruption): Promise<number> {
  process.stdout.write(
    `Open ${stage.app.pageUrl}\n\nLabel the issue there, steer the draft pull request, approve it. Ctrl-C ends.\n`,
  );
  await happens;
  return 0;
}
