import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runIn } from '../steering/phases.ts';
import { launch, openIn } from './in-browser.ts';
import { addRun, listRuns } from './listed-runs.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';

let fixture: PageFixture;
let browser: Browser;
/** The run that comes after the usual one. */
let second: number;

describe('by keyboard alone', { tags: ['chromium'], timeout: 60_000 }, () => {
  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startFixture(), launch()]);
    second = await addRun(fixture);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await fixture?.end();
  });

  test('keys lead to steering and rejecting, and send nothing', async () => {
    const page = await open(pathTo(second));
    await page.keyboard.press('r');
    expect(await focusIsIn(page, '#reject[open]')).toBe(true);
    await page.keyboard.type('just');
    expect(await page.locator('#reject textarea').inputValue()).toBe('just');
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    expect(await focusIsIn(page, '#comment-form')).toBe(true);
    await page.keyboard.type('ask r?');
    expect(await page.locator('#comment-text').inputValue()).toBe('ask r?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect(await focusIsIn(page, '#reject[open]')).toBe(true);
    expect(await page.locator('#comment-text').inputValue()).toBe('ask r?');
    const said = await fixture.commentsOn(second);
    expect(said.filter((text) => text.startsWith('/reject') || text.startsWith('/steer'))).toEqual([]);
    await page.context().close();
  });

  test('keys lead from the inbox to an approval, and on to the next run', async () => {
    const page = await open('/', { viewport: { width: 900, height: 300 } });
    for (const [key, number] of [
      ['j', fixture.pull],
      ['j', second],
      ['j', second],
      ['k', fixture.pull],
      ['k', fixture.pull],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focusedRow(page)).toBe(rowOf(number));
      expect(await isInSight(page, number)).toBe(true);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${pathTo(fixture.pull)}?from=`);
    await page.keyboard.press('a');
    expect(await focusIsIn(page, '#button-approve')).toBe(true);
    expect(await fixture.commentsOn(fixture.pull)).not.toContain(`/approve ${fixture.head}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${pathTo(second)}?from=&said=*`);
    expect(await page.locator('main').textContent()).toContain(
      `Posted /approve on acme/api#${fixture.pull}.`,
    );
    expect(await fixture.commentsOn(fixture.pull)).toContain(`/approve ${fixture.head}`);
    await page.context().close();
  });

  test('without scripts the tabulator and Enter are enough', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    expect(await page.getByRole('button', { name: 'Keys' }).isVisible()).toBe(false);
    await tabTo(page, `${rowId(second)} a`);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${pathTo(second)}?from=`);
    await tabTo(page, '#button-approve button');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${pathTo(fixture.pull)}?from=&said=*`);
    expect(await fixture.commentsOn(second)).toContain(`/approve ${fixture.head}`);
    await page.context().close();
  });

  test('a key that leads nowhere says so, and keys of the browser are left alone', async () => {
    const page = await open(pathTo(fixture.pull));
    await page.locator('#posted', { hasText: 'Posted /approve' }).waitFor();
    await page.keyboard.press('a');
    await message(page, 'What was posted waits for Coxswain first.');
    await page.goto(`${fixture.url}/?q=nowhere`);
    await page.keyboard.press('j');
    await message(page, 'There is no list of waiting runs here.');
    await page.keyboard.press('r');
    await message(page, 'Nothing can be rejected here now.');
    await page.goto(fixture.url);
    for (const key of ['Control+j', 'Alt+j', 'Meta+j']) await page.keyboard.press(key);
    expect(await focusedRow(page)).toBeUndefined();
    await page.context().close();
  });

  test('? lists the keys, which can be switched off and on again', async () => {
    const page = await open('/');
    await page.keyboard.press('?');
    await page.locator('#keys[open]').waitFor();
    await page.keyboard.press('j');
    expect(await focusIsIn(page, '#keys')).toBe(true);
    await tabTo(page, '#keys-on');
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.reload();
    await page.keyboard.press('j');
    expect(await focusedRow(page)).toBeUndefined();
    await page.getByRole('button', { name: 'Keys' }).click();
    expect(await page.locator('#keys-on').isChecked()).toBe(false);
    await page.locator('#keys-on').check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    expect(await focusedRow(page)).toBe(rowOf(fixture.pull));
    await page.context().close();
  });

  test('a row keeps the focus when the list changes, and leaves it to the next one', async () => {
    const page = await open('/', {}, 'delete Element.prototype.moveBefore');
    const waits = runIn.awaiting_approval();
    listRuns(fixture, [
      ['The first', waits],
      ['The middle', waits],
      ['The last', waits],
    ]);
    await page.locator('#waiting', { hasText: 'The last' }).waitFor();
    await page.locator(`${rowId(102)} a`).focus();
    listRuns(fixture, [['Another name, with more risk', runIn.awaiting_permission()]], 102);
    await page.locator('#waiting li:first-child', { hasText: 'Another name' }).waitFor();
    expect(await focusedRow(page)).toBe(rowOf(102));
    await page.keyboard.press('j');
    const [next, after] = await page
      .locator('#waiting li')
      .evaluateAll((all) => all.slice(1, 3).map(({ id }) => id));
    expect(await focusedRow(page)).toBe(next);
    const { number } = /#(?<number>\d+)$/.exec(next ?? '')?.groups ?? {};
    listRuns(fixture, [['Settled', runIn.rejected()]], Number(number));
    await page.locator('#ended', { hasText: 'Settled' }).waitFor();
    expect(await focusedRow(page)).toBe(after);
    fixture.index.forget(fixture.repository.id);
    await page.locator('#waiting', { hasText: 'No run waits for you.' }).waitFor();
    expect(await focusIsIn(page, 'main')).toBe(true);
    await page.context().close();
  });
});

/** A context of its own, with a script that runs before those of the page. */
async function open(path: string, options: BrowserContextOptions = {}, before = ''): Promise<Page> {
  const page = await openIn(browser, fixture, { path: '/', options });
  await page.addInitScript(before);
  await page.goto(fixture.url + path);
  return page;
}

function pathTo(number: number): string {
  return `/acme/api/pull/${number}`;
}

function rowOf(number: number): string {
  return `run-acme/api#${number}`;
}

function rowId(number: number): string {
  return `[id="${rowOf(number)}"]`;
}

/** Whether the whole row is within the window. */
function isInSight(page: Page, number: number): Promise<boolean> {
  const box = `document.getElementById(${JSON.stringify(rowOf(number))}).getBoundingClientRect()`;
  return page.evaluate<boolean>(`${box}.top >= 0 && ${box}.bottom <= innerHeight`);
}

/** The id of the row whose link has the focus. */
function focusedRow(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>("document.activeElement.closest('a')?.closest('[data-row]')?.id");
}

function focusIsIn(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(`document.activeElement.closest(${JSON.stringify(selector)}) !== null`);
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < 100 && !(await focusIsIn(page, selector)); step += 1)
    await page.keyboard.press('Tab');
  expect(await focusIsIn(page, selector)).toBe(true);
}

async function message(page: Page, text: string): Promise<void> {
  await page.locator('#message', { hasText: text }).waitFor({ timeout: 10_000 });
}
