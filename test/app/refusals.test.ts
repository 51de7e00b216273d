import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { freePort, refusedStart, type Variables } from './app-process.ts';
import { endCleanly, type Stage, setStage } from './stage.ts';

/** What the App takes from nobody: wrong deliveries at its door, and a start without what it needs. */
let stage: Stage;
let variables: Variables;

beforeAll(async () => {
  stage = await setStage();
  variables = { ...stage.variables, PORT: '0', COXSWAIN_DATA: join(stage.variables['home'] ?? '', 'other') };
});

afterAll(() => endCleanly(stage));

function deliver(body: string, headers: Record<string, string>): Promise<Response> {
  const all = { 'content-type': 'application/json', 'x-github-event': 'issues', ...headers };
  return fetch(`${stage.app.url}${webhookPath}`, { method: 'POST', body, headers: all });
}

function signed(body: string, secret: string): Record<string, string> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { 'x-hub-signature-256': `sha256=${signature}` };
}

describe('at the door', () => {
  const body = JSON.stringify({ action: 'labeled', label: { name: 'coxswain' } });

  test('an unsigned delivery is a 401', async () => {
    expect((await deliver(body, {})).status).toBe(401);
  });

  test('one that is signed with another secret is a 401', async () => {
    const response = await deliver(body, signed(body, 'guessed'));
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'the signature does not match the webhook secret' });
  });

  test('30 MB are a 413, and the App goes on', async () => {
    const large = JSON.stringify({ action: 'labeled', padding: 'x'.repeat(30 * 1024 * 1024) });
    const { WEBHOOK_SECRET: secret = '' } = stage.variables;
    const status = await deliver(large, signed(large, secret)).then(
      (response) => response.status,
      () => 'cut off', // answered while we still send; the connection may end before we read it
    );
    expect([413, 'cut off']).toContain(status);
    expect((await fetch(`${stage.app.url}/healthz`)).status).toBe(200);
  });
});

/** Starts the App with something taken away or changed; answers with what it said when it refused. */
async function refusal(changed: Record<string, string | undefined>): Promise<string> {
  const given = Object.entries({ ...variables, ...changed }).filter(([, value]) => value !== undefined);
  // Undefined was filtered out just now.
  const { code, output } = await refusedStart(Object.fromEntries(given) as Variables);
  expect(code).toBe(1);
  return output;
}

describe('without what it needs the App does not start, and says what to do', () => {
  test('no App id', async () => {
    expect(await refusal({ APP_ID: undefined })).toMatch(/APP_ID is not set: run `npx coxswain setup`/);
  });

  test('no private key', async () => {
    const output = await refusal({ PRIVATE_KEY_PATH: undefined });
    expect(output).toMatch(/neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set: run `npx coxswain setup`/);
  });

  test('a private key that is not there, or is none', async () => {
    expect(await refusal({ PRIVATE_KEY_PATH: '/nowhere/key.pem' })).toMatch(/there is no such file/);
    const output = await refusal({ PRIVATE_KEY_PATH: undefined, PRIVATE_KEY: 'hello' });
    expect(output).toMatch(/PRIVATE_KEY is not a private key: expected PEM/);
  });

  test('no webhook secret', async () => {
    const output = await refusal({ WEBHOOK_SECRET: undefined });
    expect(output).toMatch(/WEBHOOK_SECRET is not set: without it anyone could forge events/);
  });

  test('an App that GitHub does not know', async () => {
    expect(await refusal({ APP_ID: '999999' })).toMatch(/APP_ID and the private key do not belong together/);
  });

  test('a GitHub that does not answer', async () => {
    const output = await refusal({ GHE_HOST: `127.0.0.1:${await freePort()}` });
    expect(output).toMatch(/could not ask GitHub which App this is/);
  });

  test('a port that is in use', async () => {
    const PORT = new URL(stage.app.url).port;
    expect(await refusal({ PORT })).toMatch(`127.0.0.1:${PORT}: the port is in use; set PORT to another`);
  });

  test('a data folder that is in use', async () => {
    const { COXSWAIN_DATA } = stage.variables;
    expect(await refusal({ COXSWAIN_DATA })).toMatch(/is in use by process \d+; set COXSWAIN_DATA/);
  });

  test('no Git, or one that is too old', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'coxswain-bin-'));
    try {
      const empty = join(bin, 'empty');
      mkdirSync(empty);
      expect(await refusal({ PATH: empty })).toMatch(/install Git 2\.38 or newer/);
      writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.17.1\n');
      chmodSync(join(bin, 'git'), 0o755);
      symlinkSync('/bin/sh', join(bin, 'sh'));
      expect(await refusal({ PATH: bin })).toMatch(
        /found git version 2\.17\.1, but Coxswain needs Git 2\.38/,
      );
    } finally {
      rmSync(bin, { recursive: true, force: true });
    }
  });

  test('a sandbox where one is required', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'coxswain-bin-'));
    try {
      for (const program of ['git', 'sh']) symlinkSync(`/usr/bin/${program}`, join(bin, program));
      const output = await refusal({ PATH: bin, COXSWAIN_SANDBOX: 'required' });
      expect(output).toMatch(/bubblewrap does not work here[\s\S]*apt install bubblewrap/);
    } finally {
      rmSync(bin, { recursive: true, force: true });
    }
  });

  test('a setting that cannot be read', async () => {
    expect(await refusal({ PORT: 'http' })).toMatch(/PORT is "http": expected a whole number/);
    expect(await refusal({ COXSWAIN_SWEEP_EVERY: 'often' })).toMatch(/expected a duration.*such as 5m/);
  });
});
