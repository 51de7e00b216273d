import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type Coxswain, openCoxswain } from '../../src/app/coxswain.ts';
import { withDefaults } from '../../src/app/environment/app-settings.ts';
import { startWebhookServer, webhookPath } from '../../src/app/webhook-server.ts';
import type { Repository } from '../../src/repository/repository.ts';
import * as deliveries from '../github/listen/deliveries.ts';
import { awaiting } from '../github/show/state.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { prepareAppFixture } from './app-fixture.ts';
import { signatureOf, webhookSecret, wrongSignature } from './webhook-client.ts';

/** A Coxswain in this process. */
async function opened() {
  const fixture = await prepareAppFixture({ unchecked: true });
  const data = mkdtempSync(join(tmpdir(), 'coxswain-receiver-'));
  let coxswain: Coxswain | undefined;
  onTestFinished(async () => {
    await coxswain?.close();
    await fixture.end();
    rmSync(data, { recursive: true, force: true });
  });
  const log = pino({ level: 'silent' });
  const { id: appId, private_key: privateKey } = fixture.accounts.registered;
  const given = { appId, privateKey, apiUrl: fixture.forge.apiUrl, data, ledgerKey };
  coxswain = await openCoxswain(withDefaults({ ...given, sandbox: 'off' }), log);
  return coxswain;
}

test('a delivery is remembered by its GUID until it has failed', async () => {
  const { receiver } = await opened();
  const done = receiver.receive({ id: 'ping-1', name: 'ping', payload: { zen: 'Keep it simple.' } });
  await done;
  expect(receiver.progressOf('ping-1')).toBe('recorded');
  expect(receiver.progressOf('ping-2')).toBeUndefined();
  const broken = { id: 'broken-1', name: 'issue_comment', payload: { action: 'created' } };
  await expect(receiver.receive(broken)).rejects.toThrow('could not read the payload');
  expect(receiver.progressOf('broken-1')).toBeUndefined();
});

test('while it is being recorded it is under way', async () => {
  const { receiver } = await opened();
  const receiving = receiver.receive({ id: 'ping-1', name: 'ping', payload: { zen: 'Keep it simple.' } });
  expect(receiver.progressOf('ping-1')).toBe('under way');
  await receiving;
  expect(receiver.progressOf('ping-1')).toBe('recorded');
});

test('the App is told what it was taken from, whose runs leave the lists', async () => {
  const { receiver, index } = await opened();
  const lost = { id: 4711, owner: 'acme', name: 'api', remote: { url: 'https://github.com/acme/api.git' } };
  index.note(lost as Repository, awaiting()); // what the index reads of it
  expect(index.waiting()).toHaveLength(1);
  await receiver.receive({ id: 'gone', name: 'installation', payload: deliveries.installation('deleted') });
  expect(index.waiting()).toEqual([]);
});

/** Delivers an event about an authorization to this Coxswain as GitHub does, and returns what is answered. */
async function deliverer({ receiver }: Coxswain) {
  const server = await startWebhookServer({
    ...{ host: '127.0.0.1', port: 0, secret: webhookSecret },
    runs: () => receiver.runs,
    receive: (delivery) => receiver.receive(delivery),
    health: () => ({ ok: true }),
    onFault: () => undefined,
  });
  onTestFinished(() => server.close());
  return async (payload: object, signature?: string) => {
    const body = JSON.stringify(payload);
    const headers = {
      ...{ 'content-type': 'application/json', 'x-github-delivery': 'revocation-1' },
      'x-github-event': 'github_app_authorization',
      'x-hub-signature-256': signature ?? signatureOf(body),
    };
    const answer = await fetch(`${server.url}${webhookPath}`, { method: 'POST', headers, body });
    return [answer.status, await answer.json()];
  };
}

test('who revokes their authorization is told of by their id, and nobody else can say so', async () => {
  const coxswain = await opened();
  const told: unknown[] = [];
  coxswain.receiver.onRevoked(({ id, login }) => void told.push([id, login]));
  const send = await deliverer(coxswain);
  const revocation = { action: 'revoked', sender: { login: 'ada', id: 583231, type: 'User' } };
  expect(await send(revocation, wrongSignature)).toMatchObject([401, {}]);
  expect(told).toEqual([]);
  expect(await send(revocation)).toEqual([200, { message: 'recorded' }]);
  expect(told).toEqual([[583231, 'ada']]);
});

test('another action of an authorization is ignored, and one without a sender is tried again', async () => {
  const coxswain = await opened();
  const told: unknown[] = [];
  coxswain.receiver.onRevoked((person) => void told.push(person));
  const send = await deliverer(coxswain);
  const ada = { login: 'ada', id: 583231, type: 'User' };
  expect(await send({ action: 'granted', sender: ada })).toEqual([200, { message: 'ignored' }]);
  expect(await send({ action: 'revoked' })).toMatchObject([503, {}]);
  expect(told).toEqual([]);
});
