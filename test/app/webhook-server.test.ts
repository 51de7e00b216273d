import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  startWebhookServer,
  type WebhookServer,
  type WebhookServerOptions,
  webhookPath,
} from '../../src/app/webhook-server.ts';
import { type Delivery, noRuns } from '../../src/github/events/delivery.ts';

/** HTTP requests to the App and its responses. */
const secret = 'only GitHub and we know';
let server: WebhookServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface Received {
  readonly received: Delivery[];
  readonly faults: string[];
}

async function open(options: Partial<WebhookServerOptions> = {}): Promise<Received> {
  const received: Delivery[] = [];
  const faults: string[] = [];
  server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    secret,
    runs: () => noRuns,
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

async function answerTo(pending: Promise<Response>): Promise<readonly [number, string]> {
  const response = await pending;
  // Our own responses, which all have a message.
  const { message } = (await response.json()) as { message: string };
  return [response.status, message];
}

describe('a delivery', () => {
  test('that is recorded gets 200', async () => {
    const { received } = await open();
    expect(await answerTo(deliver(labeled))).toEqual([200, 'recorded']);
    expect(received).toEqual([{ id: 'a-delivery', name: 'issues', payload: JSON.parse(labeled) }]);
  });

  test('that is irrelevant gets 200 at once, and is not passed on', async () => {
    const { received } = await open();
    const opened = labeled.replace('"labeled"', '"opened"');
    expect(await answerTo(deliver(opened))).toEqual([200, 'ignored']);
    expect(await answerTo(deliver(labeled, { 'x-github-event': 'star' }))).toEqual([200, 'ignored']);
    expect(received).toEqual([]);
  });

  test('that takes longer than the response timeout gets 202', async () => {
    let finish: () => void = () => undefined;
    const receive = () => new Promise<void>((resolve) => (finish = resolve));
    await open({ receive, responseTimeoutMs: 20 });
    expect(await answerTo(deliver(labeled))).toEqual([202, 'still being recorded']);
    finish();
  });

  test('that fails gets 503, so that a sweep retries it', async () => {
    const { faults } = await open({ receive: () => Promise.reject(new Error('the disk is full')) });
    const answer = await answerTo(deliver(labeled));
    expect(answer).toEqual([503, 'not recorded; it will be retried']);
    expect(faults).toEqual(['a-delivery: Error: the disk is full']);
  });

  test('that fails after the response timeout is still reported', async () => {
    let fail: (fault: Error) => void = () => undefined;
    const receive = () => new Promise<void>((_, reject) => (fail = reject));
    const { faults } = await open({ receive, responseTimeoutMs: 20 });
    expect((await deliver(labeled)).status).toBe(202);
    fail(new Error('too late'));
    await expect.poll(() => faults).toEqual(['a-delivery: Error: too late']);
  });

  test('without a signature, or with a wrong one, gets 401', async () => {
    const { received } = await open();
    const wrong = [401, 'the signature does not match the webhook secret'];
    expect(await answerTo(deliver(labeled, { 'x-hub-signature-256': '' }))).toEqual(wrong);
    expect(await answerTo(deliver(labeled, { 'x-hub-signature-256': 'sha256=00' }))).toEqual(wrong);
    const sha1 = createHmac('sha1', secret).update(labeled).digest('hex');
    expect(await answerTo(deliver(labeled, { 'x-hub-signature-256': `sha1=${sha1}` }))).toEqual(wrong);
    expect(received).toEqual([]);
  });

  test('with another method gets 405, as a form 415, and with invalid JSON 400', async () => {
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
  const shaped = {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  };

  test('gets 413 as soon as it is announced', async () => {
    await open();
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...shaped, 'content-length': String(maxBytes + 1) };
      const posting = request(`${server?.url}${webhookPath}`, { method: 'POST', headers });
      posting.on('response', ({ statusCode }) => resolve(statusCode));
      posting.on('error', reject);
      posting.flushHeaders();
    });
    expect(answer).toBe(413);
  });

  test('gets 413 once it exceeds the limit', async () => {
    await open();
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...shaped, 'transfer-encoding': 'chunked' };
      const posting = request(`${server?.url}${webhookPath}`, { method: 'POST', headers });
      posting.on('response', ({ statusCode }) => resolve(statusCode));
      posting.on('error', reject);
      posting.write(Buffer.alloc(maxBytes + 1));
    });
    expect(answer).toBe(413);
  });
});

describe('everything else', () => {
  test('healthz reports the health, with 503 if unhealthy', async () => {
    const health = { ok: true, last_sweep: null };
    await open({ health: () => health });
    const healthy = await fetch(`${server?.url}/healthz`);
    expect([healthy.status, await healthy.json()]).toEqual([200, { ok: true, last_sweep: null }]);
    health.ok = false;
    expect((await fetch(`${server?.url}/healthz`)).status).toBe(503);
  });

  test('gets 404, unless it belongs to the page', async () => {
    await open({
      other: async ({ url }, response) => {
        if (url === '/') response.end('the page');
        return url === '/';
      },
    });
    expect(await (await fetch(`${server?.url}/`)).text()).toBe('the page');
    expect((await fetch(`${server?.url}/elsewhere`)).status).toBe(404);
  });

  test('an error in the page gets 500, and the server keeps running', async () => {
    await open({ other: () => Promise.reject(new Error('the page is broken')) });
    expect(await answerTo(fetch(`${server?.url}/`))).toEqual([500, 'the page is broken']);
    expect((await deliver(labeled)).status).toBe(200);
  });

  test('a port in use is reported with what to do', async () => {
    await open();
    const port = Number(new URL(server?.url ?? '').port);
    await expect(open({ port })).rejects.toThrow(/the port is in use; set PORT to another/);
  });
});

test('closing waits only for requests in progress', async () => {
  let finish: (() => void) | undefined;
  await open({ receive: () => new Promise<void>((resolve) => (finish = resolve)) });
  const answer = deliver(labeled);
  await expect.poll(() => finish).toBeDefined();
  const closing = server?.close();
  await expect(fetch(`${server?.url}/healthz`)).rejects.toThrow();
  finish?.();
  expect((await answer).status).toBe(200);
  await closing;
  server = undefined;
});
