import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T08:00:00Z');

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const through = (login: string) => fixture.client(fixture.forge.seed.userToken(fixture.app, login));

test('a comment that an App writes as a person names the App; one of the person does not', async () => {
  const { repository, number } = await openPull(fixture);
  const on = { ...repository.at, issue_number: number };
  await fixture.forgetDeliveries();
  const { data } = await through('wil').issues.createComment({ ...on, body: '/approve' });
  await fixture.person('wil').issues.createComment({ ...on, body: 'Mine' });
  expect(data).toMatchObject({ user: { login: 'wil', type: 'User' } });
  expect(data.performed_via_github_app).toMatchObject({ id: fixture.app.id, slug: 'helm' });
  const { data: comments } = await repository.bot.issues.listComments(on);
  expect(comments.map((one) => one.performed_via_github_app?.slug)).toEqual(['helm', undefined]);
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ payload }) => payload)).toMatchObject([
    { sender: { login: 'wil' }, comment: { performed_via_github_app: { slug: 'helm' } } },
    { sender: { login: 'wil' }, comment: { performed_via_github_app: null } },
  ]);
});

test('a review through an App looks like one of the person', async () => {
  const { at } = await openPull(fixture);
  const { data } = await through('wil').pulls.createReview({ ...at, event: 'APPROVE' });
  expect(data).toMatchObject({ state: 'APPROVED', user: { login: 'wil' } });
  expect(data).not.toHaveProperty('performed_via_github_app');
});

test('an App that acts as a person may do only what both may', async () => {
  const pull = await openPull(fixture, { private: true });
  const on = { ...pull.repository.at, issue_number: pull.number };
  const merge = (login: string) => through(login).pulls.merge(pull.at);
  expect((await httpErrorOf(merge('ren'))).status).toBe(403);
  const { installation } = pull.repository;
  fixture.forge.seed.setInstallationPermissions(installation, { pull_requests: 'read', issues: 'read' });
  expect(await httpErrorOf(merge('wil'))).toMatchObject({
    status: 403,
    message: expect.stringContaining('not accessible by integration'),
  });
  expect((await through('wil').issues.get(on)).data.title).toBe('Add a');
  const refused = await pull.clone.attempt(
    'push',
    `${fixture.forge.url.replace('//', `//x:${fixture.forge.seed.userToken(fixture.app, 'wil')}@`)}/${pull.repository.name}.git`,
    'HEAD:refs/heads/other',
  );
  expect(refused.stderr).toContain('403');
});

test('where the App is not installed, it sees nothing private, whoever it acts as', async () => {
  const other = fixture.forge.seed.createApp({
    owner: 'ada',
    slug: 'elsewhere',
    webhook_url: '',
    webhook_secret: '',
    permissions: { issues: 'write' },
    events: [],
  });
  const hidden = await fixture.repository({ private: true });
  const open = await fixture.repository();
  const client = fixture.client(fixture.forge.seed.userToken(other, 'ada'));
  expect((await httpErrorOf(client.repos.get(hidden.at))).status).toBe(404);
  expect((await client.repos.get(open.at)).status).toBe(200);
  expect((await httpErrorOf(client.issues.create({ ...open.at, title: 'No' }))).status).toBe(403);
});

test('such a token expires after eight hours', async () => {
  const repository = await fixture.repository();
  const client = through('wil');
  await client.repos.get(repository.at);
  time += 8 * 60 * 60 * 1000;
  expect((await httpErrorOf(client.repos.get(repository.at))).status).toBe(401);
});

test('such a token says whose it is, and what is made with it names the App', async () => {
  const repository = await fixture.repository();
  const wil = through('wil');
  expect((await wil.users.getAuthenticated()).data).toMatchObject({ login: 'wil', type: 'User' });
  const { data } = await wil.issues.create({ ...repository.at, title: 'Do it' });
  expect(data).toMatchObject({ user: { login: 'wil' }, performed_via_github_app: { slug: 'helm' } });
});
