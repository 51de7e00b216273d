import { createSign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T10:00:00Z');
beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

/** An App's JSON Web Token with these claims. */
function jwt(claims: Record<string, unknown>, key = fixture.app.private_key): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}

const seconds = () => Math.floor(time / 1000);
const claims = (exp: number) => ({ iss: String(fixture.app.id), iat: seconds() - 30, exp: seconds() + exp });

test('an App authenticates with its key', async () => {
  const { data } = await fixture.client(jwt(claims(300))).apps.getAuthenticated();
  expect(data?.slug).toBe('helm');
});

test('a token that is valid for too long, expired, or signed with another key is rejected', async () => {
  const other = fixture.forge.seed.createApp({
    owner: 'ada',
    slug: 'other',
    webhook_url: '',
    webhook_secret: '',
    permissions: {},
    events: [],
  });
  for (const token of [jwt(claims(3600)), jwt(claims(-1)), jwt(claims(60), other.private_key)]) {
    expect((await httpErrorOf(fixture.client(token).apps.getAuthenticated())).status).toBe(401);
  }
});

test('an installation token expires after an hour', async () => {
  const repository = await fixture.repository({ private: true });
  const app = fixture.client(jwt(claims(300)));
  const { data } = await app.apps.createInstallationAccessToken({ installation_id: repository.installation });
  const bot = fixture.client(data.token);
  await bot.repos.get(repository.at);
  time += 61 * 60 * 1000;
  expect((await httpErrorOf(bot.repos.get(repository.at))).status).toBe(401);
});

test('a token can be requested with fewer permissions than were granted, not with more', async () => {
  const repository = await fixture.repository();
  const app = fixture.client(jwt(claims(300)));
  const installation_id = repository.installation;
  const { data } = await app.apps.createInstallationAccessToken({
    installation_id,
    permissions: { issues: 'read' },
    repositories: [repository.at.repo],
  });
  const rejected = await httpErrorOf(
    fixture.client(data.token).issues.create({ ...repository.at, title: 'No' }),
  );
  expect(rejected).toMatchObject({
    status: 403,
    message: expect.stringContaining('not accessible by integration'),
  });
  const more = app.apps.createInstallationAccessToken({
    installation_id,
    permissions: { workflows: 'write' },
  });
  expect((await httpErrorOf(more)).status).toBe(422);
});

test('a request without permission is rejected with the permission that it needs', async () => {
  const repository = await fixture.repository({ permissions: { issues: 'write' } });
  const request = repository.bot.checks.create({ ...repository.at, name: 'x', head_sha: 'main' });
  await expect(request).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'x-accepted-github-permissions': 'checks=write' } },
  });
});

test('revoked permissions are gone at once', async () => {
  const repository = await fixture.repository();
  await repository.bot.issues.create({ ...repository.at, title: 'Yes' });
  fixture.forge.seed.setInstallationPermissions(repository.installation, { contents: 'read' });
  expect((await httpErrorOf(repository.bot.issues.create({ ...repository.at, title: 'No' }))).status).toBe(
    403,
  );
});

test('a private repository is not found without a role', async () => {
  const repository = await fixture.repository({ private: true });
  const elsewhere = await fixture.repository();
  for (const client of [fixture.person('out'), fixture.client(undefined), elsewhere.bot]) {
    expect((await httpErrorOf(client.repos.get(repository.at))).status).toBe(404);
  }
});

test('an unknown token is bad credentials', async () => {
  const repository = await fixture.repository();
  expect(await httpErrorOf(fixture.client('ghp_wrong').repos.get(repository.at))).toMatchObject({
    status: 401,
    message: expect.stringContaining('Bad credentials'),
  });
});

test('a person has a legacy permission next to the role', async () => {
  const repository = await fixture.repository();
  fixture.forge.seed.setCollaborator(repository.name, 'out', 'maintain');
  const of = async (username: string) => {
    const { data } = await repository.bot.repos.getCollaboratorPermissionLevel({
      ...repository.at,
      username,
    });
    return [data.permission, data.role_name];
  };
  expect(await of('ada')).toEqual(['admin', 'admin']);
  expect(await of('out')).toEqual(['write', 'maintain']);
  expect(await of('wil')).toEqual(['write', 'write']);
  expect(await of('tri')).toEqual(['read', 'triage']);
  expect(await of('ren')).toEqual(['read', 'read']);
});

test('without a role in a private repository the permission is none', async () => {
  const repository = await fixture.repository({ private: true });
  const { data } = await repository.bot.repos.getCollaboratorPermissionLevel({
    ...repository.at,
    username: 'out',
  });
  expect([data.permission, data.role_name]).toEqual(['none', 'none']);
});

test('a reader can comment, a triager can label, and neither can do more', async () => {
  const repository = await fixture.repository();
  const { data: issue } = await fixture
    .person('ren')
    .issues.create({ ...repository.at, title: 'T', labels: ['ignored'] });
  expect(issue.labels).toEqual([]);
  const label = { ...repository.at, issue_number: issue.number, labels: ['bug'] };
  expect((await httpErrorOf(fixture.person('ren').issues.addLabels(label))).status).toBe(403);
  await fixture.person('tri').issues.addLabels(label);
  const created = fixture
    .person('tri')
    .git.createRef({ ...repository.at, ref: 'refs/heads/x', sha: '0'.repeat(40) });
  expect((await httpErrorOf(created)).status).toBe(403);
});

test('an App finds the installation of a repository, and lists its repositories', async () => {
  const repository = await fixture.repository();
  const app = fixture.client(jwt(claims(300)));
  const { data: found } = await app.apps.getRepoInstallation(repository.at);
  expect(found.id).toBe(repository.installation);
  const { data: installations } = await app.apps.listInstallations({ per_page: 100 });
  expect(installations.map(({ id }) => id)).toContain(repository.installation);
  const { data: token } = await app.apps.createInstallationAccessToken({ installation_id: found.id });
  const { data } = await fixture.client(token.token).apps.listReposAccessibleToInstallation();
  expect(data.repositories.map(({ full_name }) => full_name)).toEqual([repository.name]);
});

test('GITHUB_TOKEN opens a pull request only where the settings allow it', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  await clone.commit('Work');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/topic');
  const token = fixture.forge.seed.actionsToken(repository.name, {
    contents: 'write',
    pull_requests: 'write',
  });
  const open = () =>
    fixture.client(token).pulls.create({ ...repository.at, head: 'topic', base: 'main', title: 'T' });
  expect((await httpErrorOf(open())).message).toContain(
    'GitHub Actions is not permitted to create or approve',
  );
  fixture.forge.seed.settings(repository.name, { actions_may_create_pull_requests: true });
  expect((await open()).data.user.login).toBe('github-actions[bot]');
});
