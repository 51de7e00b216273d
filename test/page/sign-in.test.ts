import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fragmentType } from '../../src/page/client/fragment-type.ts';
import { newSealKey, parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSecretBox } from '../../src/seal/secret-box.ts';
import { Browser } from './browser.ts';
import { firstKey, type SignInFixture, startSignInFixture } from './sign-in-fixture.ts';

let fixture: SignInFixture;
beforeAll(async () => {
  fixture = await startSignInFixture();
}, 60_000);
beforeEach(() => fixture.useKeys(firstKey));
afterAll(() => fixture?.end());

const page = () => fixture.url + fixture.path;
const hour = 60 * 60 * 1000;

/** Begins to sign in, and stops where GitHub sends the browser back: returns that address. */
async function cameBack(browser: Browser, login = 'ada', to = fixture.path): Promise<URL> {
  await browser.get(`${fixture.url}/sign-in?${new URLSearchParams({ to })}`);
  const form = new URLSearchParams({ do: 'authorize', login });
  const headers = { origin: fixture.forge.url };
  const answer = await browser.once(browser.url, { method: 'POST', body: form, headers });
  return new URL(answer.headers.get('location') ?? '');
}

async function textOf(response: Response): Promise<string> {
  return response.text();
}

/** The page's cookies in a browser, by what they are for. */
function cookiesIn(browser: Browser) {
  const all = browser.cookiesOf(fixture.url);
  const names = [...all.keys()];
  const nameOf = (what: string) => names.find((name) => name.includes(`_${what}_`)) ?? '';
  return { all, session: nameOf('session'), attempt: nameOf('attempt') };
}

describe('who signs in', () => {
  test('comes back to where they were, as themselves, and can leave', async () => {
    const ada = await fixture.signsIn('ada');
    expect(ada.url).toBe(page());
    const shown = await textOf(await ada.get(page()));
    expect(shown).toContain('Commenting as <b>ada</b> · <a href="/sign-out">Sign out</a>');
    const bob = await fixture.signsIn('bob');
    expect(await textOf(await bob.get(page()))).toContain('Commenting as <b>bob</b>');
  });

  test('has a cookie that scripts, other sites and other hosts do not get, and that nobody can read', async () => {
    const browser = new Browser();
    const back = await cameBack(browser);
    const landed = await browser.once(back.href);
    const [cookie = ''] = landed.headers.getSetCookie();
    const [pair = '', ...attributes] = cookie.split('; ');
    expect(pair).toMatch(/^__Host-coxswain_session_\d+=v1~[\w.]+~[\w-]+$/);
    expect(attributes.toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure'].toSorted(),
    );
    const text = openSecretBox(parseSealKeys(firstKey)).open('session', pair.split('=')[1] ?? '');
    expect(JSON.parse(text ?? '')).toMatchObject({ login: 'ada', token: expect.stringMatching(/^ghu_/) });
    expect(text).not.toContain('ghr_');
    expect(landed.headers.get('cache-control')).toBe('no-store');
  });

  test('is led on at once where they are signed in already', async () => {
    const ada = await fixture.signsIn('ada');
    const { status, headers } = await ada.once(`${fixture.url}/sign-in?to=/`);
    expect({ status, to: headers.get('location') }).toEqual({ status: 303, to: '/' });
  });

  test('can do so in two tabs, and load the last step twice', async () => {
    const browser = new Browser();
    const first = await cameBack(browser);
    const second = await cameBack(browser, 'ada', '/');
    expect((await browser.once(second.href)).headers.get('location')).toBe('/');
    expect((await browser.once(first.href)).headers.get('location')).toBe(fixture.path);
    expect((await browser.once(first.href)).headers.get('location')).toBe(fixture.path);
  });

  test('begins anew where GitHub sent them without having been asked, as after an installation', async () => {
    const { status, headers } = await new Browser().once(
      `${fixture.url}/sign-in/callback?code=1&setup_action=install`,
    );
    expect(status).toBe(303);
    expect(headers.get('location')).toContain('/login/oauth/authorize?');
  });
});

