import { createSign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal, type Stage, setStage } from './stage.ts';

let stage: Stage;
let time = Date.parse('2026-03-01T10:00:00Z');
beforeAll(async () => {
  stage = await setStage({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(stage.recorder.problems).toEqual([]);
  await stage.end();
});

/** An App's JSON Web Token with claims of our choosing. */
function jwt(claims: Record<string, unknown>, key = stage.app.private_key): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}

const seconds = () => Math.floor(time / 1000);
const claims = (exp: number) => ({ iss: String(stage.app.id), iat: seconds() - 30, exp: seconds() + exp });

test('an App is known by the key it signs with', async () => {
  const { data } = await stage.client(jwt(claims(300))).apps.getAuthenticated();
  expect(data?.slug).toBe('helm');
});

test('a token of an App that lives too long, or has died, or is signed by another is refused', async () => {
  const other = stage.forge.seed.createApp({
    owner: 'ada',
    slug: 'other',
    webhook_url: '',
    webhook_secret: '',
    permissions: {},
    events: [],
  });
  for (const token of [jwt(claims(3600)), jwt(claims(-1)), jwt(claims(60), other.private_key)]) {
    expect((await refusal(stage.client(token).apps.getAuthenticated())).status).toBe(401);
  }
});

test('an installation token dies after an hour', async () => {
  const place = await stage.place({ private: true });
  const app = stage.client(jwt(claims(300)));
  const { data } = await app.apps.createInstallationAccessToken({ installation_id: place.installation });
  const bot = stage.client(data.token);
  await bot.repos.get(place.at);
  time += 61 * 60 * 1000;
  expect((await refusal(bot.repos.get(place.at))).status).toBe(401);
});

test('a token can be asked for with less than was granted, and not with more', async () => {
  const place = await stage.place();
  const app = stage.client(jwt(claims(300)));
  const installation_id = place.installation;
  const { data } = await app.apps.createInstallationAccessToken({
    installation_id,
    permissions: { issues: 'read' },
    repositories: [place.at.repo],
  });
  const refused = await refusal(stage.client(data.token).issues.create({ ...place.at, title: 'No' }));
  expect(refused).toMatchObject({
    status: 403,
    message: expect.stringContaining('not accessible by integration'),
  });
  const more = app.apps.createInstallationAccessToken({
    installation_id,
    permissions: { workflows: 'write' },
  });
  expect((await refusal(more)).status).toBe(422);
});

test('what an App may not do is refused with the permission it would need', async () => {
  const place = await stage.place({ permissions: { issues: 'write' } });
  const request = place.bot.checks.create({ ...place.at, name: 'x', head_sha: 'main' });
  await expect(request).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'x-accepted-github-permissions': 'checks=write' } },
  });
});

test('permissions that were taken back are gone at once', async () => {
  const place = await stage.place();
  await place.bot.issues.create({ ...place.at, title: 'Yes' });
  stage.forge.seed.setInstallationPermissions(place.installation, { contents: 'read' });
  expect((await refusal(place.bot.issues.create({ ...place.at, title: 'No' }))).status).toBe(403);
});

test('a private repository is not found by who has no part in it', async () => {
  const place = await stage.place({ private: true });
  const elsewhere = await stage.place();
  for (const client of [stage.person('out'), stage.client(undefined), elsewhere.bot]) {
    expect((await refusal(client.repos.get(place.at))).status).toBe(404);
  }
});

test('a token nobody was given is bad credentials', async () => {
  const place = await stage.place();
  expect(await refusal(stage.client('ghp_wrong').repos.get(place.at))).toMatchObject({
    status: 401,
    message: expect.stringContaining('Bad credentials'),
  });
});

