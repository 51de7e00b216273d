import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Setup, type SetupOptions, startSetup } from '../../../src/cli/set-up.ts';

export const secrets = {
  pem: '-----BEGIN RSA PRIVATE KEY-----\nthe-key\n-----END RSA PRIVATE KEY-----\n',
  webhook_secret: 'the-webhook-secret',
  client_secret: 'the-client-secret',
};

const app = {
  id: 4711,
  slug: 'coxswain-of-ada',
  client_id: 'Iv23liTheClient',
  html_url: 'https://github.example/apps/coxswain-of-ada',
  owner: { login: 'ada', type: 'User' },
  ...secrets,
};

interface StandIn {
  readonly url: string;
  /** Method and path of every request. */
  readonly requests: string[];
  /** The response to the next requests. */
  answer: { status: number; body: object };
}

/** The one endpoint of GitHub that setup calls. */
export async function startStandIn(): Promise<StandIn> {
  const standIn: StandIn = { url: '', requests: [], answer: { status: 201, body: app } };
  const server = createServer(({ method, url }, response) => {
    standIn.requests.push(`${method} ${url}`);
    response.writeHead(standIn.answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(standIn.answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return Object.assign(standIn, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-setup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a setup in its own folder, against the stand-in. */
export async function open(options: Partial<SetupOptions> & { folder?: string } = {}) {
  const folder = options.folder ?? (await temporaryFolder());
  const github = await startStandIn();
  const setup = await startSetup({
    githubUrl: 'https://github.example',
    apiUrl: github.url,
    out: join(folder, '.env'),
    keyPath: join(folder, 'key.pem'),
    appYml: 'app.yml',
    ...options,
  });
  onTestFinished(() => setup.stop());
  return { setup, github, folder, ...addressOf(setup) };
}

function addressOf({ url }: Setup) {
  const { origin, searchParams } = new URL(url);
  return { origin, key: searchParams.get('key') ?? '' };
}

interface Typed {
  readonly name?: string;
  readonly organization?: string;
  readonly webhook?: string;
  readonly delivery?: string;
  readonly page?: string;
}

/** The address that the browser requests when the person presses Continue. */
export function reviewUrl({ origin, key }: { origin: string; key: string }, typed: Typed = {}): string {
  const fields = {
    key,
    name: 'Coxswain of Ada',
    organization: '',
    webhook: 'https://coxswain.example',
    delivery: 'direct',
    page: '',
    ...typed,
  };
  return `${origin}/review?${new URLSearchParams(fields)}`;
}

/** The form that is sent to GitHub: its address, manifest and state. */
export async function githubForm(page: { origin: string; key: string }, typed: Typed = {}) {
  const html = await (await fetch(reviewUrl(page, typed))).text();
  const action = unescaped(/<form class="card" action="([^"]+)" method="post">/.exec(html)?.[1] ?? '');
  const manifest = JSON.parse(unescaped(/name="manifest" value="([^"]+)"/.exec(html)?.[1] ?? 'null'));
  return { action, manifest, state: new URL(action).searchParams.get('state') ?? '' };
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Sends a request that `fetch` does not allow. */
export async function statusOf(url: string, options: { method?: string; host?: string }): Promise<number> {
  const { host, method = 'GET' } = options;
  const sent = request(url, { method, ...(host === undefined ? {} : { headers: { host } }) }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}
