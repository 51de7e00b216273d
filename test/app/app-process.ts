import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { inject } from 'vitest';
import { eventually } from './eventually.ts';

/** `coxswain serve` in a process of its own, as an operator runs it. */
export interface AppProcess {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  /** Everything it printed so far. */
  output(): string;
  /** ISO 8601. */
  readonly launchedAt: string;
  hasEnded(): boolean;
  /** What it logged as a warning or worse. */
  complaints(): readonly string[];
  /** SIGKILL: nothing is written down, nobody is told. Its children stay. */
  kill(): void;
  readonly ended: Promise<number | null>;
  /** SIGTERM, as `docker stop` does. Answers with the exit code. */
  stop(): Promise<number | null>;
}

export type Variables = Readonly<Record<string, string>>;

/** Starts the App and waits until it listens. Throws with its output when it ends instead. */
export async function startAppProcess(
  variables: Variables,
  onLaunch: (app: Launched) => void = () => undefined,
): Promise<AppProcess> {
  const app = launch(variables);
  onLaunch(app);
  const url = await eventually(
    'the App to listen',
    () => {
      if (app.hasEnded()) throw new Error(`the App ended instead of listening:\n${app.output()}`);
      return /listening on (http:\/\/[\d.:]+)/.exec(app.output())?.[1];
    },
    { instead: app.output },
  );
  return { ...app, url };
}

/** Runs `coxswain serve` where it is expected to refuse. */
export async function refusedStart(variables: Variables): Promise<{ code: number | null; output: string }> {
  const app = launch(variables);
  await eventually('the App to refuse to start', () => (app.hasEnded() ? true : undefined), {
    instead: app.output,
  }).finally(() => app.kill());
  return { code: await app.ended, output: app.output() };
}

/** The process, whether or not it listens yet. */
export type Launched = Omit<AppProcess, 'url'>;

function launch(variables: Variables): Launched {
  const { home = tmpdir() } = variables;
  const child = spawn(process.execPath, [inject('app'), 'serve'], {
    cwd: home,
    env: environmentFor(variables),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const launchedAt = new Date().toISOString();
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(String(text)));
  const output = () => said.join('');
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    launchedAt,
    output,
    complaints: () => output().split('\n').filter(isComplaint),
    ended,
    hasEnded: () => hasExited(child),
    kill: () => void child.kill('SIGKILL'),
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

/** pino writes 40 for a warning, 50 for an error. */
function isComplaint(line: string): boolean {
  return /^\{"level":[456]0/.test(line) || (line !== '' && !line.startsWith('{'));
}

/** Only what an operator would set, and where programs are found: nothing of this machine's. */
function environmentFor({ home = tmpdir(), PATH = process.env['PATH'] ?? '', ...rest }: Variables) {
  const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return { HOME: home, TMPDIR: tmpdir(), PATH, ...git, LANG: 'C', ...rest };
}

/**
 * A port that nobody uses now. The App keeps it over restarts, as an address that GitHub knows, so it is none
 * of those that are given to whoever asks for any: these begin at 32768.
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