describe('GitHub says no', () => {
  test('because the person did', async () => {
    const browser = new Browser();
    await browser.get(`${fixture.url}/sign-in?to=${fixture.path}`);
    const answer = await browser.post(browser.url, { do: 'cancel' });
    expect(answer.status).toBe(403);
    const text = await textOf(answer);
    expect(text).toContain('You did not authorize Coxswain at GitHub');
    expect(text).toContain(`href="/sign-in?to=${encodeURIComponent(fixture.path)}"`);
  });

  test('to a code that it does not know, or that was used', async () => {
    const browser = new Browser();
    const back = await cameBack(browser);
    back.searchParams.set('code', '0123456789abcdef0123');
    const answer = await browser.once(back.href);
    expect(answer.status).toBe(400);
    expect(await textOf(answer)).toContain('GitHub no longer accepts this sign-in');
  });

  test("to the App's own secret, which its operator reads in the log, without the secret", async () => {
    const browser = new Browser();
    const back = await cameBack(browser);
    fixture.useSecret('another-secret');
    const answer = await browser.once(back.href);
    fixture.useSecret(fixture.app.client_secret);
    expect(answer.status).toBe(500);
    expect(await textOf(answer)).toContain('GITHUB_CLIENT_SECRET');
    expect(fixture.logged.join('\n')).toContain('GITHUB_CLIENT_SECRET');
    expect(fixture.logged.join('\n')).not.toMatch(/another-secret|ghu_/);
  });

  test('in words that nobody knows', async () => {
    const browser = new Browser();
    const back = await cameBack(browser);
    back.searchParams.delete('code');
    back.searchParams.set('error', 'out_of_tea');
    back.searchParams.set('error_description', '<script>alert(1)</script>');
    const answer = await browser.once(back.href);
    expect(answer.status).toBe(502);
    expect(await textOf(answer)).not.toContain('alert(1)');
  });

  test.each([{ status: 503 }, { status: 403 }, { drop: 'before' } as const])(
    'by not answering: %j',
    async (outage) => {
      const browser = new Browser();
      const back = await cameBack(browser);
      fixture.forge.seed.fault({ times: 1, path: /access_token/, method: 'POST', ...outage });
      const answer = await browser.once(back.href);
      expect(answer.status).toBe(503);
      expect(await textOf(answer)).toContain('GitHub cannot be reached to sign you in right now');
    },
  );
});

describe('an attack on signing in', () => {
  test('with the answer to somebody else signs nobody in', async () => {
    const mallory = new Browser();
    const back = await cameBack(mallory, 'bob');
    const victim = new Browser();
    const answer = await victim.once(back.href);
    expect(answer.status).toBe(403);
    expect(await textOf(answer)).toContain('not begun in this browser');
    expect(answer.headers.getSetCookie()).toEqual([]);
    // Also where the victim has begun one as well.
    await cameBack(victim, 'ada');
    expect((await victim.once(back.href)).status).toBe(403);
    expect(cookiesIn(victim).session).toBe('');
  });

  test.each([
    ['a changed state', (back: URL) => back.searchParams.set('state', `${back.searchParams.get('state')}x`)],
    ['no state', (back: URL) => back.searchParams.set('state', '')],
    ['two states', (back: URL) => back.searchParams.append('state', 'other')],
    ['two codes', (back: URL) => back.searchParams.append('code', 'other')],
    ['another issuer', (back: URL) => back.searchParams.set('iss', 'https://evil.example')],
  ])('with %s signs nobody in', async (_what, change) => {
    const browser = new Browser();
    const back = await cameBack(browser);
    change(back);
    const answer = await browser.once(back.href);
    expect([400, 403, 502]).toContain(answer.status);
    expect(cookiesIn(browser).session).toBe('');
  });

  test('with an old answer signs nobody in', async () => {
    const browser = new Browser();
    const back = await cameBack(browser);
    fixture.waits(11 * 60 * 1000);
    expect((await browser.once(back.href)).status).toBe(403);
  });

  test("with a code of another browser fails at GitHub, for the verifier is another one's", async () => {
    const mallory = new Browser();
    const stolen = (await cameBack(mallory, 'bob')).searchParams.get('code') ?? '';
    const victim = new Browser();
    const back = await cameBack(victim);
    back.searchParams.set('code', stolen);
    expect((await victim.once(back.href)).status).toBe(400);
    expect(cookiesIn(victim).session).toBe('');
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '//',
    '/\\[',
    '/\\evil.example/',
    '/%2f%2fevil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/sign-out',
    '/sign-in/callback?code=1',
    `/acme/api/pull/1?q=${'x'.repeat(3000)}`,
    '/acme/api/../../../etc/passwd',
  ])('with the return path %j leads to the inbox', async (to) => {
    const browser = new Browser();
    const back = await cameBack(browser, 'ada', to);
    expect((await browser.once(back.href)).headers.get('location')).toBe('/');
  });

  test('with another name for this host is answered before anything else', async () => {
    const paths = ['/sign-in', '/sign-in/callback?code=1&state=2', '/sign-out', fixture.path];
    const { request } = await import('node:http');
    const statuses = paths.map(
      (path) =>
        new Promise((resolve, reject) => {
          const headers = { host: 'evil.example' };
          request(fixture.url + path, { headers }, ({ statusCode }) => resolve(statusCode))
            .on('error', reject)
            .end();
        }),
    );
    expect(await Promise.all(statuses)).toEqual([421, 421, 421, 421]);
  });
});

