import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fragmentType } from '../../src/page/client/fragment-type.ts';
import { assetPaths } from '../../src/page/page-response.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { hostile } from './samples.ts';
import { at } from './waiting-run.ts';

let fixture: PageFixture;
let cookie = '';
let pull = '';

beforeAll(async () => {
  fixture = await startFixture();
  pull = `/acme/api/pull/${fixture.pull}`;
  const answer = await fetch(`${fixture.url}/?key=${encodeURIComponent(fixture.key)}`, {
    redirect: 'manual',
  });
  cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}, 30_000);

afterAll(() => fixture.end());

test('the key is exchanged for a cookie that scripts and other sites cannot use', async () => {
  const answer = await fetch(`${fixture.url}${pull}?key=${encodeURIComponent(fixture.key)}`, {
    redirect: 'manual',
  });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(pull);
  expect(answer.headers.get('set-cookie')).toMatch(
    /^coxswain_\d+=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/$/,
  );
});

test.each(['/', '/?key=wrong', '/acme/api/pull/1'])('without a session %s is refused', async (path) => {
  const answer = await fetch(fixture.url + path);
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('Open the address that Coxswain printed');
});

test('a POST without a session does nothing', async () => {
  const answer = await post({ text: 'Hello' }, { cookie: '' });
  expect(answer.status).toBe(401);
});

test('another host name that points here is refused', async () => {
  expect(await statusFor({ host: 'evil.example' })).toBe(421);
});

test.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }])(
  'a form from $origin is refused',
  async (headers) => {
    const before = await fixture.commentsOn(fixture.pull);
    expect((await post({ text: 'Hello' }, headers)).status).toBe(403);
    expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
  },
);

test('nothing inline and nothing from elsewhere is allowed to load', async () => {
  const answer = await get('/');
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  const page = await answer.text();
  expect(page).not.toMatch(/\sstyle=|\son\w+="|<script>|<style/);
});

test('browsers may keep assets for good', async () => {
  const answer = await fetch(fixture.url + assetPaths.script);
  expect(answer.headers.get('cache-control')).toContain('immutable');
  expect(answer.headers.get('content-type')).toContain('text/javascript');
});

test('a fragment is the main part alone, and is not sent again while it is unchanged', async () => {
  const first = await get(pull, { accept: fragmentType });
  const text = await first.text();
  expect(text).toMatch(/^<main id="main"/);
  const etag = first.headers.get('etag') ?? '';
  expect((await get(pull, { accept: fragmentType, 'if-none-match': etag })).status).toBe(304);
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: fixture.pull, body: 'One more thing.' });
  await expect
    .poll(async () => (await get(pull, { accept: fragmentType, 'if-none-match': etag })).status, {
      timeout: 5000,
    })
    .toBe(200);
});

test('reloading does not use up the rate limit while nothing changes', async () => {
  await get(pull);
  const requests = fixture.forge.requests;
  const countText = () => requests.api.filter(({ status }) => status !== 304).length;
  const before = countText();
  await get(pull);
  await get(pull);
  expect(countText()).toBe(before);
});

test('a form of more than 1 MiB is too large', async () => {
  expect((await post({ text: 'x'.repeat(1024 * 1024) })).status).toBe(413);
});

test('an empty comment is refused on the page', async () => {
  const answer = await post({ text: ' ' });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('The comment is empty');
});