test('the permission of a person is one of four words beside the real role', async () => {
  const place = await stage.place();
  stage.forge.seed.setCollaborator(place.name, 'out', 'maintain');
  const of = async (username: string) => {
    const { data } = await place.bot.repos.getCollaboratorPermissionLevel({ ...place.at, username });
    return [data.permission, data.role_name];
  };
  expect(await of('ada')).toEqual(['admin', 'admin']);
  expect(await of('out')).toEqual(['write', 'maintain']);
  expect(await of('wil')).toEqual(['write', 'write']);
  expect(await of('tri')).toEqual(['read', 'triage']);
  expect(await of('ren')).toEqual(['read', 'read']);
});

test('who has no role in a private repository has no permission', async () => {
  const place = await stage.place({ private: true });
  const { data } = await place.bot.repos.getCollaboratorPermissionLevel({ ...place.at, username: 'out' });
  expect([data.permission, data.role_name]).toEqual(['none', 'none']);
});

test('a reader comments, who triages labels, and neither may more', async () => {
  const place = await stage.place();
  const { data: issue } = await stage
    .person('ren')
    .issues.create({ ...place.at, title: 'T', labels: ['ignored'] });
  expect(issue.labels).toEqual([]);
  const label = { ...place.at, issue_number: issue.number, labels: ['bug'] };
  expect((await refusal(stage.person('ren').issues.addLabels(label))).status).toBe(403);
  await stage.person('tri').issues.addLabels(label);
  const created = stage
    .person('tri')
    .git.createRef({ ...place.at, ref: 'refs/heads/x', sha: '0'.repeat(40) });
  expect((await refusal(created)).status).toBe(403);
});

test('the installation of a repository is found by the App, and lists what it covers', async () => {
  const place = await stage.place();
  const app = stage.client(jwt(claims(300)));
  const { data: found } = await app.apps.getRepoInstallation(place.at);
  expect(found.id).toBe(place.installation);
  const { data: installations } = await app.apps.listInstallations({ per_page: 100 });
  expect(installations.map(({ id }) => id)).toContain(place.installation);
  const { data: token } = await app.apps.createInstallationAccessToken({ installation_id: found.id });
  const { data } = await stage.client(token.token).apps.listReposAccessibleToInstallation();
  expect(data.repositories.map(({ full_name }) => full_name)).toEqual([place.name]);
});

test('an App made from a manifest shows its secrets once', async () => {
  const manifest = {
    name: 'My Helm',
    url: 'https://example.com',
    redirect_url: 'http://127.0.0.1:1/done',
    hook_attributes: { url: 'http://127.0.0.1:1/hooks' },
    default_permissions: { issues: 'write' },
    default_events: ['issues'],
  };
  const form = new URLSearchParams({ manifest: JSON.stringify(manifest) });
  const address = `${stage.forge.url}/settings/apps/new?state=s`;
  const posted = await fetch(address, { method: 'POST', body: form, redirect: 'manual' });
  const target = new URL(posted.headers.get('location') ?? '');
  expect(target.searchParams.get('state')).toBe('s');
  const code = target.searchParams.get('code') ?? '';
  const { data } = await stage.client(undefined).apps.createFromManifest({ code });
  expect(data).toMatchObject({ slug: 'my-helm', pem: expect.stringContaining('PRIVATE KEY') });
  expect((await refusal(stage.client(undefined).apps.createFromManifest({ code }))).status).toBe(404);
});

test('GITHUB_TOKEN opens a pull request only where the settings allow it', async () => {
  const place = await stage.place();
  const clone = await stage.clone(place);
  await clone.commit('Work');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/topic');
  const token = stage.forge.seed.actionsToken(place.name, { contents: 'write', pull_requests: 'write' });
  const open = () =>
    stage.client(token).pulls.create({ ...place.at, head: 'topic', base: 'main', title: 'T' });
  expect((await refusal(open())).message).toContain('GitHub Actions is not permitted to create or approve');
  stage.forge.seed.settings(place.name, { actions_may_create_pull_requests: true });
  expect((await open()).data.user.login).toBe('github-actions[bot]');
});
