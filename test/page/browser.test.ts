import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import { runIn } from '../steering/phases.ts';
import { bob } from '../steering/samples.ts';
import { holdPost, launch, openIn } from './in-browser.ts';
import { listRuns, waitingRuns } from './listed-runs.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { at } from './waiting-run.ts';

let fixture: PageFixture;
let browser: Browser;

describe('in a browser', { tags: ['chromium'] }, () => {
  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startFixture(), launch()]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await fixture?.end();
  });

  test('the list leads to the run', { timeout: 180_000 }, async () => {
    const page = await open('/');
    await page.locator('#waiting a.title').click();
    await expect.poll(() => page.url()).toBe(`${fixture.url}/acme/api/pull/${fixture.pull}?from=`);
    expect(await page.locator('h1').textContent()).toContain('Fix the clock <script>');
    expect(await page.locator('#phase').textContent()).toContain('awaiting approval');
    expect(await page.locator('#changes').textContent()).toContain('fixed ?? new Date()');
  });

  test('hostile text is inert, whatever its source', { timeout: 180_000 }, async () => {
    const page = await open(run());
    for (const summary of await page.locator('#verifiers summary').all()) await summary.click();
    expect(await page.locator('#verifiers pre').first().textContent()).toContain('<script>');
    expect(await page.locator('#conversation').textContent()).toContain('Hello <script>');
    expect(await page.locator('main script, main img, main iframe').count()).toBe(0);
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });

  test('a text being typed keeps its content and caret across a refresh', { timeout: 180_000 }, async () => {
    const page = await open(run());
    await page.locator('#comment-text').fill('Use the injected');
    await page.evaluate("document.getElementById('comment-text').setSelectionRange(3, 3)");
    await refreshWith(page, 'Meanwhile.');
    await page.keyboard.type('!');
    expect(await page.locator('#comment-text').inputValue()).toBe('Use! the injected');
  });

  test('details stay open or closed across a refresh', { timeout: 180_000 }, async () => {
    const page = await open(run());
    const [file, output] = [
      page.locator('.file details').first(),
      page.locator('#verifiers details').first(),
    ];
    await page.locator('#reject summary').click();
    await page.locator('#reject textarea').fill('Not yet');
    await file.locator('summary').click();
    await output.locator('summary').click();
    await refreshWith(page, 'Opened and closed.');
    expect(await isOpen(page.locator('#reject'))).toBe(true);
    expect(await page.locator('#reject textarea').inputValue()).toBe('Not yet');
    expect(await isOpen(file)).toBe(false);
    expect(await isOpen(output)).toBe(true);
  });

  test('the scroll position is kept across a refresh', { timeout: 180_000 }, async () => {
    const page = await open(run(), { viewport: { width: 1200, height: 300 } });
    const positions = "[scrollY, document.querySelector('.sidebar').scrollTop]";
    await page.evaluate("scrollTo(0, 400); document.querySelector('.sidebar').scrollTop = 60");
    await refreshWith(page, 'Scrolled.');
    expect(await page.evaluate(positions)).toEqual([400, 60]);
    await page.context().close();
  });

  test('a row that moves keeps the text typed in it', { timeout: 180_000 }, async () => {
    const page = await open('/');
    const row = page.locator('#issues li', { hasText: 'Dates are wrong' });
    await row.locator('summary').click();
    await row.locator('textarea').pressSequentially('Fix only');
    await fixture.ada.rest.issues.create({ ...at, title: 'A newer issue' });
    await page.locator('#issues li', { hasText: 'A newer issue' }).waitFor({ timeout: 60_000 });
    expect(await page.locator('#issues li').first().textContent()).toContain('A newer issue');
    await page.keyboard.type(' Mondays');
    expect(await row.locator('textarea').inputValue()).toBe('Fix only Mondays');
    expect(await isOpen(row.locator('details'))).toBe(true);
  });

  test('what is chosen and written in the inbox stays when its list changes', {
    timeout: 180_000,
  }, async () => {
    const page = await open('/');
    const box = page.getByLabel(`Choose acme/api#${fixture.pull}`, { exact: true });
    await box.check();
    await page.getByLabel('Risk').selectOption('low');
    await page.getByLabel('Title').fill('clock');
    await page.getByLabel('Reason').fill('Superseded');
    listRuns(fixture, waitingRuns);
    await page.locator('#waiting', { hasText: 'Drop Node.js 18' }).waitFor({ timeout: 60_000 });
    expect(await box.isChecked()).toBe(true);
    expect(await page.locator('#waiting :checked').count()).toBe(1);
    expect(await page.getByLabel('Risk').inputValue()).toBe('low');
    expect(await page.getByLabel('Title').inputValue()).toBe('clock');
    expect(await page.getByLabel('Reason').inputValue()).toBe('Superseded');
    for (const [nth] of waitingRuns.entries()) listRuns(fixture, [['Done', runIn.done()]], 101 + nth);
  });

  test('a refused comment shows the reason and keeps its text', { timeout: 180_000 }, async () => {
    const page = await open(run());
    const body = { message: 'The conversation is locked' };
    fixture.forge.seed.fault({ times: 1, path: /\/comments$/, method: 'POST', status: 403, body });
    await page.locator('#comment-text').fill('My careful words');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.locator('#message', { hasText: 'The conversation is locked' }).waitFor({ timeout: 60_000 });
    expect(await page.locator('#comment-text').inputValue()).toBe('My careful words');
  });

  test('a click on Approve posts the command once, and waits for Coxswain', {
    timeout: 180_000,
  }, async () => {
    const page = await open(run());
    const button = "document.querySelector('#button-approve button')";
    await page.evaluate(`${button}.click(); ${button}.click(); ${button}.click()`);
    await page.locator('#posted', { hasText: 'Waiting for Coxswain…' }).waitFor({ timeout: 60_000 });
    expect(await page.locator('#button-approve button').isDisabled()).toBe(true);
    await page.locator('#conversation', { hasText: '/approve' }).waitFor({ timeout: 60_000 });
    const comments = await fixture.commentsOn(fixture.pull);
    const approvals = comments.filter((comment) => comment.startsWith('/approve'));
    expect(approvals).toEqual([`/approve ${fixture.head}`]);
    expect(page.url()).toBe(fixture.url + run());
  });

  test('steering puts the command before the text', { timeout: 180_000 }, async () => {
    const page = await open(run());
    await page.locator('#comment-text').fill('Keep the signature');
    await page.locator('#comment-text').press('Control+Enter');
    await page.locator('#message', { hasText: 'Posted.' }).waitFor({ timeout: 60_000 });
    expect(await fixture.commentsOn(fixture.pull)).toContain('/steer Keep the signature');
    expect(await page.locator('#comment-text').inputValue()).toBe('');
  });

  test('a command in the box is posted as it stands, and the button says so', {
    timeout: 180_000,
  }, async () => {
    const page = await open(run());
    const button = page.locator('.comment-form button.primary');
    await page.locator('#comment-text').fill('/status');
    await expect.poll(() => button.textContent()).toBe('Post /status');
    await refreshWith(page, 'Meanwhile, too.');
    expect(await button.textContent()).toBe('Post /status');
    await page.locator('#comment-text').press('Control+Enter');
    await page.locator('#message', { hasText: 'Posted.' }).waitFor({ timeout: 60_000 });
    expect(await fixture.commentsOn(fixture.pull)).toContain('/status');
    await expect.poll(() => button.textContent()).toBe('Steer');
    await page.locator('#comment-text').fill('/statusses');
    expect(await button.textContent()).toBe('Steer');
  });

  test('what is typed while a post is on its way stays', { timeout: 180_000 }, async () => {
    const page = await open(run());
    const box = page.locator('#comment-text');
    const release = await holdPost(page, '**/comment');
    await box.fill('Use the first clock');
    await box.press('Control+Enter');
    await page.getByRole('button', { name: 'Posting…' }).waitFor();
    await box.fill('/status');
    release();
    await page.locator('#message', { hasText: 'Posted.' }).waitFor({ timeout: 60_000 });
    expect(await box.inputValue()).toBe('/status');
    expect(await page.locator('.comment-form button.primary').textContent()).toBe('Post /status');
    expect(await fixture.commentsOn(fixture.pull)).toContain('/steer Use the first clock');
    await box.fill('');
  });

  test.each([
    { javaScriptEnabled: true, name: 'why' },
    { javaScriptEnabled: false, name: 'help' },
  ])(
    'what may be a command is asked about first, with scripts: $javaScriptEnabled',
    {
      timeout: 180_000,
    },
    async ({ javaScriptEnabled, name }) => {
      const page = await open(run(), { javaScriptEnabled });
      const box = page.locator('#comment-text');
      const before = await fixture.commentsOn(fixture.pull);
      await box.fill('approve, status');
      await page.getByRole('button', { name: 'Steer' }).click();
      await page.getByRole('button', { name: 'Say only /approve' }).waitFor({ timeout: 60_000 });
      if (javaScriptEnabled) await refreshWith(page, 'While it is asked.');
      expect(await box.inputValue()).toBe('approve, status');

      await box.fill(`${name}?`);
      await page.getByRole('button', { name: 'Steer with these words' }).click();
      await page.getByRole('button', { name: `Say only /${name}` }).click({ timeout: 60_000 });
      await expect.poll(() => box.inputValue(), { timeout: 60_000 }).toBe('');

      await box.fill('fine, status');
      await page.getByRole('button', { name: 'Steer' }).click();
      await page.getByRole('button', { name: 'Say only /status' }).click({ timeout: 60_000 });
      await page.getByText('Only /status was posted').waitFor({ timeout: 60_000 });
      if (javaScriptEnabled) await refreshWith(page, 'While words are left.');
      expect(await box.inputValue()).toBe('fine, status');

      const words = `Approve: ${name} is clear`;
      await box.fill(words);
      await page.getByRole('button', { name: 'Steer' }).click();
      await page.getByRole('button', { name: 'Steer with these words' }).click({ timeout: 60_000 });
      await page.locator('#conversation', { hasText: `/steer ${words}` }).waitFor({ timeout: 60_000 });
      const said = (await fixture.commentsOn(fixture.pull)).slice(before.length);
      expect(said.filter((each) => each.startsWith('/'))).toEqual([`/${name}`, '/status', `/steer ${words}`]);
      await page.context().close();
    },
  );

  test('a button beside an issue starts a run', { timeout: 180_000 }, async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Start a run' }).last().click();
    await page.locator('#starting', { hasText: 'Starting…' }).waitFor({ timeout: 60_000 });
    await expect.poll(() => page.url()).toMatch(/\/issues\/\d+\?started=\d+$/);
    expect(await fixture.commentsOn(fixture.issue)).toContain('/run');
  });

  test('whoever waits for a run is led to it by the page itself', { timeout: 180_000 }, async () => {
    const pull = { ...at, pull_number: fixture.pull };
    await fixture.ada.rest.pulls.update({ ...pull, state: 'closed' });
    fixture.index.forget(fixture.repository.id);
    const page = await open('/');
    const waiting = `/acme/api/issues/${fixture.asked}?started=${Math.floor(Date.now() / 1000)}`;
    const asking = async () => {
      await page.goto(fixture.url + waiting);
      return page.url();
    };
    await expect.poll(asking, { timeout: 60_000 }).toBe(fixture.url + waiting);
    await page.locator('#starting', { hasText: 'Starting…' }).waitFor({ timeout: 60_000 });
    await fixture.ada.rest.pulls.update({ ...pull, state: 'open' });
    fixture.index.note(fixture.repository, fixture.run.state);
    await expect.poll(() => page.url(), { timeout: 60_000 }).toBe(fixture.url + run());
  });

  test('everything works without the script', { timeout: 180_000 }, async () => {
    const page = await open(run(), { javaScriptEnabled: false });
    expect(await page.getByText('Ctrl+Enter posts it.').isVisible()).toBe(false);
    await page.locator('#comment-text').fill('Posted plainly');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.locator('#conversation', { hasText: 'Posted plainly' }).waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Side by side' }).click();
    expect(await page.locator('#changes table.split').count()).toBe(2);
    await page.getByRole('button', { name: 'Remark on line 1 of src/clock.ts' }).click();
    await page.getByLabel('Remark on line 1 of src/clock.ts').and(page.locator('textarea')).fill('Say why');
    await page.getByRole('button', { name: 'Unified' }).click();
    expect(await page.locator('#changes table.split').count()).toBe(0);
    await page.getByRole('button', { name: 'Steer with this remark' }).click();
    await page.locator('#conversation .command', { hasText: 'Say why' }).waitFor({ timeout: 60_000 });
  });

  test('remarks below lines outlive a refresh and a reload, and become one steer', {
    timeout: 180_000,
  }, async () => {
    const page = await open(run());
    const boxes = page.locator('textarea[name=remark]');
    const focused = () => page.evaluate<string>(focusedName);
    await page.getByRole('button', { name: 'Remark on line 2 of src/clock.ts' }).press('Enter');
    await expect.poll(focused).toBe('remark');
    await page.keyboard.type('Two');
    await refreshWith(page, 'While a remark is written.');
    await page.getByRole('button', { name: 'Remark on removed line 1 of src/clock.ts' }).press('Enter');
    await expect.poll(() => boxes.count()).toBe(2);
    await page.keyboard.type('One');
    await page.reload();
    await expect
      .poll(() => boxes.evaluateAll((all) => all.map(({ textContent }) => textContent)))
      .toEqual(['One', 'Two']);
    await page
      .getByRole('button', { name: 'Remove: Remark on removed line 1 of src/clock.ts' })
      .press('Enter');
    await expect.poll(focused).toBe('Remark on removed line 1 of src/clock.ts');
    await boxes.fill('Only two');
    await page.keyboard.press('Control+Enter');
    const comment = page.locator('#conversation .command', { hasText: 'Only two' });
    await comment.waitFor({ timeout: 60_000 });
    expect(await comment.textContent()).toContain('/steer #### src/clock.ts, line 2');
    await expect.poll(() => boxes.count()).toBe(0);
    await page.reload();
    await page.locator('#conversation', { hasText: 'Only two' }).waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  test('the phase is updated when the run continues', { timeout: 180_000 }, async () => {
    const page = await open(run());
    fixture.run.says(bob, '/steer Keep the signature');
    await fixture.record();
    await page.locator('#phase', { hasText: 'queued' }).waitFor({ timeout: 60_000 });
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('an agent at work is followed as it goes, across refreshes', { timeout: 180_000 }, async () => {
    const page = await open(run());
    fixture.run.engine.takes();
    await fixture.record();
    const news = page.locator('#at-work-news');
    await page.locator('#at-work', { hasText: 'is at work' }).waitFor({ timeout: 60_000 });
    await news.locator('text=There is nothing to show here').waitFor({ timeout: 60_000 });

    const hostile = '<img src=x onerror="window.broken=1">';
    const name = `acme/api#${fixture.pull}`;
    fixture.progress.show(name, working([{ kind: 'execute', title: `npm ${hostile}` }]));
    await news.locator('code', { hasText: `npm ${hostile}` }).waitFor({ timeout: 60_000 });
    const done = working([{ kind: 'execute', title: 'npm test', outcome: 'failed' }], hostile);
    fixture.progress.show(name, done);
    await news.locator('.tone-danger[title=failed]').waitFor({ timeout: 60_000 });
    expect(await news.locator('pre').textContent()).toBe(hostile);
    expect(await page.locator('#at-work img').count()).toBe(0);

    await news.locator('pre').focus();
    fixture.progress.show(name, { ...done, saying: 'And more' });
    await news.locator('pre', { hasText: 'And more' }).waitFor({ timeout: 60_000 });
    expect(await page.evaluate('document.activeElement.className')).toBe('saying');
    fixture.progress.show(name, done);
    await news.locator('pre', { hasText: hostile }).waitFor({ timeout: 60_000 });

    await refreshWith(page, 'Still there after a refresh.');
    expect(await news.locator('pre').textContent()).toBe(hostile);
    const plain = await open(run(), { javaScriptEnabled: false });
    expect(await plain.locator('#at-work-news').textContent()).toContain('npm test');

    fixture.progress.clear(name);
    fixture.run.agent.finishes();
    fixture.run.verifiers.pass();
    await fixture.record();
    await page.locator('#at-work').waitFor({ state: 'detached', timeout: 60_000 });
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });

  test('a run that ends takes the button to steer away, also from a page that is open', {
    timeout: 180_000,
  }, async () => {
    const page = await open(run());
    const buttons = page.locator('.comment-form .buttons button');
    await expect.poll(() => buttons.allTextContents()).toEqual(['Steer', 'Comment']);
    fixture.run.says(bob, '/cancel');
    await fixture.record();
    await page.locator('#phase', { hasText: 'cancelled' }).waitFor({ timeout: 60_000 });
    expect(await buttons.allTextContents()).toEqual(['Comment']);
    expect(await buttons.getAttribute('value')).toBe('');
  });

  test('nothing is wider than a phone', { timeout: 180_000 }, async () => {
    for (const path of ['/', run(), `/acme/api/issues/${fixture.issue}`]) {
      const page = await open(path, { viewport: { width: 360, height: 740 } });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }
  });
});

function working(last: Progress['last'], saying = ''): Progress {
  const calls = { total: last.length, failed: 0, denied: 0 };
  return { stage: 'agent', since: '2026-11-21T10:00:00Z', cost: {}, near: [], calls, last, saying };
}

/** Another person comments, which the page shows by itself. */
async function refreshWith(page: Page, body: string): Promise<void> {
  await fixture.ada.rest.issues.createComment({ ...at, issue_number: fixture.pull, body });
  await page.locator('#conversation', { hasText: body }).waitFor({ timeout: 60_000 });
}

const focusedName =
  "document.activeElement.name === 'on' ? document.activeElement.ariaLabel : document.activeElement.name";

async function isOpen(details: Locator): Promise<boolean> {
  return (await details.getAttribute('open')) !== null;
}

function run(): string {
  return `/acme/api/pull/${fixture.pull}`;
}

function open(path: string, options?: BrowserContextOptions): Promise<Page> {
  return openIn(browser, fixture, { path, ...(options && { options }) });
}
