import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../../src/app/environment.ts';

const pem = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;

const given = { APP_ID: '1', WEBHOOK_SECRET: 'a secret' };

test('what setup wrote beside the App is hidden from agents, wherever the App lives', () => {
  const { keyFiles } = readEnvironment({ ...given, PRIVATE_KEY: pem });
  expect(keyFiles).toEqual([resolve('.env'), resolve('coxswain.private-key.pem')]);
});

test('a key that lies elsewhere is hidden there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'app.pem');
  writeFileSync(path, pem);
  expect(readEnvironment({ ...given, PRIVATE_KEY_PATH: path }).keyFiles).toContain(path);
});
