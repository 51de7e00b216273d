import type { Browser as Chromium, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { launch } from './in-browser.ts';
import { type SignInFixture, startSignInFixture } from './sign-in-fixture.ts';

let fixture: SignInFixture;
let chromium: Chromium;
const hour = 60 * 60 * 1000;

describe('in a browser', { tags: ['chromium'], timeout: 60_000 }, () => {
  beforeAll(async () => {
    [fixture, chromium] = await Promise.all([startSignInFixture(), launch()]);
  }, 60_000);
  afterAll(async () => {
    await chromium?.close();
    await fixture?.end();
  });

  async function opens(path: string, browser = new Browser()): Promise<Page> {
    const context = await chromium.newContext();
    const cookies = [...browser.cookiesOf(fixture.url)].map(([name, value]) => ({ name, value }));
    const where = { domain: '127.0.0.1', path: '/', secure: true };
    await context.addCookies(cookies.map((cookie) => ({ ...cookie, ...where })));
    const page = await context.newPage();
    await page.goto(fixture.url + path);
    return page;
  }

  /** Resolves when the script has had the time to read the page again, or has not read it at all. */
  async function seesNoRequests(page: Page): Promise<readonly string[]> {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await page.waitForTimeout(2500);
    return asked;
  }

  test('the review of a batch stays as it is', async () => {
    const page = await opens('/', await fixture.signsIn('ada'));
    await page.locator('input[name=run]').first().check();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('button', { name: 'Say /approve on this run' }).waitFor();
    expect(await seesNoRequests(page)).toEqual([]);
    expect(await page.locator('#connection').isVisible()).toBe(false);
  });

  test('whose session is over while they write is told how to go on, and goes on', async () => {
    const browser = await fixture.signsIn('ada');
    const page = await opens(fixture.path, browser);
    await page.locator('#comment-text').fill('Words that matter');
    fixture.waits(9 * hour);
    const notice = page.locator('#connection', {
      hasText: 'open this page in another tab and sign in there',
    });
    await notice.waitFor();
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.locator('#message', { hasText: 'open this page in another tab' }).waitFor();
    expect(await page.locator('#comment-text').inputValue()).toBe('Words that matter');
    const again = await fixture.signsIn('ada');
    const where = { domain: '127.0.0.1', path: '/', secure: true };
    const cookies = [...again.cookiesOf(fixture.url)].map(([name, value]) => ({ name, value, ...where }));
    await page.context().addCookies(cookies);
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.locator('#conversation', { hasText: 'Words that matter' }).waitFor();
  });
});
