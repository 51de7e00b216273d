import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { defined } from '../config/schema/schema-forms.ts';
import { nextSteps, refuseExisting, type SetupResult, type SetupTargets } from './setup/registration.ts';
import { readAppYml, type SetupForm } from './setup/setup-form.ts';
import { handleRequest, maxPending, newToken, type SetupSession } from './setup/setup-server.ts';
import { type CommandFile, portOption } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';

export const setUp: CommandFile<Options> = {
  about:
    'Registers your own App on GitHub: serves a page on this machine that sends the manifest to GitHub, and ' +
    "saves the App's settings and key in files that only you can read.",
  takes: (command) =>
    command
      .option('--organization <name>', 'the organization that owns the App (default: your own account)')
      .option('--github-url <url>', 'a GitHub Enterprise Server (default: https://github.com)')
      .option('--out <file>', 'file for the settings (default: .env)')
      .option('--port <number>', 'port of the page (default: any free port)'),
  examples: { 'setup --organization acme': 'an App that belongs to acme' },
  run: register,
};

interface Options {
  readonly organization?: string;
  readonly githubUrl?: string;
  readonly out?: string;
  readonly port?: string;
}

async function register(values: Options): Promise<number> {
  const port = portOption(values.port);
  checkAddress(values.githubUrl);
  const setup = await startSetup({
    appYml: fileURLToPath(new URL('../../app.yml', import.meta.url)),
    ...defined({
      organization: values.organization,
      githubUrl: values.githubUrl,
      out: values.out,
      port,
    }),
  });
  process.stdout.write(`Open ${setup.url}\n`);
  return report(await setup.done);
}

/** Throws `UsageError` for what cannot be the address of a GitHub. */
function checkAddress(value = 'https://github.com'): void {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return;
  throw new UsageError(
    `--github-url is ${JSON.stringify(value)}: expected an address, as in --github-url https://github.example.org`,
  );
}

function report(result: SetupResult): number {
  switch (result.outcome) {
    case 'registered':
      process.stdout.write(`Registered ${result.slug} (APP_ID ${result.app_id}).\n${stepsOf(result)}`);
      return 0;
    case 'unsaved':
      process.stderr.write(
        `The App is registered, but its secrets could not be saved: ${result.problem}\nSee ${result.settings_url}\n`,
      );
      return 1;
    case 'expired':
      process.stderr.write('Setup was not finished in time; start it again.\n');
      return 1;
    case 'stopped':
      return 1;
  }
}

function stepsOf(result: Parameters<typeof nextSteps>[0]): string {
  const lines = nextSteps(result).map(({ text, run, open }, index) => {
    const what = run ?? open;
    return `${index + 1}. ${text}${what === undefined ? '.' : `: ${what}`}\n`;
  });
  return lines.join('');
}

export interface SetupOptions {
  /** `https://github.com` if it is absent, else an Enterprise Server. */
  readonly githubUrl?: string;
  /** GitHub's API if it is absent, or `/api/v3` of the Enterprise Server. */
  readonly apiUrl?: string;
  /** It listens on 127.0.0.1; 0 or absent takes any free port. */
  readonly port?: number;
  /** The file that gets the settings, `.env` if it is absent. */
  readonly out?: string;
  /** The file that gets the private key, `coxswain.private-key.pem` if it is absent. */
  readonly keyPath?: string;
  /** Where `app.yml` is, which says what the App asks for. */
  readonly appYml: string;
  /** Prefills the form; absent means the person's own account. */
  readonly organization?: string;
  /** After that time the page is closed; 15 minutes if it is absent. */
  readonly expiresAfterMinutes?: number;
}

export interface Setup {
  /** The page to open. It contains a key, so that other users of this machine cannot open it. */
  readonly url: string;
  /** How it ended; it never rejects. */
  readonly done: Promise<SetupResult>;
  stop(): void;
}

/**
 * Serves a page on loopback that registers an App on GitHub and saves its secrets in two files.
 * Throws `SetupRefused`, before anything else happens, if one of the files already exists.
 */
export async function startSetup(options: SetupOptions): Promise<Setup> {
  const targets = targetsOf(options);
  await refuseExisting([targets.envPath, targets.keyPath]);
  const app = await readAppYml(options.appYml);

  const server = createServer();
  const origin = await listen(server, options.port ?? 0);
  const { done, end } = completionOf(server, options.expiresAfterMinutes ?? 15);
  const key = newToken();
  const { organization = '' } = options;
  const pending = new LRUCache<string, SetupForm>({ max: maxPending });
  const session: SetupSession = { targets, app, organization, key, origin, pending, end };
  server.on('request', (request, response) => void handleRequest(request, response, session));
  return { url: `${origin}/?key=${key}`, done, stop: () => end({ outcome: 'stopped' }) };
}

function targetsOf(options: SetupOptions): SetupTargets {
  const githubUrl = withoutSlash(options.githubUrl ?? 'https://github.com');
  const isPublic = new URL(githubUrl).host === 'github.com';
  return {
    githubUrl,
    apiUrl: withoutSlash(options.apiUrl ?? (isPublic ? 'https://api.github.com' : `${githubUrl}/api/v3`)),
    envPath: resolve(options.out ?? '.env'),
    keyPath: resolve(options.keyPath ?? 'coxswain.private-key.pem'),
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

interface Completion {
  readonly done: Promise<SetupResult>;
  readonly end: (result: SetupResult) => void;
}

/** The page closes once: registered, stopped or expired. */
function completionOf(server: Server, minutes: number): Completion {
  let end: Completion['end'] = () => undefined;
  const done = new Promise<SetupResult>((resolve) => {
    const timer = setTimeout(() => end({ outcome: 'expired' }), minutes * 60_000);
    end = (result) => {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
      resolve(result);
    };
  });
  return { done, end: (result) => end(result) };
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(`could not listen on 127.0.0.1:${port}`, { cause });
  });
  // A TCP server's address is never a string.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
