import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Repository } from '../../src/repository/repository.ts';
import { story } from '../steering/story.ts';
import { Browser } from './browser.ts';
import { listRuns, waitingRuns } from './listed-runs.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { textOf } from './reading.ts';
import { type SignInFixture, startSignInFixture } from './sign-in-fixture.ts';
import { type Visitor, visitorOf } from './visitor.ts';
import { at } from './waiting-run.ts';

/** The numbers of the runs that are listed as waiting, in their order. */
function waitingIn(page: string): readonly number[] {
  return [...page.matchAll(/<li id="run-[^"#]*#(\d+)" class="row" data-row>/g)].map(([, number]) =>
    Number(number),
  );
}

describe('an inbox', () => {
  let fixture: PageFixture;
  let visitor: Visitor;
  let pull = '';
  beforeAll(async () => {
    fixture = await startFixture();
    visitor = await visitorOf(fixture);
    pull = `/acme/api/pull/${fixture.pull}`;
    listRuns(fixture, waitingRuns);
  }, 60_000);
  afterAll(() => fixture?.end());

  const inbox = async (query = '') => (await visitor.get(`/${query}`)).text();

  test('has the riskiest first, then what waits longest', async () => {
    const order = waitingIn(await inbox());
    expect(order).toHaveLength(waitingRuns.length + 1);
    expect(order.slice(0, 2)).toEqual([103, 104]);
  });

  test.each([
    ['?kind=question', [105]],
    ['?risk=critical', [103]],
    ['?q=NODE', [108]],
    ['?repo=ACME/api&kind=interrupt', [107]],
    ['?repo=acme/other', []],
    ['?band=medium', [107]],
  ])('%s lists what fits', async (query, numbers) => {
    expect(waitingIn(await inbox(query))).toEqual(numbers);
  });

  test('says which filter has a value that does not exist, and shows all', async () => {
    const page = await inbox('?risk=severe&kind=question');
    expect(textOf(page)).toContain('There is no such risk, so all are shown.');
    expect(waitingIn(page)).toEqual([105]);
  });

  test('refuses a cursor that no page has given, and shows what address leads on', async () => {
    const answer = await visitor.get('/?cursor=abc');
    expect(answer.status).toBe(400);
    expect(textOf(await answer.text())).toContain('This cursor is none that a page has given');
  });

  test('shows nothing of a repository that the person does not see', async () => {
    const remote = { url: 'https://github.com/acme/hidden.git' };
    const hidden = { id: 987_654, owner: 'acme', name: 'hidden', remote } as Repository; // what the index reads of it
    const { state } = story().starts().works();
    fixture.index.note(hidden, { ...state, run: { ...state.run, id: 'acme/hidden#1', number: 1 } });
    const page = await inbox('?for=anyone');
    expect(page).not.toContain('acme/hidden');
    expect(waitingIn(page)).toHaveLength(waitingRuns.length + 1);
    fixture.index.forget(987_654);
  });

  test('lists for somebody only what waits for them, unless they want more', async () => {
    const { state } = story({ approval: { by: [{ login: 'mia' }] } })
      .starts()
      .works();
    listRuns(fixture, [['Only for Mia', { state }]], 200);
    expect(waitingIn(await inbox('?q=only'))).toEqual([]);
    const all = await inbox('?q=only&for=anyone');
    expect(waitingIn(all)).toEqual([200]);
    expect(textOf(all)).toMatch(/for @.?mia/);
  });

  test('is kept through what settles nothing, and left for the next run by what does', async () => {
    const query = `${pull}/comment?from=q%3Da`;
    const status = await visitor.post(query, { command: '', text: '/status' });
    expect(status.headers.get('location')).toBe(`${pull}?from=q%3Da`);
    const usual = await visitor.post(`${pull}/comment?from=`, { command: '', text: 'Hello' });
    expect(usual.headers.get('location')).toBe(`${pull}?from=`);
    const steer = await visitor.post(`${pull}/comment?from=kind%3Dquestion`, {
      command: 'steer',
      text: 'Use tabs',
    });
    const said = new URLSearchParams({ from: 'kind=question', said: `steer acme/api#${fixture.pull}` });
    expect(steer.headers.get('location')).toBe(`/acme/api/pull/105?${said}`);
    expect(await inbox(`?${said}`)).toContain(`Posted <code>/steer</code> on <a href="${pull}">`);
  });

  test('leads back to itself where nothing else waits', async () => {
    const steer = await visitor.post(`${pull}/comment?from=q%3Dnowhere`, {
      command: 'steer',
      text: 'And spaces',
    });
    const said = new URLSearchParams({ q: 'nowhere', said: `steer acme/api#${fixture.pull}` });
    expect(steer.headers.get('location')).toBe(`/?${said}`);
  });

  test.each([
    '<script> acme/api#1',
    'steer https://evil.example#1',
    'launch acme/api#1',
    'steer acme/api#1 x',
  ])('does not say that %j was posted', async (said) => {
    expect(await inbox(`?${new URLSearchParams({ said })}`)).not.toContain('Posted');
  });

  test('a run that was opened from it leads on without a decision, too', async () => {
    const page = await (await visitor.get(`${pull}?from=kind%3Dquestion`)).text();
    expect(page).toContain('<a href="/?kind=question" data-back>Back to the inbox</a>');
    expect(page).toContain('<a href="/acme/api/pull/105?from=kind%3Dquestion">Next run</a>');
  });
});

describe('what GitHub says meanwhile', () => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await startSignInFixture();
  }, 60_000);
  beforeEach(() => fixture.forge.seed.clearFaults());
  afterAll(() => fixture?.end());

  test('a renamed repository is found by its old name', async () => {
    fixture.forge.seed.rename('acme/api', 'clocks');
    const ada = await fixture.signsIn('ada');
    fixture.forge.seed.rename('acme/clocks', 'api');
    expect(ada.url).toBe(`${fixture.url}/acme/clocks/pull/${fixture.pull}`);
  });

  test('what is said reaches no other repository that has taken the name', async () => {
    const ada = await fixture.signsIn('ada');
    expect((await ada.once(fixture.url)).status).toBe(200);
    const { seed } = fixture.forge;
    seed.rename('acme/api', 'clocks');
    await seed.addRepository({ owner: 'acme', name: 'api', files: { 'README.md': '# another\n' } });
    seed.setCollaborator('acme/api', 'ada', 'admin');
    const issues = fixture.ada.rest.issues;
    let number = 0;
    while (number < fixture.pull) number = (await issues.create({ ...at, title: 'Another' })).data.number;
    const said = await ada.post(`${fixture.url + fixture.path}/comment`, {
      command: 'steer',
      text: 'A secret',
    });
    expect(said.status).toBe(404);
    expect(await said.text()).toContain('A secret');
    expect(await fixture.commentsOn(fixture.pull)).toEqual([]);
    await seed.deleteRepository('acme/api');
    seed.rename('acme/clocks', 'api');
  });

  test('while it says nothing, what was shown is shown as of then, and words are kept', async () => {
    const bob = await fixture.signsIn('bob');
    for (const path of ['/', fixture.path]) expect((await bob.once(fixture.url + path)).status).toBe(200);
    fixture.forge.seed.fault({ times: 1000, path: /./, status: 503 });
    const text = 'Use tabs';
    const late = await bob.post(`${fixture.url + fixture.path}/comment`, { command: 'steer', text });
    const shown = await late.text();
    expect([502, 503]).toContain(late.status);
    expect(shown).toContain('>Use tabs</textarea>');
    const again = async () => (await bob.once(fixture.url + fixture.path)).text();
    await expect.poll(again).toContain('GitHub cannot be reached: this is as of');
    const inbox = await bob.once(fixture.url);
    expect(inbox.status).toBe(200);
    expect(waitingIn(await inbox.text())).toEqual([fixture.pull]);
  });

  test('somebody who sees no repository is told so', async () => {
    fixture.forge.seed.addUser('eve');
    fixture.forge.seed.setPrivate('acme/api', true);
    const eve = new Browser();
    const inbox = await (await eve.signsIn(`${fixture.url}/sign-in`, 'eve')).text();
    expect(textOf(inbox)).toContain('Coxswain is not installed on a repository that you see on GitHub');
    expect(inbox).not.toContain('acme/api');
  });
});