describe('a session', () => {
  const junk = {
    'cut off': (value: string) => value.slice(0, -5),
    changed: (value: string) => value.replace(/.{8}$/, 'AAAAAAAA'),
    'of another key': () => openSecretBox(parseSealKeys(newSealKey())).close('session', '{}'),
    'of another purpose': () => openSecretBox(parseSealKeys(firstKey)).close('sign-in', '{}'),
    'of another version': () => openSecretBox(parseSealKeys(firstKey)).close('session', '{"user":1}'),
    'of 4 kB': () => 'x'.repeat(4000),
    empty: () => '',
    'made of separators': () => '~~~~',
  };

  test.each(Object.entries(junk))('that is %s is none, and leads to signing in', async (_what, make) => {
    const ada = await fixture.signsIn('ada');
    const { all, session } = cookiesIn(ada);
    all.set(session, make(all.get(session) ?? ''));
    const visit = await ada.once(page());
    expect({ status: visit.status, to: visit.headers.get('location') }).toEqual({
      status: 303,
      to: `/sign-in?to=${encodeURIComponent(fixture.path)}`,
    });
    const headers = { accept: fragmentType };
    expect((await ada.once(page(), { headers })).status).toBe(401);
  });

  test('that is over is begun again without a question, and words that come too late are shown', async () => {
    const ada = await fixture.signsIn('ada');
    fixture.waits(8 * hour + 1);
    const late = await ada.post(`${page()}/comment`, { command: 'steer', text: 'Use <b>tabs</b>' });
    expect(late.status).toBe(401);
    const text = await textOf(late);
    expect(text).toContain('What you wrote (not posted)');
    expect(text).toContain('Use &lt;b&gt;tabs&lt;/b&gt;');
    fixture.forge.seed.signsIn('ada');
    const again = await ada.get(page());
    fixture.forge.seed.signsIn(null);
    expect({ status: again.status, url: ada.url }).toEqual({ status: 200, url: page() });
    expect(await textOf(again)).toContain('Commenting as <b>ada</b>');
  });

  test('outlasts a rotation of its key, but not its loss', async () => {
    const ada = await fixture.signsIn('ada');
    const next = newSealKey();
    fixture.useKeys(`${next},${firstKey}`);
    expect((await ada.once(page())).status).toBe(200);
    fixture.useKeys(`${next},!${firstKey.split(':')[0]}`);
    expect((await ada.once(page())).status).toBe(303);
    fixture.useKeys(next);
    expect((await ada.once(page())).status).toBe(303);
  });

  test.each([
    [{}],
    [{ origin: 'null' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'http://127.0.0.1:1' }],
  ])('does nothing for another site: %j', async (headers) => {
    const ada = await fixture.signsIn('ada');
    const before = await fixture.commentsOn(fixture.pull);
    const own = [`${fixture.path}/comment`, `${fixture.path}/abandon`];
    const paths = [...own, '/batch', '/batch/say', '/sign-out', '/sign-out?everywhere'];
    for (const path of paths) {
      const body = new URLSearchParams({ command: 'cancel', text: '' });
      const answer = await ada.once(fixture.url + path, { method: 'POST', body, headers });
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    }
    expect(await fixture.commentsOn(fixture.pull)).toEqual(before);
    expect((await ada.once(page())).status).toBe(200);
  });

  test('is nowhere on a page, whose frame no other site may be', async () => {
    const ada = await fixture.signsIn('ada');
    for (const path of [fixture.path, '/', '/sign-out']) {
      const answer = await ada.once(fixture.url + path);
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(await textOf(answer)).not.toMatch(/ghu_|ghr_|v1~/);
    }
    expect(fixture.logged.join('\n')).not.toMatch(/ghu_|ghr_|v1~/);
  });
});

