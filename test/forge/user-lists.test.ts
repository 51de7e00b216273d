import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';

let fixture: Fixture;
let open: TestRepository;
let hidden: TestRepository;

beforeAll(async () => {
  fixture = await startFixture({ largestPage: 1 });
  open = await fixture.repository();
  hidden = await fixture.repository({ private: true });
  // Of this one only the owner sees anything.
  fixture.forge.seed.setCollaborator((await fixture.repository({ private: true })).name, 'wil', 'none');
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const through = (login: string) => fixture.client(fixture.forge.seed.userToken(fixture.app, login));

test('a person sees the installations of an App in which they were given something', async () => {
  const wil = through('wil');
  const { data, headers } = await wil.apps.listInstallationsForAuthenticatedUser();
  expect(data).toMatchObject({
    total_count: 2,
    installations: [{ id: open.installation, app_slug: 'helm', account: { login: 'ada' } }],
  });
  expect(headers.link).toMatch(/page=2>; rel="next"/);
  const ids = await wil.paginate(wil.apps.listInstallationsForAuthenticatedUser, undefined, ({ data: all }) =>
    all.map(({ id }) => id),
  );
  expect(ids).toEqual([open.installation, hidden.installation]);
  expect((await through('out').apps.listInstallationsForAuthenticatedUser()).data.total_count).toBe(0);
});

test('the repositories of an installation are those of the person, with what they may do there', async () => {
  const { forge } = fixture;
  forge.seed.addToInstallation(hidden.installation, [open.name]);
  const at = { installation_id: hidden.installation };
  const ren = through('ren');
  const all = await ren.paginate(ren.apps.listInstallationReposForAuthenticatedUser, at);
  const pull = { admin: false, maintain: false, push: false, triage: false, pull: true };
  expect(all).toMatchObject([
    { full_name: hidden.name, private: true, permissions: pull },
    { full_name: open.name, permissions: pull },
  ]);
  const { data } = await through('wil').apps.listInstallationReposForAuthenticatedUser(at);
  expect(data).toMatchObject({
    total_count: 2,
    repositories: [{ permissions: { push: true, admin: false } }],
  });
  forge.seed.setCollaborator(open.name, 'ren', 'none');
  const { data: fewer } = await ren.apps.listInstallationReposForAuthenticatedUser(at);
  expect(fewer.total_count).toBe(1);
  forge.seed.setCollaborator(open.name, 'ren', 'read');
});

test('an installation in which the person has nothing is not there, nor one of another App', async () => {
  const other = fixture.forge.seed.createApp({
    ...{ owner: 'ada', slug: 'elsewhere', webhook_url: '', webhook_secret: '', events: [] },
    permissions: {},
  });
  const foreign = fixture.forge.seed.installApp(other, [open.name]);
  const statusOf = async (login: string, installation_id: number) =>
    (await httpErrorOf(through(login).apps.listInstallationReposForAuthenticatedUser({ installation_id })))
      .status;
  expect(await statusOf('wil', foreign)).toBe(404);
  expect(await statusOf('out', open.installation)).toBe(404);
});

test('only tokens of an App list installations', async () => {
  const refusal = httpErrorOf(fixture.person('wil').apps.listInstallationsForAuthenticatedUser());
  expect(await refusal).toMatchObject({
    status: 403,
    message: expect.stringContaining('must authenticate with an access token authorized to a GitHub App'),
  });
  const { status } = await httpErrorOf(open.bot.apps.listInstallationsForAuthenticatedUser());
  expect(status).toBe(403);
  const anonymous = fixture.client(undefined).apps.listInstallationsForAuthenticatedUser();
  expect((await httpErrorOf(anonymous)).status).toBe(401);
});

test('a person lists their repositories, of which a token of an App leaves out where it is not', async () => {
  await fixture.forge.seed.addRepository({ owner: 'out', name: 'apart', private: true, files: { a: '1' } });
  fixture.forge.seed.setCollaborator('out/apart', 'ren', 'triage');
  const listed = async (client: ReturnType<typeof through>) =>
    (await client.paginate(client.repos.listForAuthenticatedUser)).map((one) => [
      one.full_name,
      one.permissions?.triage,
    ]);
  const seen = (await listed(through('ren'))).map(([name]) => name);
  expect(seen).toEqual(expect.arrayContaining([open.name, hidden.name]));
  expect(seen).not.toContain('out/apart');
  expect(await listed(fixture.person('ren'))).toEqual([
    ...seen.map((name) => [name, false]),
    ['out/apart', true],
  ]);
});
