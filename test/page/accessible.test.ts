import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FoundReview, GateHit } from '../../src/steering/shapes/attempt-result.ts';
import { ada, planFirst } from '../steering/samples.ts';
import { looks, tooWide, violationsOn } from './axe.ts';
import { launch, openIn } from './in-browser.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { at } from './waiting-run.ts';

/** A gate with a path that no phone has room for. */
const weakened: GateHit = {
  ...({ rule: 'weakens-tests', severity: 'high', evidence: 'a test is skipped' } as const),
  ...{ path: `test/${'deeply'.repeat(20)}/clock.test.ts`, line: 4, allows: 'nobody notices when it breaks' },
};

/** Names and words that no phone has room for. */
const opinion: FoundReview = {
  ...{ by: 'codex', confidence: 0.9, resolved: [], withdrawn: [], touched: [] },
  concerns: [
    { file: `src/${'deeply'.repeat(20)}.ts`, line: 3, severity: 'high', text: `It ${'drops'.repeat(60)}.` },
    { file: 'src/clock.ts', severity: 'low', text: 'A typo.' },
  ],
};

let fixture: PageFixture;
let browser: Browser;
let pages: readonly Page[];

describe('for everyone', { tags: ['chromium'] }, () => {
  beforeAll(async () => {
    [fixture, browser] = await Promise.all([startFixture(), launch()]);
    const opened = looks.map((look) =>
      // Our policy would keep the checker out.
      openIn(browser, fixture, { path: '/', options: { ...look, bypassCSP: true } }),
    );
    pages = await Promise.all(opened);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await fixture?.end();
  });

  test('the overview, an issue, and what is not there', { timeout: 60_000 }, async () => {
    const issue = `/acme/api/issues/${fixture.issue}`;
    for (const path of ['/', issue, `${issue}?started=1`, '/acme/api/pull/999', '/acme/none/pull/1'])
      await isAccessible(path);
  });

  test('a stranger is told how to get in', { timeout: 60_000 }, async () => {
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(fixture.url);
    expect(await violationsOn(page)).toEqual([]);
  });

  test('a run in the phases that differ', { timeout: 200_000 }, async () => {
    const { run } = fixture;
    const code = `\`\`\`\n${'wide '.repeat(80)}\n\`\`\`\n\n| a | b |\n|---|---|\n| ${'c'.repeat(300)} | d |`;
    await fixture.ada.rest.issues.createComment({ ...at, issue_number: fixture.pull, body: code });
    await isAccessible(pull('?diff=split'));
    await isAccessibleWithRemarks();
    await isAccessibleIn('awaiting approval', () => undefined);
    await isAccessibleIn('working', () => run.says(ada, '/steer more').engine.takes());
    await isAccessibleIn('awaiting permission', () => run.agent.asks());
    await isAccessibleIn('verifying', () => run.says(ada, '/deny no').agent.finishes());
    await isAccessibleIn('awaiting resolution', () => {
      run.verifiers
        .fail('test')
        .agent.finishes()
        .verifiers.fail('test')
        .agent.finishes()
        .verifiers.fail('test');
    });
    for (const page of pages) expect(await page.locator('#despite[open] button').count()).toBe(1);
    await isAccessibleIn('awaiting approval', () => {
      run.says(ada, '/retry').agent.finishes().verifiers.pass([weakened]);
    });
    for (const page of pages)
      expect(await page.locator('#gates li code, #confidence table').count()).toBeGreaterThan(2);
    await isAccessibleIn('awaiting stage', () => {
      const review = { agent: { use: 'codex', timeout_s: 60 } } as const;
      const settings = { ...run.state.settings, stages: planFirst, review };
      run.says(ada, '/steer Plan it first').engine.takes('engine', { settings });
      run.agent.plans(`${code}\n\n${'plan'.repeat(100)}`, [`src/${'deeply'.repeat(20)}/clock.ts`]);
    });
    for (const page of pages) {
      expect(await page.locator('#button-approve button.primary').textContent()).toBe('Approve the plan');
      expect(await page.evaluate(tooWide)).toBe(0);
    }
    await isAccessibleIn('awaiting approval', () => {
      run.says(ada, '/approve').agent.finishes().verifiers.find({ review: opinion });
    });
    for (const page of pages) {
      expect(await page.locator('#approved-risk li, #review li').count()).toBe(3);
      expect(await page.evaluate(tooWide)).toBe(0);
    }
    await isAccessibleIn('approved', () => run.says(ada, '/approve').confirms());
    await isAccessible('/');
    await isAccessible(`/acme/api/issues/${fixture.asked}`);
    await isAccessibleIn('rejected', () => run.says(ada, '/reject no'));
  });

  test('the tabulator reaches whatever can be used, in order and in sight', { timeout: 60_000 }, async () => {
    for (const path of ['/', pull(), `/acme/api/issues/${fixture.issue}`]) {
      const page = await go(pages[1], path);
      const expected = await page.evaluate<string[]>(usable);
      const reached: string[] = [];
      await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
      for (let step = 0; step < expected.length; step += 1) {
        await page.keyboard.press('Tab');
        const { place, outline } = await page.evaluate<{ place: string; outline: string }>(focused);
        reached.push(place);
        expect([place, outline]).not.toEqual([place, 'none']);
      }
      expect(reached).toEqual(expected);
    }
  });

  test('a disclosure opens and a form is sent by keyboard alone', { timeout: 60_000 }, async () => {
    const page = await go(pages[0], `/acme/api/issues/${fixture.issue}`);
    const summary = page.locator('#commands summary').first();
    await summary.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#commands details[open] textarea').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Only by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#starting', { hasText: 'Starting…' }).waitFor({ timeout: 8000 });
    expect(await fixture.commentsOn(fixture.issue)).toContain('/run Only by keyboard');
  });

  test('a table wider than a phone shows that there is more', { timeout: 60_000 }, async () => {
    const page = await go(pages[1], pull('#iterations'));
    const table = page.locator('#iterations .scroll').first();
    expect(await table.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(true);
    expect(await page.evaluate(backgroundOf)).toContain('gradient');
    await table.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => table.evaluate((each) => each.scrollLeft)).toBeGreaterThan(0);
  });
});

