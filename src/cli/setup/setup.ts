import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { refuseExisting } from './files.ts';
import { readAppYml } from './manifest.ts';
import type { Places } from './registration.ts';
import { answer, type Desk, newToken } from './setup-server.ts';

export interface SetupOptions {
  /** Default `https://github.com`; an Enterprise Server's address otherwise. */
  readonly githubUrl?: string;
  /** Default: GitHub's API, or `/api/v3` of the Enterprise Server. */
  readonly apiUrl?: string;
  /** On 127.0.0.1. Default 0: any that is free. */
  readonly port?: number;
  /** Where the settings go. Default `.env`. */
  readonly out?: string;
  /** Where the private key goes. Default `coxswain.private-key.pem`. */
  readonly keyPath?: string;
  /** The path of `app.yml`. */
  readonly appYml: string;
  /** Fills in the page's field; absent means the person's own account. */
  readonly organization?: string;
  /** Default 15. */
  readonly expiresAfterMinutes?: number;
}

export interface Setup {
  /** The page to open. It carries a key of its own: nobody else on this machine can use the page. */
  readonly url: string;
  /** Never rejects. */
  readonly done: Promise<SetupResult>;
  stop(): void;
}

export type SetupResult =
  | {
      readonly outcome: 'registered';
      readonly app_id: number;
      readonly slug: string;
      readonly install_url: string;
      readonly env_path: string;
      readonly key_path: string;
    }
  /** The App exists on GitHub, but its secrets could not be kept. `problem` says why and what to do. */
  | { readonly outcome: 'unsaved'; readonly problem: string; readonly settings_url: string }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'stopped' };

/**
 * Serves a page on loopback that registers an App on GitHub and keeps its secrets in two files.
 * Throws `SetupRefused` before anything happens when one of the files is there already.
 */
export async function startSetup(options: SetupOptions): Promise<Setup> {
  const places = placesOf(options);
  await refuseExisting([places.envPath, places.keyPath]);
  const app = await readAppYml(options.appYml);

  const server = createServer();
  const origin = await listen(server, options.port ?? 0);
  const { done, end } = ending(server, options.expiresAfterMinutes ?? 15);
  const key = newToken();
  const { organization = '' } = options;
  const desk: Desk = { places, app, organization, key, origin, pending: new Map(), end };
  server.on('request', (request, response) => void answer(request, response, desk));
  return { url: `${origin}/?key=${key}`, done, stop: () => end({ outcome: 'stopped' }) };
}

function placesOf(options: SetupOptions): Places {
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

interface Ending {
  readonly done: Promise<SetupResult>;
  readonly end: (result: SetupResult) => void;
}

/** The page ends once: registered, stopped, or after its time. */
function ending(server: Server, minutes: number): Ending {
  let end: Ending['end'] = () => undefined;
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
