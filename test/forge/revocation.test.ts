import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(() => fixture.forgetDeliveries());
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const tokenOf = (login: string) => fixture.forge.seed.userToken(fixture.app, login);
const statusOf = (token: string) =>
  fixture
    .client(token)
    .users.getAuthenticated()
    .then(
      ({ status }) => status,
      ({ status }: { status: number }) => status,
    );

/** The requests of the App's client, which has an id and a secret. */
function asClient({ client_id, client_secret } = fixture.app) {
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const { apps, users } = fixture.client(undefined);
  const by = { client_id: fixture.app.client_id, headers: { authorization } };
  return {
    endToken: (access_token: string) => apps.deleteToken({ ...by, access_token }),
    endGrant: (access_token: string) => apps.deleteAuthorization({ ...by, access_token }),
    whoami: () => users.getAuthenticated({ headers: { authorization } }),
  };
}

test('an App ends one token of a person, and the others stay', async () => {
  const [one, other] = [tokenOf('wil'), tokenOf('wil')];
  expect((await asClient().endToken(one)).status).toBe(204);
  expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
  expect((await httpErrorOf(asClient().endToken(one))).status).toBe(404);
  await fixture.deliveriesDone();
  expect(fixture.received).toEqual([]);
});

test('with the grant of a person all their tokens end, and the App is told', async () => {
  const [one, other, foreign] = [tokenOf('wil'), tokenOf('wil'), tokenOf('ren')];
  expect((await asClient().endGrant(one)).status).toBe(204);
  expect([await statusOf(one), await statusOf(other), await statusOf(foreign)]).toEqual([401, 401, 200]);
  await fixture.deliveriesDone();
  const [delivery, ...more] = fixture.received;
  expect(more).toEqual([]);
  expect(delivery?.headers['x-github-event']).toBe('github_app_authorization');
  expect(delivery?.payload).toEqual({ action: 'revoked', sender: expect.objectContaining({ login: 'wil' }) });
});

test('a person revokes what they authorized', async () => {
  const { forge, app } = fixture;
  const token = tokenOf('tri');
  forge.seed.revokeAuthorization(app, 'tri');
  expect(await statusOf(token)).toBe(401);
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ payload }) => payload)).toMatchObject([
    { action: 'revoked', sender: { login: 'tri' } },
  ]);
  expect(() => forge.seed.revokeAuthorization(app, 'tri')).toThrow('tri has not authorized helm');
});

test('nobody else ends tokens of an App', async () => {
  const token = tokenOf('wil');
  const other = fixture.forge.seed.createApp({
    ...{ owner: 'ada', slug: 'elsewhere', webhook_url: '', webhook_secret: '', events: [] },
    permissions: {},
  });
  const guessed = asClient({ ...fixture.app, client_secret: 'guessed' });
  expect((await httpErrorOf(guessed.endToken(token))).status).toBe(401);
  expect((await httpErrorOf(asClient(other).endToken(token))).status).toBe(404);
  expect((await httpErrorOf(asClient().endToken(fixture.token('wil')))).status).toBe(404);
  expect((await httpErrorOf(asClient().whoami())).status).toBe(401);
  expect(await statusOf(token)).toBe(200);
});
