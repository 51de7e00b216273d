import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { type SignInFixture, startSignInFixture } from './sign-in-fixture.ts';

let fixture: SignInFixture;
beforeAll(async () => {
  fixture = await startSignInFixture();
}, 60_000);
afterAll(() => fixture?.end());

test('what a browser claims that GitHub has said is repeated in the log only after somebody got in', async () => {
  const lines = () => fixture.logged.filter((line) => line.includes('has suspended')).length;
  const browser = new Browser();
  await browser.get(`${fixture.url}/sign-in`);
  const state = new URL(browser.url).searchParams.get('state') ?? '';
  const back = new URL('/sign-in/callback', fixture.url);
  back.search = new URLSearchParams({ state, error: 'application_suspended' }).toString();
  for (const _ of [1, 2, 3]) expect((await browser.once(back.href)).status).toBe(503);
  expect(lines()).toBe(1);
  await fixture.signsIn('bob');
  expect((await browser.once(back.href)).status).toBe(503);
  expect(lines()).toBe(2);
});

test('a path that is no address is answered like any that there is not', async () => {
  const status = await new Promise((resolve, reject) => {
    request(fixture.url, { path: '//', timeout: 5000 }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(404);
});

test('nobody is signed out by another site, whose form comes without our cookies', async () => {
  for (const headers of [{}, { origin: 'null' }, { origin: 'https://evil.example' }]) {
    const answer = await new Browser().once(`${fixture.url}/sign-out`, { method: 'POST', headers });
    expect({ status: answer.status, cookies: answer.headers.getSetCookie() }).toEqual({
      status: 403,
      cookies: [],
    });
  }
});

test('whoever asks for numbers that lead to nothing has no run opened for them', async () => {
  const ada = await fixture.signsIn('ada');
  const before = fixture.opened();
  const path = `${fixture.url}/acme/api/pull/999`;
  for (const each of [path, `${path}?work=1`, `${path}/retry`, `${path}/progress`])
    expect({ each, status: (await ada.once(each)).status }).toEqual({ each, status: 404 });
  const shown = `${fixture.head} -`;
  await ada.post(`${path}/comment`, { command: 'steer', shown, at: `${shown} R1 a`, quote: '', remark: 'x' });
  expect(fixture.opened()).toBe(before);
});
