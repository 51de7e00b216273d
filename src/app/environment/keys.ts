import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseSealKeys, SealKeyError } from '../../seal/seal-keys.ts';
import { appSettingsPage, EnvironmentError, textOf } from './values.ts';
import type { Variables } from './variables.ts';

const makeKey =
  'run `coxswain key` to make one, and keep it with the private key: ' +
  'without it anyone who may write to a repository could forge the history of its runs. ' +
  'If the App had open runs before, then look at them with `coxswain seal`, and seal them with --yes, ' +
  'before you start it';

/** The keys as they are written. Throws `EnvironmentError` if they are missing or cannot be read. */
export function ledgerKeySetting({ COXSWAIN_LEDGER_KEY: text = '' }: Variables): string {
  if (text === '') throw new EnvironmentError(`COXSWAIN_LEDGER_KEY is not set: ${makeKey}`);
  try {
    parseSealKeys(text);
    return text;
  } catch (fault) {
    if (fault instanceof SealKeyError) throw new EnvironmentError(`COXSWAIN_LEDGER_KEY: ${fault.message}`);
    throw fault;
  }
}

/** The App's key, as PEM. */
export function privateKey(variables: Variables): string {
  const given = textOf(variables, 'PRIVATE_KEY');
  if (given !== undefined) return pem('PRIVATE_KEY', decoded(given));
  const path = textOf(variables, 'PRIVATE_KEY_PATH');
  if (path === undefined)
    throw new EnvironmentError(`neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set: ${appSettingsPage}`);
  return pem(`PRIVATE_KEY_PATH (${path})`, contentOf(path));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? reasons[String(cause.code)] : undefined;
    throw new EnvironmentError(
      `PRIVATE_KEY_PATH is ${path}, ${why ?? 'which could not be read'}: expected the file of the App's ` +
        `private key, as in PRIVATE_KEY_PATH=coxswain.private-key.pem`,
      { cause },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'but there is no such file',
  EACCES: 'which this user may not read',
  EISDIR: 'which is a folder',
};

/** As Probot accepts it: PEM, PEM with `\n` escaped, or base64. */
function decoded(given: string): string {
  if (given.includes('-----BEGIN')) return given.replaceAll('\\n', '\n');
  return Buffer.from(given, 'base64').toString('utf8');
}

/** GitHub's keys are of RSA; one that cannot be read would be noticed only at the first request. */
function pem(name: string, key: string): string {
  if (!/-----BEGIN (RSA )?PRIVATE KEY-----/.test(key))
    throw new EnvironmentError(
      `${name} is not a private key: expected PEM, starting with "-----BEGIN RSA PRIVATE KEY-----"`,
    );
  if (isRsaKey(key)) return key;
  throw new EnvironmentError(
    `${name} cannot be read as an RSA key: expected the whole file that GitHub gave you, from ` +
      '"-----BEGIN RSA PRIVATE KEY-----" to "-----END RSA PRIVATE KEY-----"',
  );
}

function isRsaKey(key: string): boolean {
  try {
    return createPrivateKey(key).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
