import { type Forge, type App as RegisteredApp, startForge } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAt } from '../../../src/cli/doctor.ts';
import { newSealKey } from '../../../src/seal/seal-keys.ts';
import { permissions } from '../../app/app-fixture.ts';
import { ledgerKey } from '../../ledger/identity.ts';

/** What doctor says of the page, of an App that is registered and not installed anywhere. */
let forge: Forge;
let app: RegisteredApp;
let variables: Record<string, string>;

const signIn = {
  ...{ GITHUB_CLIENT_SECRET: 'secret of the client', COXSWAIN_SESSION_KEY: newSealKey() },
  COXSWAIN_PAGE_URL: 'https://coxswain.example.org',
};

beforeAll(async () => {
  forge = await startForge();
  forge.seed.addOrganization('acme');
  app = forge.seed.createApp({
    ...{ slug: 'coxswain', owner: 'acme', permissions, events: [] },
    ...{ webhook_url: '', webhook_secret: 'secret' },
  });
  variables = {
    ...{ APP_ID: String(app.id), PRIVATE_KEY: app.private_key, WEBHOOK_SECRET: 'secret' },
    ...{ GHE_HOST: new URL(forge.url).host, GHE_PROTOCOL: 'http', COXSWAIN_LEDGER_KEY: ledgerKey },
    COXSWAIN_SANDBOX: 'off',
  };
});

afterAll(() => forge.stop());

async function says(changed: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const [, found] = await lookAt({ ...variables, ...changed }, undefined);
  const ofPage = ['sign-in', 'session-key', 'callback-url', 'client-secret'];
  const findings = found?.findings.filter(({ id }) => ofPage.includes(id)) ?? [];
  return findings.map(({ level, text }) => `${level}: ${text}`);
}

test('people sign in with the client ID that GitHub knows, and what it does not show is said', async () => {
  const [, key = ''] = /^(\w+):/.exec(signIn.COXSWAIN_SESSION_KEY) ?? [];
  expect(await says({ ...signIn, GITHUB_CLIENT_ID: app.client_id })).toEqual([
    'ok: people sign in with the client ID of the App',
    `ok: new sessions are encrypted with ${key}`,
    expect.stringMatching(/^unseen: .* one has to be https:\/\/coxswain\.example\.org\/sign-in\/callback, /),
    expect.stringMatching(/^unseen: GitHub does not show whether GITHUB_CLIENT_SECRET is right/),
  ]);
});

test('nobody signs in with the client ID of another App', async () => {
  const [first] = await says({ ...signIn, GITHUB_CLIENT_ID: 'Iv23liAnother' });
  expect(first).toBe(
    `problem: nobody can sign in: GITHUB_CLIENT_ID is Iv23liAnother, and the App's client ID is ${app.client_id}`,
  );
});

test('there may be no page, or one for a person alone', async () => {
  expect(await says({})).toEqual(['note: nobody can sign in: there is no page']);
  expect(await says({ COXSWAIN_PAGE_TOKEN: 'token-of-ada' })).toEqual([
    expect.stringMatching(/^note: nobody signs in: the page acts as the owner of COXSWAIN_PAGE_TOKEN/),
  ]);
});
