import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../page/browser.ts';
import { type AppFixture, expectCleanEnd, signInVariables, waitForFirstSweep } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { startFixtureWithRuns } from './waiting-runs.ts';

let fixture: AppFixture;
let next: () => PullClient;
beforeAll(async () => {
  const runs = await startFixtureWithRuns();
  ({ fixture, next } = runs);
  await fixture.app.stop();
  await fixture.start(signInVariables(fixture));
  await waitForFirstSweep(fixture);
});
afterAll(() => expectCleanEnd(fixture));

const url = () => fixture.app.url;

async function signedIn(login: string): Promise<{ readonly browser: Browser; readonly inbox: string }> {
  const browser = new Browser();
  const inbox = await (await browser.signsIn(`${url()}/sign-in`, login)).text();
  return { browser, inbox };
}

/** The value of the checkbox of a run, as the inbox has it. */
function choiceOf(inbox: string, { number }: PullClient): string {
  return new RegExp(`name="run" value="(acme/widgets#${number} [^"]*)"`).exec(inbox)?.[1] ?? '';
}

test('many runs are approved at once, each with the commit that was shown, and said once', async () => {
  const pulls = [next(), next()];
  const { browser, inbox } = await signedIn('mia');
  const fields = new URLSearchParams([
    ['command', 'approve'],
    ...pulls.map((pull): [string, string] => ['run', choiceOf(inbox, pull)]),
  ]);
  const send = async (path: string) => {
    const answer = await browser.send(`${url()}${path}`, fields);
    return { status: answer.status, text: await answer.text() };
  };
  const review = await send('/batch');
  expect(review.status).toBe(200);
  for (const pull of pulls) expect(review.text).toContain(`/approve ${await pull.head()}`);
  const said = await send('/batch/say');
  expect(said.text).toContain('2 settled');
  for (const pull of pulls) await pull.waitForPhase('approved');
  const again = await send('/batch/say');
  expect(again.text).not.toContain('settled');
  for (const { number: issue_number } of pulls) {
    const { data } = await fixture.mia.octokit.rest.issues.listComments({ ...at, issue_number });
    expect(data.filter(({ user }) => user?.login === 'mia')).toHaveLength(1);
  }
});

test('who revokes the App at GitHub is signed out of it', async () => {
  const { browser } = await signedIn('bob');
  expect((await browser.once(url())).status).toBe(200);
  fixture.forge.seed.revokeAuthorization(fixture.accounts.registered, 'bob');
  await eventually('the session to end', async () => {
    return (await browser.once(url())).status === 401 || undefined;
  });
});

test('a stranger sees nothing, and somebody without a role nothing of the runs', async () => {
  expect((await new Browser().once(`${url()}/acme/widgets/pull/1`)).status).toBe(401);
  fixture.forge.seed.addUser('eve');
  fixture.forge.seed.setPrivate('acme/widgets', true);
  const { browser, inbox } = await signedIn('eve');
  expect(inbox).not.toContain('acme/widgets');
  const pull = next();
  const hidden = await browser.get(`${url()}/acme/widgets/pull/${pull.number}`);
  const unknown = await browser.get(`${url()}/acme/nothing/pull/${pull.number}`);
  expect([hidden.status, unknown.status]).toEqual([404, 404]);
  const textOf = async (answer: Response) => (await answer.text()).replaceAll('nothing', 'widgets');
  expect(await textOf(hidden)).toBe(await textOf(unknown));
});
