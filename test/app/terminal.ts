import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { AppFixture } from './app-fixture.ts';

/** How a command ended, and what it printed. */
export interface Printed {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Terminal {
  readonly home: string;
  /** Runs `coxswain` with these arguments, as a person does. */
  run(args: readonly string[], options?: RunChoice): Promise<Printed>;
  /** Starts it; `said` is what it has printed so far on either stream. */
  start(args: readonly string[], options?: RunChoice): Running;
}

interface RunChoice {
  /** By default a folder that is no clone. */
  readonly cwd?: string;
  /** What it reads on stdin. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Running {
  said(): string;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Printed>;
}

/** The terminal of somebody on this forge, with an empty home. */
export function terminalOf(
  { forge, variables }: Pick<AppFixture, 'forge' | 'variables'>,
  { token }: { readonly token: string },
): Terminal {
  const home = mkdtempSync(join(variables['home'] ?? tmpdir(), 'terminal-'));
  const start = (args: readonly string[], { env = {}, cwd = home, input }: RunChoice = {}): Running => {
    const child = spawn(process.execPath, [inject('app'), ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TMPDIR: home,
        GH_HOST: new URL(forge.url).host,
        GH_ENTERPRISE_TOKEN: token,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input);
    const printed = { out: '', err: '' };
    child.stdout.on('data', (text) => {
      printed.out += String(text);
    });
    child.stderr.on('data', (text) => {
      printed.err += String(text);
    });
    return {
      said: () => printed.out + printed.err,
      signal: (signal) => void child.kill(signal),
      ended: once(child, 'close').then(() => ({ code: child.exitCode, ...printed })),
    };
  };
  return { home, start, run: (args, options) => start(args, options).ended };
}
