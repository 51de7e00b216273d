import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch } from '../page/in-browser.ts';
import { startWebsite, type WebsiteFixture } from './website-fixture.ts';
import { playStory, type Story } from './website-story.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let fixture: WebsiteFixture;
let story: Story;
let browser: Browser;

describe('the forge in a browser', { tags: ['chromium'] }, () => {
  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startWebsite(), launch()]);
    story = await playStory(fixture);
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await fixture?.end();
  });

  test('every page can be used by everybody: light, dark, wide, narrow', { timeout: 180_000 }, async () => {
    const page = await open('/');
    const problems: string[] = [];
    for (const path of [...pagesOf(story), '/nobody/nothing']) {
      await page.goto(fixture.forge.url + path);
      // What is folded away is not looked at otherwise.
      await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');
      await page.evaluate(axe);
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1200, 360]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          const found = await violationsOn(page);
          problems.push(...found.map((one) => `${path} (${colorScheme}, ${width}): ${one}`));
          const wide = await page.evaluate('document.documentElement.scrollWidth');
          if (wide !== width) problems.push(`${path} is ${wide} wide, not ${width}`);
        }
      }
    }
    expect(problems).toEqual([]);
  });

  test('every page can be used without scripts', { timeout: 120_000 }, async () => {
    const plain = await open('/');
    // Not `javaScriptEnabled: false`: axe is a script, too.
    await plain.route('**/-/*.js', (route) => route.abort());
    for (const path of pagesOf(story)) {
      await plain.goto(fixture.forge.url + path);
      await plain.evaluate(axe);
      expect([path, await violationsOn(plain)]).toEqual([path, []]);
    }
    const page = await open('/', { javaScriptEnabled: false });
    await page.goto(`${fixture.forge.url}${story.at}/issues/${story.issue}`);
    await page.locator('#comment-text').fill('Posted plainly');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.locator('article', { hasText: 'Posted plainly' }).waitFor();
    expect(page.url()).toMatch(/#issuecomment-\d+$/);
    await page.context().close();
  });

  test('those who may not see the forge get a page that says so', async () => {
    const page = await open('/', { extraHTTPHeaders: { cookie: '' } }, false);
    expect(await page.locator('main').textContent()).toContain('Open the address that the demo printed');
    await page.evaluate(axe);
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  });

  test('people sign in at an App of another origin, which a form leads to', async () => {
    const { forge, app: signIn } = fixture;
    const app = createServer((_, response) => response.end('Welcome'));
    await new Promise<void>((listening) => app.listen(0, '127.0.0.1', listening));
    // A server that listens on a port has an address object.
    const callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
    forge.seed.setSignIn(signIn, { callback_urls: [callback] });
    const page = await open(`/login/oauth/authorize?client_id=${signIn.client_id}&state=abc`);
    await page.evaluate(axe);
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'button', 'Authorize as wil');
    await page.waitForURL((url) => url.pathname === '/callback');
    const { origin, searchParams } = new URL(page.url());
    expect([origin, [...searchParams.keys()]]).toEqual([new URL(callback).origin, ['code', 'iss', 'state']]);
    expect(await page.textContent('body')).toBe('Welcome');
    await page.context().close();
    await new Promise((closed) => app.close(closed));
  });

  test('hostile text runs nothing', { timeout: 60_000 }, async () => {
    const page = await open('/');
    for (const path of pagesOf(story)) {
      await page.goto(fixture.forge.url + path);
      expect(await page.evaluate('window.broken')).toBeUndefined();
      expect(await page.locator('main script, main img, main iframe').count()).toBe(0);
    }
  });

  test('a change is shown without losing what is typed, open or focused', { timeout: 30_000 }, async () => {
    const page = await open(`${story.at}/pull/${story.pull}`);
    await page.locator('#review summary').click();
    await page.locator('#review-text').fill('My review');
    await page.getByLabel('Request changes').check();
    await page.locator('#comment-text').pressSequentially('Half a ');
    await commentAs('wil', 'Meanwhile');
    await page.locator('article', { hasText: 'Meanwhile' }).waitFor({ timeout: 10_000 });
    await page.keyboard.type('sentence');
    expect(await page.locator('#comment-text').inputValue()).toBe('Half a sentence');
    expect(await page.locator('#review-text').inputValue()).toBe('My review');
    expect(await page.getByLabel('Request changes').isChecked()).toBe(true);
    expect(await page.locator('#review').getAttribute('open')).not.toBeNull();
  });

  test('the reason of a refusal stays while the page changes', { timeout: 30_000 }, async () => {
    const page = await open(`${story.at}/pull/${story.pull}`);
    await page.locator('#review summary').click();
    await page.getByLabel('Request changes').check();
    await page.getByRole('button', { name: 'Submit review' }).click();
    await page.locator('#refusal', { hasText: 'Review body or comments are required' }).waitFor();
    await commentAs('wil', 'Meanwhile, again');
    await page.locator('article', { hasText: 'Meanwhile, again' }).waitFor({ timeout: 10_000 });
    expect(await page.locator('#refusal').count()).toBe(1);
    await page.evaluate(axe);
    expect(await violationsOn(page)).toEqual([]);
  });

  test('a whole story can be played with the keyboard', { timeout: 60_000 }, async () => {
    const { at } = story;
    const page = await open(`${at}/pull/${story.draft}/files`);
    await press(page, 'link', 'Edit later.js');
    await page.getByLabel('The file').fill('export const discount = 0.2;\n');
    await page.getByLabel('Commit message').fill('Give more');
    await press(page, 'button', 'Commit changes');
    await page.waitForURL(`**${at}/pull/${story.draft}/files`);
    expect(await page.locator('main').textContent()).toContain('discount = 0.2');
    await press(page, 'link', 'Conversation');
    await press(page, 'button', 'Ready for review');
    await page.locator('.merge-box', { hasText: 'Merging is blocked' }).waitFor();
    fixture.forge.seed.unprotect(story.repository.name);
    await page.goto(page.url());
    await press(page, 'button', 'Squash and merge');
    await page
      .locator('#partial-pull-merging', { hasText: 'Pull request successfully merged and closed' })
      .waitFor();
  });
});

