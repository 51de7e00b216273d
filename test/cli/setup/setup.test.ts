import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../../src/app/environment/environment.ts';
import { startSetup } from '../../../src/cli/set-up.ts';
import { envText } from '../../../src/cli/setup/registration.ts';
import { appKey } from '../../app/environment/app-key.ts';
import { githubForm, open, reviewUrl, secrets, startStandIn, statusOf, temporaryFolder } from './stand-in.ts';

test('registering an App saves its secrets in two files that only the person can read', async () => {
  const page = await open();
  const { action, manifest, state } = await githubForm(page);
  expect(action).toBe(`https://github.example/settings/apps/new?state=${state}`);
  expect(manifest.redirect_url).toBe(`${page.origin}/callback`);

  const html = await (await fetch(`${page.origin}/callback?code=abc123&state=${state}`)).text();
  expect(page.github.requests).toEqual(['POST /app-manifests/abc123/conversions']);
  expect(html).toContain('https://github.example/apps/coxswain-of-ada/installations/new');

  const steps = [
    /Keep a copy of .*\.env.*key\.pem/,
    /npm run serve/,
    /installations\/new/,
    /href="https:\/\/coxswain\.example"/,
    /requires the check/,
  ];
  const places = [...steps, /coxswain doctor/].map((step) => html.search(step));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);

  const [env_path, key_path] = [join(page.folder, '.env'), join(page.folder, 'key.pem')];
  expect(await page.setup.done).toEqual({
    outcome: 'registered',
    app_id: 4711,
    slug: 'coxswain-of-ada',
    install_url: 'https://github.example/apps/coxswain-of-ada/installations/new',
    page_url: 'https://coxswain.example',
    env_path,
    key_path,
  });
  expect(await readFile(key_path, 'utf8')).toBe(secrets.pem);
  expect(parseEnv(await readFile(env_path, 'utf8'))).toEqual({
    APP_ID: '4711',
    PRIVATE_KEY_PATH: key_path,
    WEBHOOK_SECRET: secrets.webhook_secret,
    COXSWAIN_LEDGER_KEY: expect.stringMatching(key),
    GITHUB_CLIENT_ID: 'Iv23liTheClient',
    GITHUB_CLIENT_SECRET: secrets.client_secret,
    COXSWAIN_SESSION_KEY: expect.stringMatching(key),
    COXSWAIN_PAGE_URL: 'https://coxswain.example',
    GHE_HOST: 'github.example',
  });
  for (const path of [env_path, key_path]) expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (const secret of Object.values(secrets)) expect(html).not.toContain(secret);
  await expect(fetch(page.setup.url)).rejects.toThrow();
});

const key = /^k[0-9a-f]{8}:[\w+/]{43}=$/;

test('the App starts with what setup has saved, and people can sign in', async () => {
  const page = await open();
  page.github.answer = { status: 201, body: { ...page.github.answer.body, pem: appKey } };
  const { state } = await githubForm(page);
  await fetch(`${page.origin}/callback?code=abc&state=${state}`);
  const saved = parseEnv(await readFile(join(page.folder, '.env'), 'utf8'));
  const { signIn, pageUrl, unknownVariables } = readEnvironment(saved);
  expect(signIn).toMatchObject({ clientId: 'Iv23liTheClient', clientSecret: secrets.client_secret });
  expect(saved['COXSWAIN_LEDGER_KEY']).not.toBe(saved['COXSWAIN_SESSION_KEY']);
  expect({ pageUrl, unknownVariables }).toEqual({
    pageUrl: 'https://coxswain.example',
    unknownVariables: [],
  });
});

test.each([
  [{}, 'https://coxswain.example'],
  [{ webhook: 'https://coxswain.example:8443/hooks' }, 'https://coxswain.example:8443'],
  [{ webhook: 'https://smee.io/x1', delivery: 'proxy' }, 'http://127.0.0.1:3000'],
  [{ page: 'https://runs.example/' }, 'https://runs.example'],
  [{ webhook: 'http://coxswain.example', page: 'http://localhost:4000' }, 'http://localhost:4000'],
])('with %j, people sign in at %s', async (typed, url) => {
  const { manifest } = await githubForm(await open(), typed);
  expect(manifest.callback_urls).toEqual([`${url}/sign-in/callback`]);
});

