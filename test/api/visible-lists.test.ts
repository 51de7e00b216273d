import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, name } from '../app/app-fixture.ts';
import { eventually } from '../app/eventually.ts';
import { startFixtureWithRuns } from '../app/waiting-runs.ts';
import { type Client, clientOf } from './client.ts';

let fixture: AppFixture;
let number: number;
beforeAll(async () => {
  const waiting = await startFixtureWithRuns({ variables: { COXSWAIN_SWEEP_EVERY: '5s' } });
  fixture = waiting.fixture;
  number = waiting.next().number;
});
afterAll(() => fixture?.end());

/** Somebody with a new token of our App, about which nothing is known yet. */
function through(login: string): Promise<Client> {
  return clientOf(fixture.app.url, fixture.forge.seed.userToken(fixture.accounts.registered, login));
}

async function runsIn(client: Client, operation = 'listInbox'): Promise<readonly string[]> {
  const { status, data } = await client.call(operation);
  expect(status).toBe(200);
  return data.runs.map(({ run }: { run: string }) => run);
}

/** What GitHub is asked during an act, in the order of the alphabet. */
async function askedDuring(act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = fixture.forge.requests.api.length;
  await act();
  const since = fixture.forge.requests.api.slice(before).filter(({ actor }) => !actor.startsWith('coxswain'));
  return since.map(({ method, route }) => `${method} ${route}`).toSorted();
}

test('for a list GitHub is asked who it is and what they see, and for a run on it nothing more', async () => {
  const ada = await through('ada');
  expect(
    await askedDuring(async () => {
      expect(await runsIn(ada)).toHaveLength(5);
      expect(await runsIn(ada, 'listRuns')).toHaveLength(5);
      expect((await ada.call('getRun', { owner: 'Acme', repo: 'widgets', number })).status).toBe(200);
    }),
  ).toMatchInlineSnapshot(`
    [
      "GET /user",
      "GET /user/installations",
      "GET /user/installations/{installation_id}/repositories",
    ]
  `);
});

test('somebody who was given nothing has an empty inbox, and reads by its address what is public', async () => {
  const token = fixture.forge.seed.addUser('eve');
  const eve = await through('eve');
  expect(await runsIn(eve)).toEqual([]);
  expect((await eve.call('getRun', { owner: 'acme', repo: 'widgets', number })).status).toBe(200);
  // A token that is not of our App is asked about each instead.
  expect(await runsIn(await clientOf(fixture.app.url, token))).toHaveLength(5);
  fixture.forge.seed.setPrivate(name, true);
  fixture.forge.seed.addUser('mallory');
  const mallory = await through('mallory');
  expect(await runsIn(mallory)).toEqual([]);
  expect((await mallory.call('getRun', { owner: 'acme', repo: 'widgets', number })).status).toBe(404);
  expect(await runsIn(await through('grace'))).toHaveLength(5);
});

test('a repository that was renamed is listed by its new name, and its former one leads there', async () => {
  fixture.forge.seed.rename(name, 'gadgets');
  const bob = await through('bob');
  expect(await runsIn(bob)).toContain(`acme/gadgets#${number}`);
  expect((await bob.call('getRun', { owner: 'acme', repo: 'widgets', number })).status).toBe(200);
  expect((await bob.call('getRun', { owner: 'acme', repo: 'gadgets', number })).status).toBe(200);
  expectNoProblems(fixture);
});

test('the runs of a repository that is gone leave the lists, whoever asks', async () => {
  const { mia, app } = fixture;
  const client = await clientOf(app.url, mia.token);
  expect(await runsIn(client)).toHaveLength(5);
  await fixture.forge.seed.deleteRepository('acme/gadgets');
  // Until then GitHub's last answer, a minute old at most, shows them.
  await eventually('its runs to leave the list', async () =>
    (await runsIn(client)).length === 0 ? true : undefined,
  );
  const anew = await through('mia');
  expect((await anew.call('getRun', { owner: 'acme', repo: 'gadgets', number })).status).toBe(404);
});
