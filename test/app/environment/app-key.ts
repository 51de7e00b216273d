import { generateKeyPairSync } from 'node:crypto';

/** The private key of an App, as GitHub gives it out. */
export const appKey = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;
