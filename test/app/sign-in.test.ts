import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../page/browser.ts';
import {
  type AppFixture,
  expectCleanEnd,
  prepareAppFixture,
  signInVariables,
  waitForFirstSweep,
} from './app-fixture.ts';
import type { PullClient } from './pull-client.ts';
import { config } from './widgets.ts';

let fixture: AppFixture;
let pull: PullClient;
let page = '';

beforeAll(async () => {
  const files = { '.github/coxswain.yml': `${config}approval: { required: 2 }\n` };
  fixture = await prepareAppFixture({ files });
  await fixture.start(signInVariables(fixture));
  await waitForFirstSweep(fixture);
  pull = await fixture.mia.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  page = `${fixture.app.url}/acme/widgets/pull/${pull.number}`;
});
afterAll(() => expectCleanEnd(fixture));

/** Comes as a stranger, follows the link of the page to sign in, and is led back to it. */
async function signedIn(login: string): Promise<Browser> {
  const browser = new Browser();
  const stranger = await (await browser.get(page)).text();
  const link = /href="(\/sign-in[^"]*)"/.exec(stranger)?.[1] ?? '';
  const { status } = await browser.signsIn(new URL(link.replaceAll('&amp;', '&'), page).href, login);
  expect({ status, url: browser.url }).toEqual({ status: 200, url: page });
  return browser;
}

async function approveOnPage(browser: Browser, head: string): Promise<void> {
  const shown = await (await browser.get(page)).text();
  expect(shown).toContain('id="button-approve"');
  const answer = await browser.post(`${page}/comment`, { command: 'approve', sha: head });
  expect(answer.status).toBe(200);
}

test('two people sign in, and the approval of each counts as their own', async () => {
  const ada = await signedIn('ada');
  const bob = await signedIn('bob');
  const head = await pull.head();
  // At the same time and in the same words: neither swallows what the other says.
  await Promise.all([approveOnPage(ada, head), approveOnPage(bob, head)]);
  await pull.waitForPhase('approved');
  const { state } = await pull.ledger();
  const approvals = state.approvals.map(({ by, source }) => ({ by: by.login, source }));
  expect(approvals).toEqual([
    {
      by: expect.stringMatching(/ada|bob/),
      source: expect.objectContaining({ from: 'comment', door: 'page' }),
    },
    {
      by: expect.stringMatching(/ada|bob/),
      source: expect.objectContaining({ from: 'comment', door: 'page' }),
    },
  ]);
  expect(new Set(approvals.map(({ by }) => by)).size).toBe(2);
});
