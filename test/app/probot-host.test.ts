import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Probot, Server } from 'probot';
import { afterEach, expect, test } from 'vitest';
import { type CoxswainApplication, coxswain } from '../../src/app/probot.ts';
import { type Stage, setEmptyStage } from './stage.ts';

let stage: Stage;
let server: Server | undefined;
let application: CoxswainApplication | undefined;
const folders: string[] = [];

afterEach(async () => {
  await server?.stop();
  await application?.stop();
  await stage.end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Probot's own server, as others run it, with Coxswain loaded like any other application. */
async function host(): Promise<void> {
  const { forge, known } = stage;
  const { registered } = known;
  const data = mkdtempSync(join(tmpdir(), 'coxswain-host-'));
  folders.push(data);
  const log = pino({ level: 'silent' });
  const { id: appId, private_key: privateKey, webhook_secret: secret } = registered;
  server = new Server({
    port: Number(stage.variables['PORT']),
    host: '127.0.0.1',
    log,
    Probot: Probot.defaults({ appId, privateKey, secret, baseUrl: forge.apiUrl, log }),
  });
  application = coxswain({ appId, privateKey, apiUrl: forge.apiUrl, data, sandbox: 'preferred' });
  await server.load(application);
  await server.start();
}

test('in a Probot host of somebody else a run is started, steered and approved', async () => {
  stage = await setEmptyStage({ unchecked: true });
  await host();
  const { ada } = stage;
  const pull = await ada.starts('Make it fine');
  await pull.reaches('awaiting_approval', { iteration: 0 });
  await ada.says(pull, '/steer make it better');
  const { head_sha } = await pull.reaches('awaiting_approval', { iteration: 1 });
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.reaches('approved');
  await pull.isDraft(false);
});

test('a second host on the same data folder is refused', async () => {
  stage = await setEmptyStage({ unchecked: true });
  await host();
  const { forge, known } = stage;
  const { registered } = known;
  const { id: appId, private_key: privateKey } = registered;
  const [data = ''] = folders;
  const second = coxswain({ appId, privateKey, apiUrl: forge.apiUrl, data, sandbox: 'preferred' });
  const probot = new Probot({ appId, privateKey, secret: 'x', log: pino({ level: 'silent' }) });
  await expect(probot.load(second)).rejects.toThrow(/is in use by process/);
});
