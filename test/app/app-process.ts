import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { inject } from 'vitest';
import { hasBubblewrap } from '../setup/machine.ts';
import { eventually } from './eventually.ts';

/** `coxswain serve` in its own process, as an operator runs it. */
export interface AppProcess {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  /** Everything printed so far. */
  output(): string;
  /** ISO 8601. */
  readonly launchedAt: string;
  hasEnded(): boolean;
  /** The log lines at level warn or above, but those on this machine, and any output that is not a log line. */
  warnings(): readonly string[];
  /** SIGKILL by default: no cleanup; child processes survive. */
  kill(signal?: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
  /** SIGTERM, as `docker stop` does. Returns the exit code. */
  stop(): Promise<number | null>;
}

export type Variables = Readonly<Record<string, string>>;

/** Starts the App and waits until it listens; throws with its output if it exits instead. */
export async function startAppProcess(
  variables: Variables,
  onLaunch: (app: Launched) => void = () => undefined,
): Promise<AppProcess> {
  const app = launch(variables);
  onLaunch(app);
  const url = await eventually(
    'the App to listen',
    () => {
      // A disturbance can end it before we look: it did listen all the same.
      const ended = app.hasEnded();
      const found = /listening on (http:\/\/[\d.:]+)/.exec(app.output())?.[1];
      if (ended && found === undefined)
        throw new Error(`the App exited instead of listening:\n${app.output()}`);
      return found;
    },
    { instead: app.output },
  );
  return { ...app, url };
}

/** Runs `coxswain serve` and expects it to exit with an error. */
export async function failedStart(variables: Variables): Promise<{ code: number | null; output: string }> {
  const app = launch(variables);
  await eventually('the App to refuse to start', () => (app.hasEnded() ? true : undefined), {
    instead: app.output,
  }).finally(() => app.kill());
  return { code: await app.ended, output: app.output() };
}

/** The process, which may not be listening yet. */
export type Launched = Omit<AppProcess, 'url'>;

function launch(variables: Variables): Launched {
  const { home = tmpdir(), program = inject('app') } = variables;
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: home,
    env: environmentFor(variables),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const launchedAt = new Date().toISOString();
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => chunks.push(String(text)));
  const output = () => chunks.join('');
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    launchedAt,
    output,
    warnings: () => output().split('\n').filter(isWarning),
    ended,
    hasEnded: () => hasExited(child),
    kill: (signal = 'SIGKILL') => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      await eventually('the App to stop', () => (hasExited(child) ? true : undefined), { instead: output });
      return ended;
    },
  };
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** pino's level 40 is a warning, 50 an error. */
function isWarning(line: string): boolean {
  if (aboutThisMachine.test(line)) return false;
  return /^\{"level":[456]0/.test(line) || (line !== '' && !line.startsWith('{'));
}

/** What the App says at its start of the machine that happens to run the tests. */
const aboutThisMachine = new RegExp(
  `"msg":"(?:${[
    ...['memory is only watched', 'cgroup v2 does not bound', 'Coxswain runs as root'],
    ...(hasBubblewrap ? [] : ['no sandbox: ']),
  ].join('|')})`,
);

/** Only the variables an operator would set, and PATH: nothing else from this machine. */
function environmentFor({
  home = tmpdir(),
  program: _,
  PATH = process.env['PATH'] ?? '',
  ...rest
}: Variables) {
  const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return { HOME: home, TMPDIR: tmpdir(), PATH, ...git, LANG: 'C', ...rest };
}

/**
 * A free port below the ephemeral range, which begins at 32768. The App listens on the same port again after a
 * restart, so the system must not assign it to another process in between.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + randomInt(20_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
