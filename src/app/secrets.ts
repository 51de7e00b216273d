import { keysOf } from '../network/model/providers.ts';
import { parseSealKeys, secretsOf } from '../seal/keys.ts';
import { secretsIn } from '../text/redact.ts';
import type { AppSettings } from './settings.ts';

/** What must be neither written nor posted. */
export function allSecretsOf(settings: AppSettings): readonly string[] {
  const { privateKey, secrets, ledgerKey, agentEnvironment, operatorFile, providers } = settings;
  const tokens = operatorFile.registries.flatMap(({ secret }) => secret ?? []);
  const keys = [privateKey, ...secretsOf(parseSealKeys(ledgerKey)), ...keysOf(providers)];
  return [...keys, ...secrets, ...tokens, ...secretsIn(agentEnvironment)];
}