describe('leaving', () => {
  /** What GitHub answers whoever uses a browser's token. */
  async function statusAtGitHub(browser: Browser): Promise<number> {
    const { all, session } = cookiesIn(browser);
    const text = openSecretBox(parseSealKeys(firstKey)).open('session', all.get(session) ?? '') ?? '{}';
    const authorization = `Bearer ${JSON.parse(text).token}`;
    return (await fetch(`${fixture.forge.apiUrl}/user`, { headers: { authorization } })).status;
  }

  test('ends the session here and its token at GitHub, and no other', async () => {
    const [here, there] = [await fixture.signsIn('bob'), await fixture.signsIn('bob')];
    const asked = await textOf(await here.get(`${fixture.url}/sign-out`));
    expect(asked).toContain('You are signed in as <b>bob</b>.');
    const kept = new Map(here.cookiesOf(fixture.url));
    const left = await here.post(`${fixture.url}/sign-out`, {});
    expect(await textOf(left)).toContain('You are signed out');
    expect(cookiesIn(here).session).toBe('');
    // Whoever has kept the cookie has nothing of it.
    for (const [name, value] of kept) here.cookiesOf(fixture.url).set(name, value);
    expect(await statusAtGitHub(here)).toBe(401);
    expect((await here.once(page())).status).toBe(401);
    expect((await there.once(page())).status).toBe(200);
  });

  test('everywhere ends all sessions of the person, and what they have agreed to', async () => {
    const [here, there, ada] = [
      await fixture.signsIn('bob'),
      await fixture.signsIn('bob'),
      await fixture.signsIn('ada'),
    ];
    const left = await here.post(`${fixture.url}/sign-out?everywhere`, {});
    expect(await textOf(left)).toContain('You are signed out');
    expect(await statusAtGitHub(there)).toBe(401);
    expect((await there.once(page())).status).toBe(401);
    expect((await ada.once(page())).status).toBe(200);
    const again = await fixture.signsIn('bob');
    expect((await again.once(page())).status).toBe(200);
  });

  test('everywhere is not said to be done while GitHub cannot be told', async () => {
    const ada = await fixture.signsIn('ada');
    fixture.forge.seed.fault({ times: 1, path: /\/grant$/, method: 'DELETE', status: 502 });
    const failed = await ada.post(`${fixture.url}/sign-out?everywhere`, {});
    expect(failed.status).toBe(503);
    expect(await textOf(failed)).toContain('none of them has ended');
    expect((await ada.once(page())).status).toBe(200);
  });

  test('takes a form, which a link is not', async () => {
    const ada = await fixture.signsIn('ada');
    expect((await ada.get(`${fixture.url}/sign-out?everywhere`)).status).toBe(200);
    expect((await ada.once(page())).status).toBe(200);
  });

  test('from GitHub, of which the App is told, ends sessions that have begun before', async () => {
    const ada = await fixture.signsIn('ada');
    const { data } = await fixture.ada.rest.users.getAuthenticated();
    fixture.entrance.revoke(data.id);
    expect((await ada.once(page())).status).toBe(401);
    fixture.waits(1);
    const again = await fixture.signsIn('ada');
    expect((await again.once(page())).status).toBe(200);
  });

  test('everywhere does not keep people out whose page has its clock set back', async () => {
    const bob = await fixture.signsIn('bob');
    await bob.post(`${fixture.url}/sign-out?everywhere`, {});
    fixture.waits(-hour);
    const again = await fixture.signsIn('bob');
    expect((await again.once(page())).status).toBe(200);
    fixture.waits(hour);
  });

  test('from GitHub, of which the App is not told, is noticed, and nothing written is lost', async () => {
    const ada = await fixture.signsIn('ada');
    expect((await ada.once(page())).status).toBe(200);
    fixture.forge.seed.revokeAuthorization(fixture.app, 'ada');
    const late = await ada.post(`${page()}/comment`, { command: 'steer', text: 'Use tabs' });
    const text = await textOf(late);
    expect({ status: late.status, cookie: cookiesIn(ada).session }).toEqual({ status: 401, cookie: '' });
    expect(text).toContain('You are no longer signed in');
    expect(text).toContain('Use tabs');
    expect(text).toContain('href="/sign-in?to=');
  });
});
