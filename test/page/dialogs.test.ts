import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/github/markdown/command-parser.ts';
import { ada } from '../steering/samples.ts';
import { holdPost, launch, openIn } from './in-browser.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { at } from './waiting-run.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const phone = { colorScheme: 'dark', viewport: { width: 360, height: 740 } } as const;
const buttons = {
  retry: 'Retry Task (with modifications)',
  spawn: 'Create New Task (replaces failed task)',
  abandon: 'Abandon Task',
} as const;

let fixture: PageFixture;
let browser: Browser;

describe('the forms of a failed task', { tags: ['chromium'], timeout: 120_000 }, () => {
  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startFixture(), launch()]);
    const { run } = fixture;
    run.says(ada, '/steer more').agent.finishes().verifiers.fail('test');
    run.agent.finishes().verifiers.fail('test').agent.finishes().verifiers.fail('test');
    await fixture.record();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await fixture?.end();
  });

  test.each(['retry', 'spawn', 'abandon'] as const)(
    'the dialog of %s is opened and closed by keyboard, and focus returns to its button',
    async (action) => {
      const page = await open(run());
      const button = page.getByRole('button', { name: buttons[action] });
      await button.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: buttons[action] });
      await dialog.waitFor();
      expect(await page.evaluate(isFocusWithin)).toBe(`${action}-dialog`);
      await page.keyboard.press('Escape');
      await expect.poll(() => dialog.isVisible()).toBe(false);
      expect(await button.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);
      await page.keyboard.press('Space');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await expect.poll(() => dialog.isVisible()).toBe(false);
      expect(page.url()).toBe(fixture.url + run());
    },
  );

  test('what is typed survives refreshes, open and closed', async () => {
    const page = await open(run());
    await page.getByRole('button', { name: buttons.retry }).click();
    await page.locator('#retry-0-title').fill('Another title');
    await page.locator('#retry-0-description').fill('Careful words');
    await refreshWith(page, 'While it is open.');
    expect(await page.locator('#retry-dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await refreshWith(page, 'While it is closed.');
    await page.getByRole('button', { name: buttons.retry }).click();
    expect(await page.locator('#retry-0-title').inputValue()).toBe('Another title');
    expect(await page.locator('#retry-0-description').inputValue()).toBe('Careful words');
  });

  test('what is typed survives a reload, a lost session and a restart, until it is posted', async () => {
    const page = await open(run(), { bypassCSP: true });
    await page.getByRole('button', { name: buttons.spawn }).click();
    await page.locator('#spawn-0-description').fill('The first');
    await page.getByRole('button', { name: 'Add another task' }).click();
    await page.locator('#spawn-1-description').fill('The second');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.locator('#connection', { hasText: 'no longer signed in' }).waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Post /spawn' }).click();
    await page.locator('#spawn-dialog [data-notice]', { hasText: 'open this page in another tab' }).waitFor();
    expect(await page.locator('#spawn-1-description').inputValue()).toBe('The second');
    await page.context().addCookies(cookies);
    await page.reload();
    await page.getByRole('button', { name: buttons.spawn }).click();
    await page.locator('#spawn-1-description').waitFor();
    expect(await page.locator('#spawn-0-description').inputValue()).toBe('The first');
    expect(await page.locator('#spawn-1-description').inputValue()).toBe('The second');
    expect(await fixture.commentsOn(fixture.pull)).not.toContain('The first');
    await page.context().close();
  });

  test('up to ten tasks are written by keyboard alone, and left out again', async () => {
    const page = await open(run(), { bypassCSP: true, viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: buttons.spawn }).focus();
    await page.keyboard.press('Enter');
    for (let nth = 1; nth < 10; nth += 1) {
      await page.getByRole('button', { name: 'Add another task' }).focus();
      await page.keyboard.press('Enter');
      await page.locator(`#spawn-${nth}-name`).waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(`spawn-${nth}-name`);
    }
    expect(await page.evaluate(widestIn('#spawn-dialog'))).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    for (const nth of [1, 3]) {
      await page.locator(`#spawn-${nth}-leave-out`).focus();
      await page.keyboard.press('Space');
    }
    await page.getByRole('button', { name: 'Add another task' }).press('Enter');
    await expect.poll(() => page.locator('#spawn-dialog fieldset').count()).toBe(9);
    await page.context().close();
  });

  test('a mistake is shown at its field in the dialog, which gets the focus', async () => {
    const page = await open(run());
    await page.getByRole('button', { name: buttons.retry }).click();
    await page.locator('#retry-0-description').fill('Kept words');
    await page.locator('#retry-0-more summary').click();
    await page.locator('#retry-0-settings').fill('colour: red');
    await page.getByRole('button', { name: 'Post /retry' }).click();
    const field = page.locator('#retry-0-settings[aria-invalid]');
    await field.waitFor();
    expect(await field.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);
    expect(await page.locator('#retry-0-settings-problem').textContent()).toContain('colour');
    expect(await page.locator('#retry-0-description').inputValue()).toBe('Kept words');
    expect(await violationsOn(page)).toEqual([]);
  });

  test('what is typed while another task is added stays', async () => {
    const page = await open(run());
    await page.getByRole('button', { name: buttons.spawn }).click();
    await page.locator('#spawn-0-description').fill('The first');
    const release = await holdPost(page, '**/spawn');
    await page.getByRole('button', { name: 'Add another task' }).click();
    await page.locator('#spawn-dialog').getByRole('button', { name: 'Posting…' }).waitFor();
    await page.locator('#spawn-0-description').fill('The first, and more');
    release();
    await page.locator('#spawn-1-description').waitFor();
    expect(await page.locator('#spawn-0-description').inputValue()).toBe('The first, and more');
    await page.context().close();
  });

  test('what GitHub refuses is said in the dialog', async () => {
    const body = { message: 'The conversation is locked' };
    fixture.forge.seed.fault({ times: 1, path: /\/comments$/, method: 'POST', status: 403, body });
    const page = await open(run());
    await page.getByRole('button', { name: buttons.abandon }).click();
    await page.locator('#abandon-0-reason').fill('It is not worth it');
    await page.getByRole('button', { name: 'Post /abandon' }).click();
    await page.locator('#abandon-dialog [data-notice]', { hasText: 'locked' }).waitFor();
    expect(await page.locator('#abandon-0-reason').inputValue()).toBe('It is not worth it');
  });

  test('without scripts, a button leads to a page with the same form', async () => {
    const page = await open(run(), { javaScriptEnabled: false });
    await page.getByRole('button', { name: buttons.spawn }).click();
    await page.locator('#spawn-0-description').fill('Only the first');
    await page.getByRole('button', { name: 'Add another task' }).click();
    expect(await page.locator('#spawn-0-description').inputValue()).toBe('Only the first');
    await page.locator('#spawn-1-description').fill('The second');
    await page.locator('#spawn-1-depends_on').fill('nobody');
    await page.getByRole('button', { name: 'Post /spawn' }).click();
    expect(await page.locator('#spawn-1-depends_on-problem').textContent()).toContain('nobody');
    expect(await page.locator('#spawn-1-description').inputValue()).toBe('The second');
    await page.getByRole('link', { name: 'Back without posting' }).click();
    expect(page.url()).toBe(fixture.url + run());
    await page.context().close();
  });

  test('everyone can use them, also on a phone', async () => {
    const page = await open(run(), { ...phone, bypassCSP: true });
    for (const action of ['retry', 'spawn', 'abandon'] as const) {
      await page.goto(fixture.url + run());
      await page.getByRole('button', { name: buttons[action] }).click();
      await page.locator(`#${action}-dialog`).waitFor();
      expect([action, await violationsOn(page)]).toEqual([action, []]);
      expect([action, await page.evaluate(widestIn(`#${action}-dialog`))]).toEqual([action, true]);
      await page.goto(`${fixture.url}${run(`/${action}`)}`);
      expect([action, await violationsOn(page)]).toEqual([action, []]);
      expect([action, await page.evaluate(widestIn('html'))]).toEqual([action, true]);
    }
    await page.goto(`${fixture.url}/acme/api/issues/${fixture.issue}`);
    await page.locator('#describe-task > summary').click();
    expect(await violationsOn(page)).toEqual([]);
    await page.context().close();
  });

  test('several tasks are written in one dialog, and posted as one comment', async () => {
    const page = await open(run());
    await page.getByRole('button', { name: buttons.spawn }).click();
    await page.locator('#spawn-0-description').fill('Split the parser out');
    await page.getByRole('button', { name: 'Add another task' }).click();
    await page.locator('#spawn-1-name').waitFor();
    expect(
      await page.locator('#spawn-1-name').evaluate((each) => each === each.ownerDocument.activeElement),
    ).toBe(true);
    await page.locator('#spawn-1-title').fill('The rest');
    await page.locator('#spawn-1-description').fill('Use it');
    await page.locator('#spawn-1-depends_on').fill('task-1');
    await page.getByRole('button', { name: 'Post /spawn' }).click();
    await page.locator('#posted', { hasText: '/spawn' }).waitFor();
    expect(await page.locator('#spawn-dialog').isVisible()).toBe(false);
    const comment = (await fixture.commentsOn(fixture.pull)).at(-1) ?? '';
    expect(parseCommand(comment)).toMatchObject({
      type: 'spawn',
      tasks: [
        { name: 'task-1', description: 'Split the parser out' },
        { name: 'task-2', title: 'The rest', description: 'Use it', depends_on: ['task-1'] },
      ],
    });
  });

  test('a dialog stays open when others have decided meanwhile, and says so when it is sent', async () => {
    const page = await open(run());
    await page.getByRole('button', { name: buttons.abandon }).click();
    await page.locator('#abandon-0-reason').fill('Too late');
    fixture.run.says(ada, '/retry').agent.finishes();
    await fixture.record();
    await page.locator('#phase', { hasText: 'verifying' }).waitFor();
    expect(await page.locator('#abandon-dialog').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Post /abandon' }).click();
    await page.locator('#abandon-dialog [data-notice]', { hasText: 'not possible now' }).waitFor();
    expect(await page.locator('#abandon-0-reason').inputValue()).toBe('Too late');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#abandon-dialog').count()).toBe(0);
  });
});

const isFocusWithin = "document.activeElement.closest('dialog')?.id";

function widestIn(selector: string): string {
  return `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('${selector}'))`;
}

async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Waits until the page shows a new comment. */
async function refreshWith(page: Page, body: string): Promise<void> {
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: fixture.pull, body });
  await page.locator('#conversation', { hasText: body }).waitFor({ timeout: 30_000 });
}

function open(path: string, options: BrowserContextOptions = { bypassCSP: true }): Promise<Page> {
  return openIn(browser, fixture, { path, options });
}

function run(below = ''): string {
  return `/acme/api/pull/${fixture.pull}${below}`;
}
