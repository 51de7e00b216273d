import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Probot, Server } from 'probot';
import { afterEach, expect, test } from 'vitest';
import { type CoxswainApplication, coxswain } from '../../src/app/probot.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { type AppFixture, prepareAppFixture, waitForDeliveries } from './app-fixture.ts';

let fixture: AppFixture;
let server: Server | undefined;
let application: CoxswainApplication | undefined;
const folders: string[] = [];

afterEach(async () => {
  await server?.stop();
  await application?.stop();
  await fixture.end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Starts Probot's own server with Coxswain loaded like any other application. */
async function startHost(): Promise<void> {
  const { forge, accounts } = fixture;
  const { registered } = accounts;
  const data = mkdtempSync(join(tmpdir(), 'coxswain-host-'));
  folders.push(data);
  const log = pino({ level: 'silent' });
  const { id: appId, private_key: privateKey, webhook_secret: secret } = registered;
  server = new Server({
    port: Number(fixture.variables['PORT']),
    host: '127.0.0.1',
    log,
    Probot: Probot.defaults({ appId, privateKey, secret, baseUrl: forge.apiUrl, log }),
  });
  application = coxswain({ appId, privateKey, apiUrl: forge.apiUrl, data, ledgerKey, sandbox: 'preferred' });
  await server.load(application);
  await server.start();
}

test('in a separate Probot host a run is started, steered and approved', async () => {
  fixture = await prepareAppFixture({ unchecked: true });
  await startHost();
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  await ada.says(pull, '/steer make it better');
  const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
});

test('a second host on the same data folder is refused', async () => {
  fixture = await prepareAppFixture({ unchecked: true });
  await startHost();
  const { forge, accounts } = fixture;
  const { registered } = accounts;
  const { id: appId, private_key: privateKey } = registered;
  const [data = ''] = folders;
  const second = coxswain({ appId, privateKey, apiUrl: forge.apiUrl, data, ledgerKey, sandbox: 'preferred' });
  const probot = new Probot({ appId, privateKey, secret: 'x', log: pino({ level: 'silent' }) });
  await expect(probot.load(second)).rejects.toThrow(/is in use by process/);
});

test('an application is loaded once, and a stopped one takes no more deliveries', async () => {
  fixture = await prepareAppFixture({ unchecked: true });
  await startHost();
  const app = new Probot({ appId: 1, privateKey: 'x', log: pino({ level: 'silent' }) });
  await expect(application?.(app)).rejects.toThrow(/already loaded/);
  const { ada } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  await Promise.all([application?.stop(), application?.stop()]);
  await ada.says(pull, '/steer too late');
  await waitForDeliveries(fixture);
  const { events } = await pull.ledger();
  expect(events.filter(({ type }) => type === 'said')).toEqual([]);
});