/** Continues the run, and looks at its page once that shows the phase, with everything unfolded. */
async function isAccessibleIn(phase: string, go: () => unknown): Promise<void> {
  go();
  await fixture.record();
  for (const page of pages) {
    await page.goto(fixture.url + pull());
    await page.locator('#phase', { hasText: phase }).waitFor({ timeout: 10_000 });
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect([phase, await violationsOn(page)]).toEqual([phase, []]);
  }
}

/** With a box below a line, and one whose line is not shown. */
async function isAccessibleWithRemarks(): Promise<void> {
  for (const page of pages) {
    await go(page, pull());
    const boxes = page.locator('textarea[name=remark]');
    await page.getByRole('button', { name: 'Remark on line 1 of <b>odd</b>.md' }).click();
    await expect.poll(() => boxes.count()).toBe(1);
    await page.keyboard.type('Why? '.repeat(60));
    await page.evaluate("document.querySelector('[name=view]').value = '?file=src/clock.ts'");
    await page.getByRole('button', { name: 'Remark on line 2 of src/clock.ts' }).click();
    await page.locator('.remarks textarea').waitFor();
    await page.locator('tr.remark textarea').fill('Because.');
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate(tooWide)).toBe(0);
    for (const left of [1, 0]) {
      await page.getByRole('button', { name: 'Remove: ' }).first().click();
      await expect.poll(() => boxes.count()).toBe(left);
    }
  }
}

async function isAccessible(path: string): Promise<void> {
  for (const page of pages) {
    await go(page, path);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect([path, await violationsOn(page)]).toEqual([path, []]);
  }
}

async function go(page: Page | undefined, path: string): Promise<Page> {
  if (page === undefined) throw new Error('no page was opened');
  await page.goto(fixture.url + path);
  return page;
}

function pull(rest = ''): string {
  return `/acme/api/pull/${fixture.pull}${rest}`;
}

const backgroundOf = "getComputedStyle(document.querySelector('#iterations .scroll')).backgroundImage";
const place = `(each) => each.id + '|' + each.tagName + '|' + (each.name ?? '') + '|' + each.textContent.slice(0, 40)`;
const focused = `(() => {
  const each = document.activeElement;
  return { place: (${place})(each), outline: getComputedStyle(each).outlineStyle };
})()`;
const usable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && !each.disabled && each.type !== 'hidden')
  .map(${place})`;
