import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/environment/environment.ts';
import { hostProbot } from '../../src/app/probot.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { appKey } from './environment/app-key.ts';

test('a delivery that fails is logged without its payload, which may have 25 MB', async () => {
  let logged = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      logged += String(chunk);
      done();
    },
  });
  const environment = readEnvironment({
    ...{ APP_ID: '1', WEBHOOK_SECRET: 'a secret', PRIVATE_KEY: appKey, COXSWAIN_LEDGER_KEY: ledgerKey },
  });
  const { probot, receive } = hostProbot(environment, pino({ level: 'info' }, stream));
  probot.onAny(() => {
    throw new Error('the disk is full');
  });
  const payload = { action: 'opened', issue: { body: 'long '.repeat(100_000) } };
  await expect(receive({ id: 'a-delivery', name: 'issues', payload })).rejects.toThrow();
  expect(logged).toContain('the disk is full');
  expect(logged).not.toContain('long long');
  expect(logged.length).toBeLessThan(10_000);
});