function pagesOf({ at, issue, pull, draft, merged, head, run }: Story): string[] {
  return [
    ...['/', at, `${at}/edit/main/src/total.js`],
    ...[
      `${at}/issues`,
      `${at}/issues?state=closed`,
      `${at}/issues/new`,
      `${at}/issues/${issue}`,
      `${at}/pulls`,
    ],
    ...[`${at}/pull/${pull}`, `${at}/pull/${pull}/checks`, `${at}/pull/${pull}/files`],
    ...[`${at}/pull/${draft}`, `${at}/pull/${draft}/checks`, `${at}/pull/${merged}`, `${at}/runs/${run}`],
    ...[`${at}/commit/${head}`, `${at}/compare/main...coxswain/1-discount`],
  ];
}

/** Each problem that axe finds, with where it is. */
async function violationsOn(page: Page): Promise<string[]> {
  const script = `axe.run().then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ' ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`;
  return await page.evaluate<string[]>(script);
}

async function commentAs(login: string, body: string): Promise<void> {
  await fixture
    .person(login)
    .issues.createComment({ ...story.repository.at, issue_number: story.pull, body });
}

async function press(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  await page.getByRole(role, { name }).first().focus();
  await page.keyboard.press('Enter');
}

/** A page of somebody who has signed in; an error in its scripts fails the test. */
async function open(path: string, options: BrowserContextOptions = {}, signedIn = true): Promise<Page> {
  const context = await browser.newContext(options);
  if (signedIn) await context.addCookies([{ name: 'session', value: 'open', url: fixture.forge.url }]);
  const page = await context.newPage();
  page.on('pageerror', (error) => expect.soft(error.message).toBe(''));
  page.on('console', (message) => expect.soft(message.text()).not.toContain('Content Security Policy'));
  await page.goto(fixture.forge.url + path);
  return page;
}