test('the manifest combines app.yml with the form', async () => {
  const { manifest } = await githubForm(await open());
  expect(manifest).toEqual({
    name: 'Coxswain of Ada',
    url: 'https://github.example',
    description: 'Steer coding agents from the pull request.',
    public: false,
    hook_attributes: { url: 'https://coxswain.example/api/github/webhooks', active: true },
    redirect_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    callback_urls: ['https://coxswain.example/sign-in/callback'],
    default_permissions: {
      contents: 'write',
      pull_requests: 'write',
      issues: 'write',
      checks: 'write',
      statuses: 'write',
      merge_queues: 'read',
      metadata: 'read',
    },
    default_events: [
      'issues',
      'issue_comment',
      'pull_request',
      'pull_request_review',
      'check_run',
      'check_suite',
      'push',
      'merge_group',
    ],
  });
});

test('the App can belong to an organization and receive webhooks through a proxy', async () => {
  const page = await open();
  const typed = { organization: 'acme', webhook: 'https://smee.io/x1', delivery: 'proxy' };
  const { action, manifest, state } = await githubForm(page, typed);
  expect(action).toMatch('https://github.example/organizations/acme/settings/apps/new?state=');
  expect(manifest.hook_attributes.url).toBe('https://smee.io/x1');

  await fetch(`${page.origin}/callback?code=abc&state=${state}`);
  const env = parseEnv(await readFile(join(page.folder, '.env'), 'utf8'));
  expect(env).toMatchObject({ WEBHOOK_PROXY_URL: 'https://smee.io/x1' });
});

test('on github.com no host is saved', async () => {
  const page = await open({ githubUrl: 'https://github.com/' });
  const { state } = await githubForm(page);
  await fetch(`${page.origin}/callback?code=abc&state=${state}`);
  expect(await readFile(join(page.folder, '.env'), 'utf8')).not.toContain('GHE_');
});

test.each(['.env', 'key.pem'])(
  'an existing %s is refused before anything happens, and is not changed',
  async (name) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, name), 'mine');
    await expect(open({ folder })).rejects.toThrow(/already exists and is never overwritten/);
    expect(await readFile(join(folder, name), 'utf8')).toBe('mine');
  },
);

test('a dangling symbolic link is not followed', async () => {
  const folder = await temporaryFolder();
  await symlink(join(folder, 'elsewhere'), join(folder, '.env'));
  await expect(open({ folder })).rejects.toThrow(/already exists/);
});

test('a missing folder is refused before anything happens', async () => {
  await expect(open({ out: '/nonexistent/.env' })).rejects.toThrow(/its folder is missing or read-only/);
});

test('a file created in the meantime is kept, and the page says what to do', async () => {
  const page = await open();
  const { state } = await githubForm(page);
  await writeFile(join(page.folder, '.env'), 'mine');
  const response = await fetch(`${page.origin}/callback?code=abc&state=${state}`);
  expect(response.status).toBe(500);
  expect(await page.setup.done).toMatchObject({
    outcome: 'unsaved',
    problem: expect.stringContaining('a new private key, a new webhook secret and a new client secret'),
    settings_url: 'https://github.example/settings/apps/coxswain-of-ada',
  });
  expect(await readFile(join(page.folder, '.env'), 'utf8')).toBe('mine');
});

test('a state that is unknown or already used writes nothing', async () => {
  const page = await open();
  await githubForm(page);
  for (const query of ['code=abc', 'code=abc&state=', 'code=abc&state=guessed', 'state=guessed']) {
    expect((await fetch(`${page.origin}/callback?${query}`)).status).toBe(403);
  }
  expect(page.github.requests).toEqual([]);
});

test('a malformed code is not sent to GitHub', async () => {
  const page = await open();
  const { state } = await githubForm(page);
  const response = await fetch(`${page.origin}/callback?code=..%2F..%2Fuser&state=${state}`);
  expect(response.status).toBe(400);
  expect(page.github.requests).toEqual([]);
});

