import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../../src/app/environment.ts';
import { ledgerKey } from '../ledger/identity.ts';

const pem = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;

const given = { APP_ID: '1', WEBHOOK_SECRET: 'a secret', COXSWAIN_LEDGER_KEY: ledgerKey };

test.each([
  [
    'is not set',
    '',
    /COXSWAIN_LEDGER_KEY is not set: run `npx coxswain key` to make one.*`npx coxswain seal`/,
  ],
  ['is no key', 'secret', /COXSWAIN_LEDGER_KEY: entry 1 is not a key: expected `id:base64`/],
])('the App does not start if its ledger key %s', (_, COXSWAIN_LEDGER_KEY, message) => {
  expect(() => readEnvironment({ ...given, PRIVATE_KEY: pem, COXSWAIN_LEDGER_KEY })).toThrow(message);
});

test('the files that setup wrote are hidden from agents', () => {
  const { keyFiles } = readEnvironment({ ...given, PRIVATE_KEY: pem });
  expect(keyFiles).toEqual([resolve('.env'), resolve('coxswain.private-key.pem')]);
});

test('a key file in another folder is hidden, too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'app.pem');
  writeFileSync(path, pem);
  expect(readEnvironment({ ...given, PRIVATE_KEY_PATH: path }).keyFiles).toContain(path);
});

describe('rendering and write limits', () => {
  const read = (variables: Readonly<Record<string, string>>) =>
    readEnvironment({ ...given, PRIVATE_KEY: pem, ...variables });

  test('follow the recommendations of GitHub by default', () => {
    const writeLimits = { burst: 20, perMinute: 80, perHour: 500 };
    expect(read({})).toMatchObject({ writeLimits, renderAfterMs: 3000 });
  });

  test.each([
    ['0', 0],
    ['1s', 1000],
    ['1m', 60_000],
  ])('a render delay of %s is accepted', (text, renderAfterMs) => {
    expect(read({ COXSWAIN_RENDER_AFTER: text })).toMatchObject({ renderAfterMs });
  });

  test('can be switched off where GitHub has no limits', () => {
    const { writeLimits } = read({ COXSWAIN_WRITE_LIMITS: 'off' });
    expect(writeLimits.burst).toBeGreaterThan(100_000);
  });

  test.each([
    ['COXSWAIN_RENDER_AFTER', 'soon', /"soon": expected 0 or a duration of at most 1m, such as 3s/],
    ['COXSWAIN_RENDER_AFTER', '2m', /"2m": expected 0 or a duration of at most 1m, such as 3s/],
    ['COXSWAIN_WRITE_LIMITS', '100', /"100": expected github or off/],
  ])('%s cannot be %s', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
  });
});
