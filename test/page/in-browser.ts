import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { chromiumPath } from '../setup/machine.ts';
import { sharedFolder } from '../setup/run-folder.ts';
import type { PageFixture } from './page-fixture.ts';

const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** For tests with the tag `chromium`. */
export function launch(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('there is no Chromium on the search path or in CHROMIUM');
  // A browser that is ended may leave the folder of its socket: it goes with what tests share.
  const env = { ...process.env, TMPDIR: sharedFolder() };
  return chromium.launch({ executablePath: chromiumPath, args, env });
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

/** Signs in at the forge, and comes back to the inbox. */
export async function signIn(page: Page, url: string, login: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  const agree = page.getByRole('button', { name: `Authorize as ${login}` });
  // Whoever has agreed once is not asked again.
  if ((await agree.count()) > 0) await agree.click();
  await page.waitForURL(`${url}/`);
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('pageerror', (error) => expect.soft(error.message).toBe(''));
  return page;
}

/** Holds the next request to such an address on its way, until what is returned is called. */
export async function holdPost(page: Page, address: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, (route) => released.then(() => route.continue()), { times: 1 });
  return () => release();
}
