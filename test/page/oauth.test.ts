import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { OAuthFlow } from '../../src/page/sign-in/oauth.ts';

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
