import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { looks, tooWide, violationsOn } from './axe.ts';
import { launch, signIn } from './in-browser.ts';
import { listRuns, waitingRuns } from './listed-runs.ts';
import { type SignInFixture, startSignInFixture } from './sign-in-fixture.ts';

let fixture: SignInFixture;
let browser: Browser;
/** One for each look, in which nobody is signed in at first. */
let pages: readonly Page[];

describe('for everyone', { tags: ['chromium'] }, () => {
  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startSignInFixture(), launch()]);
    // Our policy would keep the checker out.
    pages = await Promise.all(looks.map((look) => browser.newPage({ ...look, bypassCSP: true })));
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await fixture?.end();
  });

  test('the way in, also where GitHub or the person says no', { timeout: 60_000 }, async () => {
    for (const page of pages) {
      await isAccessible(page, fixture.path, 'You are not signed in');
      await isAccessible(page, '/sign-in/callback?error=access_denied&state=none', 'Not signed in');
    }
  });

  test('the way in stays under the fingers, and opens when somebody has signed in elsewhere', {
    timeout: 60_000,
  }, async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(fixture.url + fixture.path);
    await page.getByRole('link', { name: 'Sign in with GitHub' }).focus();
    for (let count = 0; count < 2; count += 1) await page.waitForResponse((each) => each.status() === 401);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in with GitHub');
    await signIn(await context.newPage(), fixture.url, 'ada');
    await page.locator('.person', { hasText: 'ada' }).waitFor();
    await context.close();
  });

  test('the inbox, with all that can wait, with what fits, and with nothing', {
    timeout: 120_000,
  }, async () => {
    listRuns(fixture, waitingRuns);
    for (const page of pages) {
      await signIn(page, fixture.url, 'ada');
      await isAccessible(page, '/', 'Drop Node.js 18');
      expect(await page.locator('#waiting [data-row]').count()).toBe(waitingRuns.length + 1);
      await isAccessible(page, '/?q=nowhere&risk=none', 'No run that fits waits for you.');
      await isAccessible(page, `${fixture.path}?from=q%3Dclock`, 'Back to the inbox');
    }
  });

  test('what would be said on many runs', { timeout: 60_000 }, async () => {
    for (const page of pages) {
      await page.goto(fixture.url);
      for (const row of [5, 7]) await page.locator('[data-row] > input').nth(row).check();
      expect([await violationsOn(page), await page.evaluate(tooWide)]).toEqual([[], 0]);
      await page.getByRole('button', { name: 'Approve…' }).click();
      await page.getByRole('button', { name: 'Say /approve on this run' }).waitFor();
      expect(await page.locator('#left-out li').count()).toBe(1);
      expect([await violationsOn(page), await page.evaluate(tooWide)]).toEqual([[], 0]);
    }
  });

  test('the list of keys', { timeout: 60_000 }, async () => {
    for (const page of pages) {
      await signIn(page, fixture.url, 'ada');
      await page.getByRole('button', { name: 'Keys' }).click();
      expect(await page.locator('dialog[open]').textContent()).toContain('Next run of the inbox');
      expect(await violationsOn(page)).toEqual([]);
    }
  });

  test('an inbox that has nothing', { timeout: 60_000 }, async () => {
    fixture.index.forget(fixture.repository.id);
    for (const page of pages) {
      await signIn(page, fixture.url, 'ada');
      await isAccessible(page, '/', 'No run waits for you.');
    }
  });

  test('the way out', { timeout: 60_000 }, async () => {
    for (const page of pages) {
      await signIn(page, fixture.url, 'ada');
      await isAccessible(page, '/sign-out', 'You are signed in as ada');
      await page.getByRole('button', { name: 'Sign out here' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      expect(await violationsOn(page)).toEqual([]);
    }
  });
});

/** Nothing keeps anybody out, and nothing is wider than the window. */
async function isAccessible(page: Page, path: string, shown: string): Promise<void> {
  await page.goto(fixture.url + path);
  expect(await page.locator('main').textContent()).toContain(shown);
  expect([path, await violationsOn(page), await page.evaluate(tooWide)]).toEqual([path, [], 0]);
}
