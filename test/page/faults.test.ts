import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { type SignInFixture, startSignInFixture } from './sign-in-fixture.ts';

let fixture: SignInFixture;
beforeAll(async () => {
  fixture = await startSignInFixture();
}, 60_000);
afterAll(() => fixture?.end());

describe('a batch', () => {
  /** On the inbox, so that nothing of the run has been read yet. */
  async function signsIn(): Promise<Browser> {
    const browser = new Browser();
    await browser.signsIn(`${fixture.url}/sign-in`, 'ada');
    return browser;
  }

  async function chosenBy(browser: Browser): Promise<URLSearchParams> {
    const inbox = await (await browser.get(fixture.url)).text();
    const [, run = ''] = /name="run" value="([^"]*)"/.exec(inbox) ?? [];
    return new URLSearchParams({ command: 'reject', reason: 'Nobody needs it', run });
  }

  test('with a run that is gone meanwhile leaves it out, and says so', async () => {
    const ada = await signsIn();
    const fields = await chosenBy(ada);
    const gone = { status: 404, body: { message: 'Not Found' } };
    fixture.forge.seed.fault({ times: 2, path: /\/pulls\/\d+$/, ...gone });
    for (const path of ['/batch', '/batch/say']) {
      const answer = await ada.send(`${fixture.url}${path}`, fields);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('there is no such run, or you cannot see it');
    }
    fixture.forge.seed.clearFaults();
  });

  test('says what was left out since it was shown', async () => {
    const ada = await signsIn();
    const fields = await chosenBy(ada);
    fields.set('run', (fields.get('run') ?? '').replace(/ [0-9a-f]{40} /, ` ${'0'.repeat(40)} `));
    const text = await (await ada.send(`${fixture.url}/batch/say`, fields)).text();
    expect(text).toContain('its commit is now');
    expect(text).toContain('1 left out.');
  });

  test('tells which run GitHub did not take it on, and goes on with the others', async () => {
    const ada = await signsIn();
    const fields = await chosenBy(ada);
    const body = { message: 'Unable to create comment because issue is locked.' };
    fixture.forge.seed.fault({ times: 1, path: /\/comments$/, method: 'POST', status: 403, body });
    const text = await (await ada.send(`${fixture.url}/batch/say`, fields)).text();
    expect(text).toContain('GitHub did not take it: Unable to create comment');
    expect(text).toContain('1 left out.');
  });

  test('during which GitHub stops answering says where it stopped', async () => {
    const ada = await signsIn();
    const fields = await chosenBy(ada);
    fixture.forge.seed.fault({ times: 1, path: /\/comments$/, method: 'POST', drop: 'after' });
    const text = await (await ada.send(`${fixture.url}/batch/say`, fields)).text();
    expect(text).toContain(`Stopped at acme/api#${fixture.pull}.`);
    expect(text).toContain('Back to the inbox');
    const said = await fixture.commentsOn(fixture.pull);
    expect(said.filter((each) => each.includes('/reject Nobody needs it'))).toHaveLength(1);
  });

  test('whose session is over while it is looked at shows what was written', async () => {
    const ada = await signsIn();
    const fields = await chosenBy(ada);
    fixture.forge.seed.revokeAuthorization(fixture.app, 'ada');
    const answer = await ada.send(`${fixture.url}/batch`, fields);
    expect(answer.status).toBe(401);
    const text = await answer.text();
    expect(text).toContain('You are no longer signed in');
    expect(text).toContain('Nobody needs it');
  });
});

test('a comment whose answer is lost is not said to be refused, and stays in its box', async () => {
  const ada = await fixture.signsIn('ada');
  fixture.forge.seed.fault({ times: 1, path: /\/comments$/, method: 'POST', drop: 'after' });
  const sent = { command: 'steer', text: 'Use tabs everywhere' };
  const text = await (await ada.post(`${fixture.url}${fixture.path}/comment`, sent)).text();
  expect(text).toContain('look for it in the conversation before you post it again');
  expect(text).toContain('Use tabs everywhere</textarea>');
});

test('a batch ends when the process is stopped, and says where', async () => {
  const stopped = await startSignInFixture();
  try {
    const ada = new Browser();
    const inbox = await (await ada.signsIn(`${stopped.url}/sign-in`, 'ada')).text();
    const [, run = ''] = /name="run" value="([^"]*)"/.exec(inbox) ?? [];
    const fields = new URLSearchParams({ command: 'approve', run });
    const saying = ada.send(`${stopped.url}/batch/say`, fields).then((answer) => answer.text());
    await expect.poll(() => stopped.commentsOn(stopped.pull)).toHaveLength(1);
    stopped.stops();
    const text = await saying;
    expect(text).toContain(`Stopped at acme/api#${stopped.pull}. Coxswain is being stopped`);
  } finally {
    await stopped.end();
  }
});
