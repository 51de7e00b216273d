import { expect, test } from 'vitest';
import { allSecretsOf, withDefaults } from '../../src/app/settings.ts';
import { noOperatorFile } from '../../src/config/operator/schema.ts';
import { providersIn } from '../../src/network/model/providers.ts';
import { ledgerKey } from '../ledger/identity.ts';

test('every secret that the App is given is redacted, the tokens of registries included', () => {
  const registries = [
    { host: 'npm.corp.example', secret: 'token-of-npm' },
    { host: 'open.corp.example' },
    { host: 'pypi.corp.example', secret: 'token-of-pypi' },
  ];
  const settings = withDefaults({
    ...{ appId: 1, privateKey: 'private-key', ledgerKey, secrets: ['webhook-secret'] },
    operatorFile: { ...noOperatorFile, registries },
    providers: providersIn({ OPENAI_API_KEY: 'key-of-a-model' }, {}),
    agentEnvironment: { SOME_PASSWORD: 'a-password', LANGUAGE: 'en' },
  });
  const sealKey = ledgerKey.slice(ledgerKey.indexOf(':') + 1);
  expect(new Set(allSecretsOf(settings))).toEqual(
    new Set([
      ...['private-key', sealKey, 'key-of-a-model', 'webhook-secret'],
      ...['token-of-npm', 'token-of-pypi', 'a-password'],
    ]),
  );
});