test('a steer that may be a command is asked about, and then either is posted', async () => {
  const before = await fixture.commentsOn(fixture.pull);
  const asked = await post({ command: 'steer', text: 'lgtm /approve' });
  const page = await asked.text();
  expect(asked.status).toBe(409);
  expect(page).toContain('>lgtm /approve</textarea>');
  expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
  const say = /name="say" value="([^"]*)"/.exec(page)?.[1] ?? '';
  expect(say).toBe(`/approve ${fixture.head}`);
  expect(page).toContain('name="asked_about" value="lgtm /approve"');

  const about = { command: 'steer', asked_about: 'lgtm /approve' };
  expect((await post({ ...about, text: 'lgtm /cancel' })).status).toBe(409);
  expect((await post({ ...about, text: 'lgtm /approve' })).status).toBe(303);
  const left = await post({ say: '/status', asked_about: 'lgtm /approve', text: 'lgtm /approve' });
  expect(left.status).toBe(200);
  const rest = await left.text();
  expect(rest).toContain('Only <code>/status</code> was posted');
  expect(rest).toContain('>lgtm /approve</textarea>');
  expect((await post({ say: '/why', asked_about: 'why?', text: 'why?' })).status).toBe(303);
  const said = (await fixture.commentsOn(fixture.pull)).slice(before.length);
  expect(said).toEqual(['/steer lgtm /approve', '/status', '/why']);
});

test.each(['It looks good.\n\n/approve\n', '\u200b/approve', '~~~\n\u0000~~~\n/approve'])(
  'a command that does not begin its comment is not said by mistake: %j',
  async (text) => {
    const before = await fixture.commentsOn(fixture.pull);
    const answer = await post({ text });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('This comment has the command /approve in it: begin the comment');
    expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
  },
);

test("GitHub's refusal is shown, and the text is kept", async () => {
  fixture.forge.seed.fault({
    times: 1,
    path: /\/comments$/,
    method: 'POST',
    status: 403,
    body: { message: 'Locked <b>' },
  });
  const answer = await post({ text: 'My careful words' });
  const page = await answer.text();
  expect(answer.status).toBe(403);
  expect(page).toContain('The comment was not accepted: GitHub does not let you do that: Locked &lt;b&gt;');
  expect(page).toContain('>My careful words</textarea>');
});

test('who has to sign in to an organization first is told where', async () => {
  fixture.forge.seed.fault({
    ...{ times: 1, path: /\/comments$/, method: 'POST', status: 403 },
    headers: { 'x-github-sso': 'required; url=https://github.com/orgs/acme/sso' },
    body: { message: 'Resource protected by organization SAML enforcement.' },
  });
  const answer = await post({ text: 'Fine' });
  expect(await answer.text()).toContain('single sign-on first: open https://github.com/orgs/acme/sso');
});

test('an attempt has a page with what its verifiers printed, and others are not found', async () => {
  const page = await (await get(pull)).text();
  expect(page).toContain(`<a href="${pull}?work=1">Output of attempt 1</a>`);
  const answer = await get(`${pull}?work=1`);
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text).toContain('Iteration 0, attempt 1');
  expect(text).toContain('<h3>stdout</h3>');
  expect(text).not.toContain(hostile);
  for (const number of ['2', '0', 'x', '1e9']) expect((await get(`${pull}?work=${number}`)).status).toBe(404);
  expect((await get('/acme/api/pull/999?work=1')).status).toBe(404);
});

test('a repository where Coxswain is not installed is not found', async () => {
  expect((await get('/acme/secret/pull/1')).status).toBe(404);
  expect((await post({ text: 'x' }, {}, '/acme/secret/pull/1/comment')).status).toBe(404);
});

test('the page hides what GitHub hides from the person', async () => {
  expect((await get('/acme/api/pull/999')).status).toBe(404);
});

test('other paths are not handled by the page', async () => {
  expect((await get('/api/github/webhooks')).status).toBe(404);
  expect(await (await get('/api/github/webhooks')).text()).toBe('');
});

test('an address accepts only its own methods', async () => {
  expect((await get(`${pull}/comment`)).headers.get('allow')).toBe('POST');
  const answer = await fetch(fixture.url, { method: 'DELETE', headers: { cookie } });
  expect(answer.status).toBe(405);
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(fixture.url + path, { headers: { cookie, ...headers }, redirect: 'manual' });
}

function post(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  path = `${pull}/comment`,
): Promise<Response> {
  const init = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' } as const;
  return fetch(fixture.url + path, { ...init, headers: { cookie, origin: fixture.url, ...headers } });
}

/** `fetch` does not let a Host header be chosen. */
function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(fixture.url, { headers: { cookie, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
}
