import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assets, renderDocument } from '../../src/page/page-response.ts';
import { runView } from '../../src/page/views/run-view.ts';
import { type Story, story } from '../steering/story.ts';
import { launch } from './in-browser.ts';
import { runModel, speakerOf, usualView } from './samples.ts';

let browser: Browser;

describe('the time until a run goes on by itself', { tags: ['chromium'] }, () => {
  beforeAll(async () => {
    browser = await launch();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  });

  test('is counted down to the second, down to nothing', { timeout: 60_000 }, async () => {
    const { run, ends } = timed();
    const page = await browser.newPage();
    await page.clock.install({ time: ends - 545_000 });
    await show(page, run);
    const time = page.locator('#policy time[data-countdown]');
    await page.clock.pauseAt(ends - 545_000 + 2000);
    await expect.poll(() => time.textContent()).toBe('in 9 min 3 s');
    expect(await time.getAttribute('title')).toMatch(/^3 Mar 2025, 12:\d\d UTC$/);
    await page.clock.runFor(500_000);
    await expect.poll(() => time.textContent()).toBe('in 43 s');
    await page.clock.runFor(60_000);
    await expect.poll(() => time.textContent()).toBe('now');
  });

  test('is a time in UTC without the script', { timeout: 60_000 }, async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await show(page, timed().run);
    const text = await page.locator('#policy time[data-countdown]').textContent();
    expect(text).toMatch(/^3 Mar 2025, 12:\d\d UTC$/);
  });
});

function timed(): { readonly run: Story; readonly ends: number } {
  const approval = { mode: 'auto', on_timeout: 'proceed', on_timeout_written: true } as const;
  const run = story({ approval }).starts().works();
  const { standing } = run.state;
  if (standing.phase !== 'awaiting_approval' || standing.proceeds === undefined)
    throw new Error('it does not go on by itself');
  return { run, ends: Date.parse(standing.proceeds.at) };
}

/** The page with its own script, which finds nothing new when it asks. */
async function show(page: Page, run: Story): Promise<void> {
  const view = { view: usualView, input: null, news: null };
  const main = runView({ run: runModel(run), speaker: speakerOf(), ...view });
  const document = renderDocument({ title: 'A run', person: null, main }).text;
  await page.route('**/*', (route) => answer(route, document));
  await page.goto('http://127.0.0.1/run');
}

function answer(route: Route, document: string): Promise<void> {
  const request = route.request();
  const asset = assets.get(new URL(request.url()).pathname);
  if (asset !== undefined) return route.fulfill({ contentType: asset.type, body: asset.text });
  if (!request.isNavigationRequest()) return route.fulfill({ status: 304 });
  return route.fulfill({ contentType: 'text/html; charset=utf-8', body: document });
}
