import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { post, type Sealing } from '../../src/doors/speech/post-comment.ts';
import { sealedText } from '../../src/github/marks.ts';
import type { State } from '../../src/steering/state/state.ts';
import { seals } from '../ledger/identity.ts';
import { visitorOf } from '../page/visitor.ts';
import { type AppFixture, expectNoProblems } from './app-fixture.ts';
import { approvedBy, expectNothingGranted } from './claimed-approval.ts';
import { eventually } from './eventually.ts';
import { forgeLedger } from './forged-ledger.ts';
import { at, Person } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/**
 * A program has a token of our own App for Mia, as anybody gets it whom she lets sign in with the App, and
 * speaks with it in her name. It has no key of the App's, but it sees what her doors have sealed.
 */
let fixture: AppFixture;
let waiting: FixtureWithRuns;
let pull: PullClient;
let repository_id = 0;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
  repository_id = (await fixture.mia.octokit.rest.repos.get(at)).data.id;
});

beforeEach(() => {
  pull = waiting.next();
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

/** Somebody, or a program with a token of our App for them. */
function through(login: string): Person {
  const { registered } = fixture.accounts;
  return new Person(fixture.forge, login, fixture.forge.seed.userToken(registered, login));
}

async function idOf(person: Person): Promise<number> {
  return (await person.octokit.rest.users.getAuthenticated()).data.id;
}

/** What a door of the App posts for somebody with such a token. */
async function saysThroughDoor(person: Person, where: PullClient, text: string) {
  const user_id = await idOf(person);
  const sealing: Sealing = { seals, door: 'page', repository_id, user_id };
  return post({ person: person.octokit, ...at, number: where.number, text, sealing });
}

/** Waits until so many words of the program were refused as those of an App. */
async function waitForRefusals(times: number): Promise<void> {
  const refusal = /The App `coxswain` wrote this on your behalf, so it does not count as your own word/;
  await eventually(`${times} refusals on #${pull.number}`, async () => {
    const all = await pull.appComments();
    return all.filter((body) => refusal.test(body)).length === times ? true : undefined;
  });
}

test('what a door has sealed counts and names it in the ledger, and without a seal nothing counts', async () => {
  const mia = through('mia');
  const approval = `/approve ${await pull.head()}`;
  await mia.says(pull, approval);
  await waitForRefusals(1);
  await expectNothingGranted(pull);
  const { event } = await saysThroughDoor(mia, pull, approval);
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  const said = (await pull.ledger()).events.find(({ id }) => id === event);
  expect(said).toMatchObject({ type: 'said', source: { door: 'page' } });
  expect(said).not.toHaveProperty('via_app');
});

test('a seal for another place, person or text lets nothing through', async () => {
  const approval = `/approve ${await pull.head()}`;
  const own = { repository_id, number: pull.number, user_id: await idOf(fixture.mia) };
  const said = { at: new Date().toISOString(), door: 'page' } as const;
  const seal = (there: Partial<typeof own>) => sealedText(approval, { ...own, ...there }, said, seals);
  const bodies = [
    seal({ number: pull.number + 1 }),
    seal({ repository_id: repository_id + 1 }),
    seal({ user_id: await idOf(fixture.bob) }),
    seal({}).replace('/approve', '/approve '),
    `Look:\n\n${seal({})}`,
  ];
  for (const body of bodies) await through('mia').says(pull, body);
  await waitForRefusals(bodies.length);
  await expectNothingGranted(pull);
});

test('what a door has sealed counts once, live and in a sweep', async () => {
  const mia = through('mia');
  const { comment_id } = await saysThroughDoor(mia, pull, '/pause lunch');
  await pull.waitForPhase('paused');
  await fixture.mia.says(pull, '/resume');
  await pull.waitForPhase('awaiting_approval');
  const { data } = await mia.octokit.rest.issues.getComment({ ...at, comment_id });
  await mia.says(pull, data.body ?? '');
  await waitForRefusals(1);
  await fixture.app.stop();
  await mia.deletes(comment_id);
  await mia.says(pull, data.body ?? '');
  await mia.says(pull, `/approve ${await pull.head()}`);
  await fixture.start();
  await waitForRefusals(3);
  await expectNothingGranted(pull);
  await pull.waitForPhase('awaiting_approval');
});

test('an approval that only such a program wrote is found out when it is read again', async () => {
  const text = `/approve ${await pull.head()}`;
  const comment_id = await through('mia').says(pull, text);
  await waitForRefusals(1);
  // What it has still to record would get in the way of the forgery.
  await fixture.app.stop();
  const change = (state: State) => approvedBy(state, { comment_id, text });
  await forgeLedger(fixture, fixture.bob, { pull, sealed: true, change });
  await fixture.start();
  await fixture.bob.says(pull, '/status');
  await pull.waitForComment(/Not finished: the App coxswain wrote the approval by .*mia/);
  await pull.waitForPhase('awaiting_approval');
  await expectNothingGranted(pull);
});

test('the page approves the commit that it shows, also with a token of the App', async () => {
  await fixture.app.stop();
  await fixture.start({ COXSWAIN_PAGE_TOKEN: through('mia').token });
  const pathIn = () => /key is in ([^"]+)"/.exec(fixture.app.output())?.[1];
  const path = await eventually('the address of the page', async () => pathIn());
  const key = new URL(readFileSync(path, 'utf8').trim()).searchParams.get('key') ?? '';
  const visitor = await visitorOf({ url: fixture.app.url, key });
  const at = `/acme/widgets/pull/${pull.number}`;
  const head = await pull.head();
  const page = await eventually('the run on the page', async () => {
    const text = await (await visitor.get(at)).text();
    return text.includes('id="button-approve"') ? text : undefined;
  });
  expect(page).toContain(`name="sha" value="${head}"`);
  const approval = { command: 'approve', sha: head };
  expect((await visitor.post(`${at}/comment`, { ...approval, sha: `${head} --despite x` })).status).toBe(422);
  expect((await visitor.post(`${at}/comment`, approval)).status).toBe(303);
  await pull.waitForPhase('approved');
  const said = (await pull.ledger()).events.filter(({ type }) => type === 'said');
  expect(said).toMatchObject([{ command: { type: 'approve', sha: head }, source: { door: 'page' } }]);
  expect(await (await visitor.get(at)).text()).not.toContain('coxswain:said');
});
