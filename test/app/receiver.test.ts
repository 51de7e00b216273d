import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type Coxswain, openCoxswain } from '../../src/app/coxswain.ts';
import { withDefaults } from '../../src/app/environment/app-settings.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { prepareAppFixture } from './app-fixture.ts';

/** The receiver of a Coxswain in this process. */
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
  return coxswain.receiver;
}

test('a delivery is remembered by its GUID until it has failed', async () => {
  const receiver = await opened();
  const done = receiver.receive({ id: 'ping-1', name: 'ping', payload: { zen: 'Keep it simple.' } });
  await done;
  expect(receiver.progressOf('ping-1')).toBe('recorded');
  expect(receiver.progressOf('ping-2')).toBeUndefined();
  const broken = { id: 'broken-1', name: 'issue_comment', payload: { action: 'created' } };
  await expect(receiver.receive(broken)).rejects.toThrow('could not read the payload');
  expect(receiver.progressOf('broken-1')).toBeUndefined();
});

test('while it is being recorded it is under way', async () => {
  const receiver = await opened();
  const receiving = receiver.receive({ id: 'ping-1', name: 'ping', payload: { zen: 'Keep it simple.' } });
  expect(receiver.progressOf('ping-1')).toBe('under way');
  await receiving;
  expect(receiver.progressOf('ping-1')).toBe('recorded');
});
