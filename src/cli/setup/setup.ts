import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { refuseExisting, type SetupTargets } from './registration.ts';
import { readAppYml, type SetupForm } from './setup-form.ts';
import type { SetupResult } from './setup-result.ts';
import { handleRequest, maxPending, newToken, type SetupSession } from './setup-server.ts';

export interface SetupOptions {
  /** Default `https://github.com`; an Enterprise Server's address otherwise. */
  readonly githubUrl?: string;
  /** Default: GitHub's API, or `/api/v3` of the Enterprise Server. */
  readonly apiUrl?: string;
  /** On 127.0.0.1. Default 0: any free port. */
  readonly port?: number;
  /** File for the settings. Default `.env`. */
  readonly out?: string;
  /** File for the private key. Default `coxswain.private-key.pem`. */
  readonly keyPath?: string;
  /** The path of `app.yml`. */
  readonly appYml: string;
  /** Prefills the form; absent means the person's own account. */
  readonly organization?: string;
  /** Default 15. */
  readonly expiresAfterMinutes?: number;
}

export interface Setup {
  /** The page to open. It contains a key, so that other users of this machine cannot open it. */
  readonly url: string;
  /** Never rejects. */
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
