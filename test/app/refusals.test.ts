import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { failedStart, freePort, type Variables } from './app-process.ts';

/** The App rejects invalid deliveries, and does not start without its prerequisites. */
let fixture: AppFixture;
let variables: Variables;

beforeAll(async () => {
  fixture = await startAppFixture();
  variables = {
    ...fixture.variables,
    PORT: '0',
    COXSWAIN_DATA: join(fixture.variables['home'] ?? '', 'other'),
  };
});

afterAll(() => expectCleanEnd(fixture));

function deliver(body: string, headers: Record<string, string>): Promise<Response> {
  const all = { 'content-type': 'application/json', 'x-github-event': 'issues', ...headers };
  return fetch(`${fixture.app.url}${webhookPath}`, { method: 'POST', body, headers: all });
}

function signed(body: string, secret: string): Record<string, string> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { 'x-hub-signature-256': `sha256=${signature}` };
}

describe('the webhook endpoint', () => {
  const body = JSON.stringify({ action: 'labeled', label: { name: 'coxswain' } });

  test('answers an unsigned delivery with 401', async () => {
    expect((await deliver(body, {})).status).toBe(401);
  });

  test('answers a delivery signed with another secret with 401', async () => {
    const response = await deliver(body, signed(body, 'guessed'));
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'the signature does not match the webhook secret' });
  });

  test('answers 30 MB with 413, and the App keeps running', async () => {
    const large = JSON.stringify({ action: 'labeled', padding: 'x'.repeat(30 * 1024 * 1024) });
    const { WEBHOOK_SECRET: secret = '' } = fixture.variables;
    const status = await deliver(large, signed(large, secret)).then(
      (response) => response.status,
      () => 'cut off', // the response is sent during the upload; the connection may close before we read it
    );
    expect([413, 'cut off']).toContain(status);
    expect((await fetch(`${fixture.app.url}/healthz`)).status).toBe(200);
  });
});

/** Expects a start with changed variables to fail; returns the output. */
async function failure(changed: Record<string, string | undefined>): Promise<string> {
  const given = Object.entries({ ...variables, ...changed }).filter(([, value]) => value !== undefined);
  // Undefined values were filtered out above.
  const { code, output } = await failedStart(Object.fromEntries(given) as Variables);
  expect(code).toBe(1);
  return output;
}

describe('without a prerequisite the App does not start, and says what to do', () => {
  test('no App id', async () => {
    expect(await failure({ APP_ID: undefined })).toMatch(/APP_ID is not set: run `coxswain setup`/);
  });

  test('no private key', async () => {
    const output = await failure({ PRIVATE_KEY_PATH: undefined });
    expect(output).toMatch(/neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set: run `coxswain setup`/);
  });

  test('a private key that is missing or invalid', async () => {
    expect(await failure({ PRIVATE_KEY_PATH: '/nowhere/key.pem' })).toMatch(/there is no such file/);
    const output = await failure({ PRIVATE_KEY_PATH: undefined, PRIVATE_KEY: 'hello' });
    expect(output).toMatch(/PRIVATE_KEY is not a private key: expected PEM/);
  });

  test('no webhook secret', async () => {
    const output = await failure({ WEBHOOK_SECRET: undefined });
    expect(output).toMatch(/WEBHOOK_SECRET is not set: without it anyone could forge events/);
  });

  test('an App id that GitHub does not know', async () => {
    expect(await failure({ APP_ID: '999999' })).toMatch(/APP_ID and the private key do not belong together/);
  });

  test('a GitHub that does not answer', async () => {
    const output = await failure({ GHE_HOST: `127.0.0.1:${await freePort()}` });
    expect(output).toMatch(/could not ask GitHub which App this is/);
  });

  test('a port that is in use', async () => {
    const PORT = new URL(fixture.app.url).port;
    expect(await failure({ PORT })).toMatch(`127.0.0.1:${PORT}: the port is in use; set PORT to another`);
  });

  test('a data folder that is in use', async () => {
    const { COXSWAIN_DATA } = fixture.variables;
    expect(await failure({ COXSWAIN_DATA })).toMatch(/is in use by process \d+; set COXSWAIN_DATA/);
  });

  test('no Git, or one that is too old', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'coxswain-bin-'));
    try {
      const empty = join(bin, 'empty');
      mkdirSync(empty);
      expect(await failure({ PATH: empty })).toMatch(/install Git 2\.38 or newer/);
      writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.17.1\n');
      chmodSync(join(bin, 'git'), 0o755);
      symlinkSync('/bin/sh', join(bin, 'sh'));
      expect(await failure({ PATH: bin })).toMatch(
        /found git version 2\.17\.1, but Coxswain needs Git 2\.38/,
      );
    } finally {
      rmSync(bin, { recursive: true, force: true });
    }
  });

  test('no sandbox although one is required', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'coxswain-bin-'));
    try {
      for (const program of ['git', 'sh']) symlinkSync(`/usr/bin/${program}`, join(bin, program));
      const output = await failure({ PATH: bin, COXSWAIN_SANDBOX: 'required' });
      expect(output).toMatch(/bubblewrap does not work here[\s\S]*apt install bubblewrap/);
    } finally {
      rmSync(bin, { recursive: true, force: true });
    }
  });

  test('an invalid setting', async () => {
    expect(await failure({ PORT: 'http' })).toMatch(/PORT is "http": expected a port from 0 to 65535/);
    expect(await failure({ COXSWAIN_SWEEP_EVERY: 'often' })).toMatch(/expected a duration.*such as 5m/);
  });
});