test('after an error of GitHub, reloading the page tries again', async () => {
  const page = await open();
  const { state } = await githubForm(page);
  const good = page.github.answer;
  const callback = `${page.origin}/callback?code=abc&state=${state}`;
  page.github.answer = { status: 500, body: {} };
  const refused = await fetch(callback);
  expect(refused.status).toBe(502);
  expect(await refused.text()).toContain('answered 500');
  page.github.answer = good;
  expect((await fetch(callback)).status).toBe(200);
});

test('an incomplete response is reported by its keys, without values', async () => {
  const page = await open();
  const { state } = await githubForm(page);
  page.github.answer = { status: 201, body: { ...page.github.answer.body, webhook_secret: null } };
  const text = await (await fetch(`${page.origin}/callback?code=abc&state=${state}`)).text();
  expect(text).toContain('webhook_secret');
  expect(text).not.toContain('PRIVATE KEY');
});

test('only the printed address opens the page', async () => {
  const page = await open();
  expect((await fetch(page.setup.url)).status).toBe(200);
  expect((await fetch(`${page.origin}/`)).status).toBe(403);
  expect((await fetch(reviewUrl({ ...page, key: 'guessed' }))).status).toBe(403);
  expect((await fetch(`${page.origin}/.env?key=${page.key}`)).status).toBe(404);
});

test('a request under another host name is refused', async () => {
  const { setup, origin } = await open();
  expect(await statusOf(setup.url, { host: 'rebound.example' })).toBe(403);
  expect(await statusOf(setup.url, { host: `localhost:${new URL(origin).port}` })).toBe(200);
  expect(await statusOf(setup.url, { method: 'POST' })).toBe(405);
});

test.each([
  [{ name: ' ' }, 'the App needs a name'],
  [{ name: 'x'.repeat(35) }, 'the name must have at most 34 characters'],
  [{ webhook: 'javascript:alert(1)' }, 'the webhook address must be an http or https address'],
  [{ webhook: 'http://localhost:3000' }, 'GitHub cannot reach an address of this machine'],
  [{ page: 'coxswain.example' }, 'the page&#39;s address must be an http or https address'],
  [{ page: 'https://coxswain.example/runs' }, 'must have no path: https://coxswain.example<'],
  [{ page: 'http://coxswain.example' }, 'people sign in at http://coxswain.example, where anyone on the way'],
  [{ webhook: 'http://coxswain.example' }, 'give an https address of the page'],
  [{ organization: '../admin' }, 'the organization must be a name'],
])('%j is explained on the form', async (typed, problem) => {
  const response = await fetch(reviewUrl(await open(), typed));
  expect(response.status).toBe(422);
  expect(await response.text()).toContain(problem);
});

test('text from the form is escaped', async () => {
  const page = await open();
  const name = '"><script>1</script>';
  const html = await (await fetch(reviewUrl(page, { name }))).text();
  expect(html).not.toContain('<script>');
  expect((await githubForm(page, { name })).manifest.name).toBe(name);
});

test('the page may send forms only to GitHub and itself', async () => {
  const { setup } = await open();
  const { headers } = await fetch(setup.url);
  const policy = headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; .*form-action 'self' https:\/\/github\.example;/);
  expect(headers.get('referrer-policy')).toBe('strict-origin');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('the page expires by itself', async () => {
  const { setup } = await open({ expiresAfterMinutes: 0 });
  expect(await setup.done).toEqual({ outcome: 'expired' });
});

test('the page can be stopped', async () => {
  const { setup } = await open();
  setup.stop();
  expect(await setup.done).toEqual({ outcome: 'stopped' });
  await expect(fetch(setup.url)).rejects.toThrow();
});

test('an invalid app.yml is named', async () => {
  const [folder, github] = [await temporaryFolder(), await startStandIn()];
  const options = { apiUrl: github.url, out: join(folder, '.env'), keyPath: join(folder, 'key.pem') };
  await expect(startSetup({ ...options, appYml: 'package.json' })).rejects.toThrow(
    /manifest from package\.json/,
  );
});

test.each(['plain', 'with space', 'with # sign', "with ' quote", 'with " quote', '$HOME'])(
  'the setting %j is read back unchanged',
  (value) => {
    expect(parseEnv(envText({ KEY: value }))).toEqual({ KEY: value });
  },
);
