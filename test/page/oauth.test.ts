import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Problem } from '../../src/doors/problem.ts';
import { OAuthFlow } from '../../src/page/sign-in/oauth.ts';
import { SessionCookie } from '../../src/page/sign-in/session.ts';
import { signInFaultFrom } from '../../src/page/sign-in/sign-in-fault.ts';
import { newSealKey, parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSecretBox } from '../../src/seal/secret-box.ts';

const attempt = {
  state: 'state',
  verifier: 'v'.repeat(43),
  redirectUri: 'http://127.0.0.1/sign-in/callback',
};

/** What somebody gets where GitHub answers like this. */
async function exchanged(answer: object) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address object.
  const web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flow = new OAuthFlow({ clientId: 'id', clientSecret: 'secret', web, apiUrl: web });
  return flow.exchange(new URLSearchParams({ code: 'code', state: 'state' }), attempt);
}

const token = { access_token: 'ghu_1', token_type: 'bearer', scope: '' };

test.each([
  [28_800, 28_800],
  ['28800', 28_800],
  [90.5, 90],
  [1e300, 1e300],
  [undefined, undefined],
])('a token that GitHub accepts for %j seconds lasts %j', async (expires_in, expiresIn) => {
  expect(await exchanged({ ...token, expires_in })).toEqual({ token: 'ghu_1', expiresIn });
});

test.each([0, 0.5, -1, '0', 'soon', {}])('one for %j seconds signs nobody in', async (expires_in) => {
  await expect(exchanged({ ...token, expires_in })).rejects.toThrow('does not understand');
});

test('a token that makes the cookie too long for browsers is told as that', () => {
  const cookie = new SessionCookie(openSecretBox(parseSealKeys(newSealKey())), () => 'https://page.example');
  const session = { id: 1, login: 'ada', began: 1, ends: 2 };
  expect(cookie.begin({ ...session, token: 'x'.repeat(255) })).toContain('__Host-coxswain_session_page=');
  expect(() => cookie.begin({ ...session, token: 'x'.repeat(4000) })).toThrow(/browsers keep at most 4096/);
});

test('whose token it is not allowed to be is told, and not that GitHub is away', () => {
  const fault = signInFaultFrom(new Problem(403, 'This token belongs to a bot.'));
  expect([fault.status, fault.message]).toEqual([403, 'This token belongs to a bot.']);
  expect(signInFaultFrom(new TypeError('fetch failed')).status).toBe(503);
});
