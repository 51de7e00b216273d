import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../page/browser.ts';
import { type AppFixture, expectNoProblems, signInVariables, waitForFirstSweep } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import type { Person } from './person.ts';
import { type PullClient, progressOfApp } from './pull-client.ts';
import { terminalOf } from './terminal.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

let fixture: AppFixture;
let pulls: readonly PullClient[];
beforeAll(async () => {
  const runs = await startFixtureWithRuns();
  fixture = runs.fixture;
  await fixture.app.stop();
  await fixture.start({ COXSWAIN_PAGE_TOKEN: fixture.ada.token });
  await waitForFirstSweep(fixture);
  const more = await fixture.ada.starts('Make it fine');
  await more.waitForPhase('awaiting_approval');
  pulls = [more, ...Array.from({ length: 5 }, runs.next)];
});
afterAll(async () => {
  expectNoProblems(fixture);
  await fixture.end();
});

/** How Ada approves the head that she is shown. */
type Door = (ada: Person, pull: PullClient, head: string) => Promise<unknown>;

const doors: Readonly<Record<string, Door>> = {
  comment: (ada, pull, head) => ada.says(pull, `/approve ${head}`),
  review: (ada, pull) => ada.reviews(pull, { event: 'APPROVE' }),
  button: (ada, pull) => ada.clicks(pull, 'approve'),
  page: (_, { number }, head) => postOnPage(`/acme/widgets/pull/${number}/comment`, head),
  terminal: async (ada, { number }, head) => {
    const args = ['approve', '--run', `acme/widgets#${number}`, '--sha', head, '--yes'];
    expect(await terminalOf(fixture, ada).run(args)).toMatchObject({ code: 0 });
  },
  api: async ({ token }, { number }, sha) => {
    const { status } = await fetch(`${fixture.app.url}/api/v1/runs/acme/widgets/${number}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sha }),
    });
    expect(status).toBe(200);
  },
};

/** What the first test records of a comment, with which other doors are compared. */
let ofComment: unknown;

async function postOnPage(path: string, head: string): Promise<void> {
  const file = join(fixture.variables['COXSWAIN_DATA'] ?? '', 'page-address');
  const entered = await fetch(readFileSync(file, 'utf8').trim(), { redirect: 'manual' });
  const cookie = entered.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const { status } = await fetch(`${fixture.app.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: fixture.app.url },
    body: new URLSearchParams({ command: 'approve', text: head }),
  });
  expect(status).toBe(303);
}

/** Waits until an approved run is at rest: what is recorded of its approval, and from where it came. */
async function settled(pull: PullClient) {
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  const done = async () => ((await pull.ledger()).state.owed.length === 0 ? true : undefined);
  await eventually(`nothing to be owed on #${pull.number}`, done, {
    progress: () => progressOfApp(fixture.forge),
  });
  const { state } = await pull.ledger();
  return { record: await recordOf(pull), source: state.approvals[0]?.source };
}

/** What the ledger has of a decision, without commits, times, ids, and where it was said. */
async function recordOf(pull: PullClient) {
  const { state, events } = await pull.ledger();
  const first = events.findIndex(({ type }) => type === 'said');
  const { phase } = state.standing;
  const approvals = state.approvals.map(({ by, head_sha, despite }) => {
    return { by: by.login, role: by.role, despite, isOfHead: head_sha === state.head };
  });
  const { owed, queue, iteration, interactions } = state;
  const resolved = interactions.map(({ kind, by, how }) => ({ kind, by, how }));
  return {
    phase,
    approvals,
    owed,
    queue,
    iteration,
    resolved,
    events: events.slice(first).map(({ type }) => type),
  };
}

test('an approval is recorded alike whichever door it comes through, but for its source', async () => {
  const entered = Object.entries(doors).map(async ([name, approve], nth) => {
    const pull = pulls[nth];
    if (pull === undefined) throw new Error(`there is no run for the door ${name}`);
    await approve(fixture.ada, pull, await pull.head());
    return [name, await settled(pull)] as const;
  });
  const all = Object.fromEntries(await Promise.all(entered));
  const { comment, ...others } = all;
  ofComment = comment?.record;
  expect(comment?.record).toMatchObject({
    phase: 'approved',
    approvals: [{ by: 'ada', role: 'write', despite: [], isOfHead: true }],
  });
  for (const [name, { record }] of Object.entries(others))
    expect({ name, record }).toEqual({ name, record: comment?.record });
  const sources = Object.entries(all).map(([name, { source }]) => [
    name,
    source?.from === 'comment' ? (source.door ?? 'comment') : source?.from,
  ]);
  expect(Object.fromEntries(sources)).toEqual({
    comment: 'comment',
    terminal: 'comment',
    review: 'review',
    button: 'click',
    page: 'page',
    api: 'api',
  });
});

test('so is one of somebody who has signed in to the page, and is led to the next run', async () => {
  await fixture.app.stop();
  await fixture.start({ COXSWAIN_PAGE_TOKEN: '', ...signInVariables(fixture) });
  await waitForFirstSweep(fixture);
  const [pull, next] = [await fixture.bob.starts('Make it fine'), await fixture.bob.starts('Make it fine')];
  for (const each of [pull, next]) await each.waitForPhase('awaiting_approval');
  const { url } = fixture.app;
  const browser = new Browser();
  const inbox = await (await browser.signsIn(`${url}/sign-in`, 'ada')).text();
  const rows = [...inbox.matchAll(/<li id="run-acme\/widgets#(\d+)" class="row" data-row>/g)];
  expect(rows.map(([, number]) => Number(number))).toEqual([pull.number, next.number]);
  const path = `${url}/acme/widgets/pull/${pull.number}`;
  const head = await pull.head();
  expect(await (await browser.get(`${path}?from=`)).text()).toContain('id="button-approve"');
  const answer = await browser.post(`${path}/comment?from=`, { command: 'approve', sha: head });
  expect(new URL(browser.url).pathname).toBe(`/acme/widgets/pull/${next.number}`);
  expect(await answer.text()).toContain(`Posted <code>/approve</code> on`);
  const { record, source } = await settled(pull);
  expect(record).toEqual(ofComment);
  expect(source).toMatchObject({ from: 'comment', door: 'page' });
});
