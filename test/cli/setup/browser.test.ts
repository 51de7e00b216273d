import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch } from '../../page/in-browser.ts';
import { open as openSetup } from './stand-in.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;

describe('setup in a browser', { tags: ['chromium'], timeout: 60_000 }, () => {
  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterAll(() => browser?.close());

  const themes = [
    { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  ] as const;

  test.each(themes)('no page of it has a fault that axe finds, or is too wide: %j', async (theme) => {
    const setup = await openSetup();
    // Only to run axe.
    const page = await opened({ ...theme, bypassCSP: true });
    await page.goto(setup.setup.url);
    await expectGood(page, 'Register your Coxswain App');
    await page.goto(`${setup.setup.url.replace('/?', '/review?')}&name=&webhook=x&delivery=direct`);
    await expectGood(page, 'Register your Coxswain App');
    expect(await page.getByRole('alert').textContent()).toContain('the App needs a name');
    await fillIn(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectGood(page, 'What GitHub will be asked for');
    await page.locator('summary').click();
    await expectGood(page, 'What GitHub will be asked for');
    const state = await stateIn(page);
    await page.goto(`${setup.origin}/callback?code=abc&state=unknown`);
    await expectGood(page, 'That did not work');
    await page.goto(`${setup.origin}/callback?code=abc123&state=${state}`);
    await expectGood(page, 'The App is registered');
    await page.context().close();
  });

  test('the keyboard is enough, without scripts', async () => {
    const setup = await openSetup();
    const page = await opened({ javaScriptEnabled: false });
    await page.goto(setup.setup.url);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Coxswain of Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('https://coxswain.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/review/);
    expect(await page.locator('h1').textContent()).toBe('What GitHub will be asked for');
    expect(await page.locator('main').textContent()).toContain('The App Coxswain of Ada will ask for this');
    await page.context().close();
  });

  test('each permission and each event has its reason', async () => {
    const setup = await openSetup();
    const page = await opened({});
    await page.goto(setup.setup.url);
    await fillIn(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    // The policy allows the style.
    expect(await page.evaluate('getComputedStyle(document.body).marginTop')).toBe('0px');
    const rows = await page.locator('tbody tr').allTextContents();
    expect(rows).toHaveLength(7);
    expect(rows.join('\n')).toContain('Checkswriteshows what the verifiers say');
    const events = await page.locator('section[aria-labelledby=events] li').allTextContents();
    expect(events).toHaveLength(8);
    expect(`${rows.join()}${events.join()}`).not.toContain('app.yml');
    await page.context().close();
  });
});

async function opened(options: BrowserContextOptions): Promise<Page> {
  return (await browser.newContext(options)).newPage();
}

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Name of the App').fill('Coxswain of Ada');
  await page.getByLabel('Address for webhooks').fill('https://coxswain.example');
}

async function stateIn(page: Page): Promise<string> {
  const action = await page.locator('form').getAttribute('action');
  return new URL(action ?? '').searchParams.get('state') ?? '';
}

async function expectGood(page: Page, title: string): Promise<void> {
  expect(await page.locator('h1').textContent()).toBe(title);
  await page.evaluate(axe);
  const found = await page.evaluate('axe.run()');
  const { violations } = found as {
    violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  };
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}
