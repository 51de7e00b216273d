import { expect, test } from 'vitest';
import { registriesWith } from '../../src/action/job-resources.ts';
import { providersIn } from '../../src/network/model/providers.ts';

const token = ['ghs', 'theTokenOfTheJob0000'].join('_');

/** What a configuration with this registry and this environment comes to. */
function given(host: string, variables: Readonly<Record<string, string>>, serverUrl = 'https://github.com') {
  const [name = ''] = Object.keys(variables);
  const hosts = 'models.example.com=MODELS_KEY,free.example.com';
  const providers = providersIn({ OPENAI_API_KEY: 'sk-openai-0000', MODELS_KEY: 'models-0000' }, { hosts });
  const warnings: string[] = [];
  const registryToken = (variable: string) => variables[variable];
  const [registry] = registriesWith(
    { registries: [{ host, kind: 'npm', token_env: name }] },
    { token, providers, registryToken, serverUrl },
    { warn: (text: string) => void warnings.push(text) },
  );
  return { secret: registry?.secret, warnings };
}

test('a registry gets the token that the workflow has set for it', () => {
  const { secret, warnings } = given('npm.example.com', { NPM_TOKEN: 'npm-0000' });
  expect([secret, warnings]).toEqual(['npm-0000', []]);
});

test.each([
  ['MODELS_KEY', 'other', 'the key of a model'],
  ['NPM_TOKEN', 'models-0000', 'the key of a model'],
  ['NPM_TOKEN', 'user:sk-openai-0000', 'the key of a model'],
  ['GITHUB_TOKEN', token, 'the token of the job'],
  ['NPM_TOKEN', `x-access-token:${token}`, 'the token of the job'],
])('a registry gets nothing that the job has for something else (%s, %#)', (name, value, why) => {
  const { secret, warnings } = given('npm.evil.example', { [name]: value });
  expect(secret).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining(`${name} holds ${why}`)]);
  expect(warnings[0]).not.toContain(value);
});

test('the token of the job goes to packages of GitHub, also of a server of its own', () => {
  const job = { GITHUB_TOKEN: token };
  expect(given('npm.pkg.github.com', job).secret).toBe(token);
  expect(given('npm.ghe.example', job, 'https://ghe.example').secret).toBe(token);
  expect(given('npm.pkg.github.com.evil.example', job).secret).toBeUndefined();
  expect(given('evilghe.example', job, 'https://ghe.example').secret).toBeUndefined();
});
