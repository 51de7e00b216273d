import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealKey, SealKeys } from './seal-keys.ts';

/** Encrypts small texts that others keep for us, such as a browser. */
export interface SecretBox {
  /** Only `open` with the same purpose reads it. It has the characters that a cookie and an address take. */
  close(purpose: string, text: string): string;
  /** Undefined if it is none of ours, was changed, is for another purpose, or its key is gone. */
  open(purpose: string, box: string): string | undefined;
}

const version = 'v1';
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** It reads `v1~<key id>~<nonce, text and tag in base64url>`: AES-256-GCM, with a random nonce of 96 bits. */
export function openSecretBox({ current, known, lost }: SealKeys): SecretBox {
  return {
    close: (purpose, text) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current.secret, nonce).setAAD(aadOf(purpose, current));
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${version}~${current.id}~${Buffer.concat(parts).toString('base64url')}`;
    },
    open: (purpose, box) => {
      const [format, id = '', content = '', ...rest] = box.split('~');
      const key = known.find((each) => each.id === id);
      if (format !== version || key === undefined || lost.includes(id) || rest.length > 0) return undefined;
      return decrypted(Buffer.from(content, 'base64url'), purpose, key);
    },
  };
}

function decrypted(bytes: Buffer, purpose: string, key: SealKey): string | undefined {
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key.secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(aadOf(purpose, key)).setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // Whoever made it did not have the key, or made it for something else.
    return undefined;
  }
}

/** It is authenticated with the text. */
function aadOf(purpose: string, { id }: SealKey): Buffer {
  return Buffer.from(JSON.stringify([version, id, purpose]));
}
