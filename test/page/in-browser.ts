import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PageFixture } from './page-fixture.ts';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Whether there is a browser to test with. */
export const isThere = existsSync(executablePath);

/** Which one, or why none. */
export const chromiumNote = isThere ? executablePath : 'skipped: no Chromium; set CHROMIUM';

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

interface Opening {
  readonly path: string;
  /** For a context of its own; without them, the first page is used again. */
  readonly options?: BrowserContextOptions;
}

/** A page with a session; an error in its scripts fails the test. */
export async function openIn(
  browser: Browser,
  { url, key }: Pick<PageFixture, 'url' | 'key'>,
  { path, options }: Opening,
): Promise<Page> {
  const known = browser.contexts()[0]?.pages()[0];
  const page = options === undefined && known !== undefined ? known : await newPage(browser, options ?? {});
  await page.goto(`${url}${path}?key=${encodeURIComponent(key)}`);
  return page;
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('pageerror', (error) => expect.soft(error.message).toBe(''));
  return page;
}
