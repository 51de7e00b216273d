import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, personClient, startDemo } from '../../../src/cli/demo/start-demo.ts';
import { launch } from '../../page/in-browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const phone = { viewport: { width: 360, height: 740 } };

let demo: Demo;
let browser: Browser;

describe('what to try next, on the page', { tags: ['chromium'] }, () => {
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo({ logLevel: 'silent', port: 0 }), launch()]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test.each([
    { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', ...phone },
  ] as const)('is for everyone, $colorScheme and $viewport.width pixels wide', async (options) => {
    // Our policy would keep the checker out.
    const page = await opened({ ...options, bypassCSP: true });
    for (const path of ['/', '/acme/widgets/issues/1']) {
      await page.goto(demo.app.url + path);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBe(options.viewport.width);
    }
  });

  test('stays collapsed while the page refreshes itself', { timeout: 90_000 }, async () => {
    const page = await opened({});
    await page.locator('#guide > summary').click();
    const { issues } = personClient(demo.forge, demo.people.ada).rest;
    await issues.addLabels({ owner: 'acme', repo: 'widgets', issue_number: 2, labels: ['coxswain'] });
    await expect
      .poll(() => page.locator('.guide').textContent(), { timeout: 60_000 })
      .toContain('done: Start');
    expect(await page.locator('#guide').getAttribute('open')).toBeNull();
  });

  test('leads on without scripts, and knows what has really happened', { timeout: 120_000 }, async () => {
    const page = await opened({ ...phone, javaScriptEnabled: false });
    await page.locator('.guide').getByRole('link', { name: 'issue #3' }).click();
    await page.getByRole('button', { name: 'Start a run' }).click();
    await expect.poll(() => reloaded(page), { timeout: 60_000 }).toContain('done: Start');
    await page.locator('.track-now').getByRole('link', { name: 'Watch it' }).click();
    await expect.poll(() => reloaded(page), { timeout: 90_000 }).toContain('override it with');
    expect(page.url()).toMatch(/\/acme\/widgets\/pull\/\d+#at-work$/);
  });
});

/** The first page, opened as the terminal says. */
async function opened(options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(demo.app.pageUrl ?? '');
  return page;
}

async function reloaded(page: Page): Promise<string> {
  await page.reload();
  return (await page.locator('.guide').textContent()) ?? '';
}
