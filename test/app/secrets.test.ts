import { expect, test } from 'vitest';
import { allSecretsOf, withDefaults } from '../../src/app/environment/app-settings.ts';
import { noOperatorFile } from '../../src/config/operator/operator-schema.ts';
import { providersIn } from '../../src/network/model/providers.ts';
import { ledgerKey } from '../ledger/identity.ts';

test('every secret that the App is given is redacted, those of registries and targets included', () => {
  const registries = [
    { host: 'npm.corp.example', secret: 'token-of-npm' },
    { host: 'open.corp.example' },
    { host: 'pypi.corp.example', secret: 'token-of-pypi' },
  ];
  const named = { name: 'a', private: false };
  const notify = [
    { ...named, to: 'slack', channel: 'C1', token: 'token-of-slack' },
    { ...named, to: 'teams', url: 'https://teams.example.org/whoever-knows-it' },
    { ...named, to: 'webhook', url: 'https://hooks.example.org/', secret: 'whsec_of-a-hook' },
  ] as const;
  const settings = withDefaults({
    ...{ appId: 1, privateKey: 'private-key', ledgerKey, secrets: ['webhook-secret'] },
    operatorFile: { ...noOperatorFile, registries, notify },
    providers: providersIn({ OPENAI_API_KEY: 'key-of-a-model' }, {}),
    agentEnvironment: { SOME_PASSWORD: 'a-password', LANGUAGE: 'en' },
  });
  const sealKey = ledgerKey.slice(ledgerKey.indexOf(':') + 1);
  expect(new Set(allSecretsOf(settings))).toEqual(
    new Set([
      ...['private-key', sealKey, 'key-of-a-model', 'webhook-secret'],
      ...['token-of-npm', 'token-of-pypi', 'a-password', 'token-of-slack', 'whsec_of-a-hook'],
      ...['https://teams.example.org/whoever-knows-it', 'https://hooks.example.org/'],
    ]),
  );
});
