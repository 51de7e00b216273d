import type { App } from '@coxswain/forge';
import * as oauth from 'oauth4webapi';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';

const callback = 'http://127.0.0.1:3999/sign-in/callback';
let fixture: Fixture;
let app: App;
let time = Date.parse('2026-03-01T08:00:00Z');

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterEach(() => {
  fixture.forge.seed.clearFaults();
  fixture.forge.seed.signsIn(null);
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

/** An App of its own for a test, because people grant each App once. */
function newApp(more: Partial<App> = {}): App {
  const rest = { webhook_url: '', webhook_secret: '', permissions: {}, events: [] };
  app = fixture.forge.seed.createApp({
    ...{ owner: 'ada', slug: `app-${Math.random()}`, name: 'Helm', callback_urls: [callback] },
    ...rest,
    ...more,
  });
  return app;
}

/** Opens the page to which an App sends people, as a browser does. */
async function open(query: Record<string, string> = {}, init: RequestInit = {}): Promise<Opened> {
  const given = { client_id: app.client_id, redirect_uri: callback, state: 'abc', ...query };
  const url = `${fixture.forge.url}/login/oauth/authorize?${new URLSearchParams(given)}`;
  const response = await fetch(url, { redirect: 'manual', ...init });
  const location = response.headers.get('location');
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, back: location === null ? undefined : new URL(location) };
}

interface Opened {
  status: number;
  headers: Headers;
  text: string;
  /** Where the browser is sent back to. */
  back: URL | undefined;
}

/** Presses a button of that page. */
function press(fields: Record<string, string>, query: Record<string, string> = {}): Promise<Opened> {
  const headers = { origin: fixture.forge.url };
  return open(query, { method: 'POST', body: new URLSearchParams(fields), headers });
}

async function codeFor(login: string, query: Record<string, string> = {}): Promise<string> {
  const { back } = await press({ do: 'authorize', login }, query);
  return back?.searchParams.get('code') ?? '';
}

/** Exchanges a code, and returns GitHub's JSON, whose status is always 200. */
async function exchange(fields: Record<string, string>): Promise<Record<string, unknown>> {
  const { client_id, client_secret } = app;
  const response = await fetch(`${fixture.forge.url}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ client_id, client_secret, ...fields }),
  });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

test('a client of OAuth gets a token with which an App acts as who signed in', async () => {
  const { client_id, client_secret } = newApp();
  const site = `${fixture.forge.url}/login/oauth`;
  const server = { issuer: site, token_endpoint: `${site}/access_token` };
  const code_verifier = oauth.generateRandomCodeVerifier();
  const code_challenge = await oauth.calculatePKCECodeChallenge(code_verifier);
  const state = oauth.generateRandomState();
  const { back } = await press(
    { do: 'authorize', login: 'wil' },
    { state, code_challenge, code_challenge_method: 'S256' },
  );
  const client = { client_id };
  const callbackParameters = oauth.validateAuthResponse(server, client, back ?? new URL(callback), state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(client_secret),
    callbackParameters,
    callback,
    code_verifier,
    { [oauth.allowInsecureRequests]: true },
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, response);
  expect(result).toMatchObject({ token_type: 'bearer', scope: '', expires_in: 28_800 });
  expect(result.access_token).toMatch(/^ghu_/);
  const wil = fixture.client(result.access_token);
  expect((await wil.users.getAuthenticated()).data.login).toBe('wil');
  time += 28_800_000;
  expect((await httpErrorOf(wil.users.getAuthenticated())).status).toBe(401);
});

describe('the page of an App', () => {
  test('asks whoever is signed in once, and lets them cancel', async () => {
    newApp();
    fixture.forge.seed.signsIn('wil');
    const page = await open();
    expect(page.status).toBe(200);
    expect(page.text).toContain('Authorize Helm');
    expect(page.text).toContain('Authorize as wil');
    expect(page.text).not.toContain('Authorize as ada');
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' http://127.0.0.1:3999;",
    );
    const cancelled = await press({ do: 'cancel' });
    expect(Object.fromEntries(cancelled.back?.searchParams ?? [])).toEqual({
      error: 'access_denied',
      error_description: 'The user has denied your application access.',
      error_uri: expect.stringMatching(/^https:\/\/docs\.github\.com\/.*#access-denied$/),
      iss: `${fixture.forge.url}/login/oauth`,
      state: 'abc',
    });
    const accepted = await press({ do: 'authorize', login: 'wil' });
    expect(accepted.status).toBe(302);
    expect(accepted.back?.href.startsWith(`${callback}?code=`)).toBe(true);
    const again = await open();
    expect([again.status, again.back?.searchParams.get('state')]).toEqual([302, 'abc']);
    expect((await open({ prompt: 'select_account' })).text).toContain('Authorize as ada');
  });

  test('lets people choose who they are if nobody is signed in', async () => {
    newApp();
    const { text } = await open();
    expect(text.match(/Authorize as \w+/g)).toEqual(
      ['ada', 'wil', 'tri', 'ren', 'out'].map((login) => `Authorize as ${login}`),
    );
    expect((await press({ do: 'authorize', login: 'nobody' })).status).toBe(422);
  });

  test('takes no form of another site', async () => {
    newApp();
    const body = new URLSearchParams({ do: 'authorize', login: 'wil' });
    const foreign = await open({}, { method: 'POST', body, headers: { origin: 'http://evil.test' } });
    expect([foreign.status, foreign.back]).toEqual([403, undefined]);
  });

  test('sends nobody to an address that is not registered', async () => {
    newApp();
    const { back } = await open({ redirect_uri: 'http://127.0.0.1:3999/elsewhere' });
    expect(back?.href.startsWith(`${callback}?error=redirect_uri_mismatch&`)).toBe(true);
    const moved = await press(
      { do: 'authorize', login: 'wil' },
      { redirect_uri: callback.replace('3999', '4001') },
    );
    expect(moved.back?.port).toBe('4001');
    newApp({ callback_urls: ['https://app.test/callback'] });
    const other = await open({ redirect_uri: 'https://app.test:4001/callback' });
    expect(other.back?.href).toContain('https://app.test/callback?error=redirect_uri_mismatch');
    newApp({ callback_urls: [] });
    expect((await open()).status).toBe(422);
    expect((await open({ client_id: 'unknown' })).status).toBe(404);
  });

  test('takes challenges by SHA-256 only', async () => {
    newApp();
    const challenge = 'a'.repeat(43);
    for (const query of [
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: challenge },
      { code_challenge: 'short', code_challenge_method: 'S256' },
    ]) {
      expect((await open(query)).back?.searchParams.get('error')).toBe('invalid_request');
    }
  });

  test('names no issuer where there is none', async () => {
    newApp();
    fixture.forge.seed.setNamesIssuer(false);
    const { back } = await press({ do: 'authorize', login: 'wil' });
    expect([...(back?.searchParams.keys() ?? [])]).toEqual(['code', 'state']);
  });
});

describe('a code', () => {
  const wrong = {
    error: 'bad_verification_code',
    error_description: 'The code passed is incorrect or expired.',
    error_uri: expect.stringMatching(/#bad-verification-code$/),
  };

  test('is good once, for ten minutes, and for the App that it was given to', async () => {
    newApp();
    const code = await codeFor('wil');
    expect(code).toMatch(/^[0-9a-f]{20}$/);
    expect(await exchange({ code })).toMatchObject({ token_type: 'bearer' });
    expect(await exchange({ code })).toEqual(wrong);
    const old = await codeFor('wil');
    time += 10 * 60_000;
    expect(await exchange({ code: old })).toEqual(wrong);
    const another = await codeFor('wil');
    newApp();
    expect(await exchange({ code: another })).toEqual(wrong);
  });

  test('needs the verifier of its challenge', async () => {
    newApp();
    const code_challenge = await oauth.calculatePKCECodeChallenge('v'.repeat(43));
    const query = { code_challenge, code_challenge_method: 'S256' };
    const code_verifier = 'w'.repeat(43);
    expect(await exchange({ code: await codeFor('wil', query), code_verifier })).toEqual(wrong);
    expect(await exchange({ code: await codeFor('wil', query) })).toEqual(wrong);
  });

  test('is refused to who does not know the secret, or names another address or grant', async () => {
    newApp();
    const errorOf = async (fields: Record<string, string>) => (await exchange(fields))['error'];
    const code = await codeFor('wil');
    expect(await errorOf({ code, client_secret: 'guessed' })).toBe('incorrect_client_credentials');
    expect(await errorOf({ code, grant_type: 'refresh_token' })).toBe('unsupported_grant_type');
    expect(await errorOf({ code, redirect_uri: 'http://127.0.0.1:1/' })).toBe('redirect_uri_mismatch');
  });

  test('is answered by a form unless JSON is asked for', async () => {
    const { client_id, client_secret } = newApp();
    const code = await codeFor('wil');
    const response = await fetch(`${fixture.forge.url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id, client_secret, code }),
    });
    expect(response.headers.get('content-type')).toBe('application/x-www-form-urlencoded; charset=utf-8');
    const fields = new URLSearchParams(await response.text());
    expect([...fields.keys()]).toEqual([
      ...['access_token', 'expires_in', 'refresh_token', 'refresh_token_expires_in', 'scope', 'token_type'],
    ]);
  });
});

test('tokens of an App that wants none to expire do not, and nothing is said of it', async () => {
  newApp({ user_tokens_expire: false });
  const answer = await exchange({ code: await codeFor('ren') });
  expect(Object.keys(answer)).toEqual(['access_token', 'scope', 'token_type']);
  time += 30 * 24 * 60 * 60_000;
  const ren = fixture.client(String(answer['access_token']));
  expect((await ren.users.getAuthenticated()).data.login).toBe('ren');
});
