import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  startWebhookServer,
  type WebhookServer,
  type WebhookServerOptions,
  webhookPath,
} from '../../src/app/webhook-server.ts';
import type { Delivery } from '../../src/github/events/delivery.ts';

/** What comes in over HTTP, and what is answered. */
const secret = 'only GitHub and we know';
let server: WebhookServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface Heard {
  readonly received: Delivery[];
  readonly faults: string[];
}

async function open(options: Partial<WebhookServerOptions> = {}): Promise<Heard> {
  const received: Delivery[] = [];
  const faults: string[] = [];
  server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    secret,
    receive: async (delivery) => void received.push(delivery),
    health: () => ({ ok: true }),
    onFault: (fault, { id }) => void faults.push(`${id}: ${fault}`),
    ...options,
  });
  return { received, faults };
}

const labeled = JSON.stringify({
  action: 'labeled',
  label: { name: 'coxswain' },
  issue: { number: 1, title: 't', body: '', state: 'open', labels: [], updated_at: '2026-01-01T00:00:00Z' },
  repository: {
    id: 1,
    name: 'widgets',
    owner: { login: 'acme' },
    default_branch: 'main',
    clone_url: 'https://github.example/acme/widgets.git',
    private: false,
  },
  sender: { login: 'ada', type: 'User' },
  installation: { id: 7 },
});

function deliver(body: string, headers: Record<string, string> = {}, method = 'POST') {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const all = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-delivery': 'a-delivery',
    'x-hub-signature-256': signature,
    ...headers,
  };
  const content = method === 'GET' ? {} : { body };
  return fetch(`${server?.url}${webhookPath}`, { method, headers: all, ...content });
}

async function answerTo(asked: Promise<Response>): Promise<readonly [number, string]> {
  const response = await asked;
  // Our own answers, all with a message.
  const { message } = (await response.json()) as { message: string };
  return [response.status, message];
}

describe('a delivery', () => {
  test('that is remembered is a 200', async () => {
    const { received } = await open();
    expect(await answerTo(deliver(labeled))).toEqual([200, 'recorded']);
    expect(received).toEqual([{ id: 'a-delivery', name: 'issues', payload: JSON.parse(labeled) }]);
  });

  test('that does not concern us is a 200 at once, and nobody hears of it', async () => {
    const { received } = await open();
    const opened = labeled.replace('"labeled"', '"opened"');
    expect(await answerTo(deliver(opened))).toEqual([200, 'ignored']);
    expect(await answerTo(deliver(labeled, { 'x-github-event': 'star' }))).toEqual([200, 'ignored']);
    expect(received).toEqual([]);
  });

  test('that takes longer than our patience is a 202', async () => {
    let remember: () => void = () => undefined;
    const receive = () => new Promise<void>((resolve) => (remember = resolve));
    await open({ receive, responseTimeoutMs: 20 });
    expect(await answerTo(deliver(labeled))).toEqual([202, 'still being recorded']);
    remember();
  });

  test('that fails is a 503, so that the sweep brings it back', async () => {
    const { faults } = await open({ receive: () => Promise.reject(new Error('the disk is full')) });
    const answer = await answerTo(deliver(labeled));
    expect(answer).toEqual([503, 'not recorded; it will be retried']);
    expect(faults).toEqual(['a-delivery: Error: the disk is full']);
  });

  test('that fails after our patience is told all the same', async () => {
    let fail: (fault: Error) => void = () => undefined;
    const receive = () => new Promise<void>((_, reject) => (fail = reject));
    const { faults } = await open({ receive, responseTimeoutMs: 20 });
    expect((await deliver(labeled)).status).toBe(202);
    fail(new Error('too late'));
    await expect.poll(() => faults).toEqual(['a-delivery: Error: too late']);
  });

  test('without a signature, or with a wrong one, is a 401', async () => {
    const { received } = await open();
    const wrong = [401, 'the signature does not match the webhook secret'];
    expect(await answerTo(deliver(labeled, { 'x-hub-signature-256': '' }))).toEqual(wrong);
    expect(await answerTo(deliver(labeled, { 'x-hub-signature-256': 'sha256=00' }))).toEqual(wrong);
    const sha1 = createHmac('sha1', secret).update(labeled).digest('hex');
    expect(await answerTo(deliver(labeled, { 'x-hub-signature-256': `sha1=${sha1}` }))).toEqual(wrong);
    expect(received).toEqual([]);
  });

  test('by another method is a 405, as a form a 415, and broken JSON a 400', async () => {
    await open();
    expect((await deliver(labeled, {}, 'GET')).status).toBe(405);
    expect((await deliver(labeled, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(
      415,
    );
    expect((await deliver('{"action":"labeled"')).status).toBe(400);
  });
});

describe('a body that is too large', () => {
  const maxBytes = 25 * 1024 * 1024;

  test('is a 413 as soon as it is announced', async () => {
    await open();
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': String(maxBytes + 1) };
      const asking = request(`${server?.url}${webhookPath}`, { method: 'POST', headers });
      asking.on('response', ({ statusCode }) => resolve(statusCode));
      asking.on('error', reject);
      asking.flushHeaders();
    });
    expect(answer).toBe(413);
  });

  test('is a 413 when more comes than is read', async () => {
    await open();
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const asking = request(`${server?.url}${webhookPath}`, { method: 'POST', headers });
      asking.on('response', ({ statusCode }) => resolve(statusCode));
      asking.on('error', reject);
      asking.write(Buffer.alloc(maxBytes + 1));
    });
    expect(answer).toBe(413);
  });
});

describe('everything else', () => {
  test('healthz says how it is, with 503 when it is not well', async () => {
    const health = { ok: true, last_sweep: null };
    await open({ health: () => health });
    const well = await fetch(`${server?.url}/healthz`);
    expect([well.status, await well.json()]).toEqual([200, { ok: true, last_sweep: null }]);
    health.ok = false;
    expect((await fetch(`${server?.url}/healthz`)).status).toBe(503);
  });

  test('is a 404, unless it is the page', async () => {
    await open({
      other: async ({ url }, response) => {
        if (url === '/') response.end('the page');
        return url === '/';
      },
    });
    expect(await (await fetch(`${server?.url}/`)).text()).toBe('the page');
    expect((await fetch(`${server?.url}/elsewhere`)).status).toBe(404);
  });

  test('a fault of the page is a 500, and the door stays open', async () => {
    await open({ other: () => Promise.reject(new Error('the page is torn')) });
    expect(await answerTo(fetch(`${server?.url}/`))).toEqual([500, 'the page is torn']);
    expect((await deliver(labeled)).status).toBe(200);
  });

  test('a port in use is told with what to do', async () => {
    await open();
    const port = Number(new URL(server?.url ?? '').port);
    await expect(open({ port })).rejects.toThrow(/the port is in use; set PORT to another/);
  });
});

test('closing waits for what is under way, and for nothing else', async () => {
  let remember: (() => void) | undefined;
  await open({ receive: () => new Promise<void>((resolve) => (remember = resolve)) });
  const answer = deliver(labeled);
  await expect.poll(() => remember).toBeDefined();
  const closing = server?.close();
  await expect(fetch(`${server?.url}/healthz`)).rejects.toThrow();
  remember?.();
  expect((await answer).status).toBe(200);
  await closing;
  server = undefined;
});
