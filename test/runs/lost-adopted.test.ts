import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Bob, who may write, makes us lose sight of a run on a pull request that Ada opened: no author names us. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;
const branch = 'an-idea';
const ref = `refs/coxswain/open/${number}`;
const files = { 'idea.txt': 'x\n' };

beforeAll(async () => {
  saved = await saveForge(async ({ ada, pushes, says }) => {
    await ada.rest.issues.create({ ...at, title: 'Only pull requests follow' });
    await pushes('ada', { from: 'main', to: branch, files });
    await ada.rest.pulls.create({ ...at, head: branch, base: 'main', title: 'An idea' });
    await says('ada', number, '/run make it fine');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function pull() {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

/** The conclusions of our decisions on a commit, oldest first. */
async function decisionsOn(sha: string): Promise<readonly (string | null)[]> {
  const place = { ...at, ref: sha, check_name: 'Coxswain', filter: 'all' } as const;
  const { data } = await fixture.ada.rest.checks.listForRef(place);
  return data.check_runs.toSorted((one, other) => one.id - other.id).map(({ conclusion }) => conclusion);
}

async function expectSaid(text: RegExp, on = number): Promise<void> {
  expect(await fixture.appComments(on)).toContainEqual(expect.stringMatching(text));
}

const deleteLedger = () => fixture.gitAsAda('push', '--quiet', fixture.url, `:${ref}`);

/** Replaces the ledger by a commit that is none of ours. */
async function forgesLedger(): Promise<void> {
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, 'main');
  await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, `FETCH_HEAD:${ref}`);
}

async function movesHead(): Promise<void> {
  await fixture.pushes('bob', { from: 'main', to: branch, files: { 'x.txt': 'x\n' }, force: true });
}

async function stripsBody(): Promise<void> {
  await fixture.bob.rest.pulls.update({ ...at, pull_number: number, body: '' });
}

describe('when the ledger is forged and the head moved to where nothing was drawn', () => {
  test.each([
    ['with the block in its place', false],
    ['without the block', true],
  ])('%s, what we said of the former head is withdrawn', async (_, stripped) => {
    const { head } = await pull();
    await fixture.says('ada', number, `/approve ${head.sha}`);
    expect((await decisionsOn(head.sha)).at(-1)).toBe('success');
    await fixture.restart();
    await forgesLedger();
    if (stripped) await stripsBody();
    await movesHead();
    await fixture.says('bob', number, '/status');
    await expectSaid(/^@bob: The ledger of this run, .* is not sealed/);
    expect((await decisionsOn(head.sha)).at(-1)).toBe('cancelled');
    await fixture.says('mia', number, '/resume');
    await expectSaid(/^@mia: The run's ledger was not sealed, so the run starts over/);
  });
});

describe('when the ledger and the block are gone and the head moved', () => {
  beforeEach(async () => {
    await deleteLedger();
    await stripsBody();
    await movesHead();
    await fixture.restart();
  });

  test('/run does not begin a new history', async () => {
    await fixture.says('bob', number, '/run my way');
    await expectSaid(/^There is already a run, but it cannot continue/);
    expect(await fixture.gitAsAda('ls-remote', fixture.url, ref)).toBe('');
  });

  test('/resume of a maintainer begins it anew', async () => {
    await fixture.says('mia', number, '/resume');
    await expectSaid(/^@mia: The run's ledger was missing, so the run starts over/);
  });
});

test('/run on a pull request of ours whose ledger and block are gone does not begin a new history', async () => {
  await fixture.says('ada', 1, '/run');
  const own = { ...at, pull_number: 3 };
  const { data } = await fixture.ada.rest.pulls.get(own);
  await fixture.gitAsAda('push', '--quiet', fixture.url, ':refs/coxswain/open/3');
  await fixture.bob.rest.pulls.update({ ...own, body: '' });
  await fixture.pushes('bob', { from: 'main', to: data.head.ref, files: { 'x.txt': 'x\n' }, force: true });
  await fixture.restart();
  await fixture.says('bob', 3, '/run my way');
  await expectSaid(/^There is already a run, but it cannot continue/, 3);
  expect(await fixture.gitAsAda('ls-remote', fixture.url, 'refs/coxswain/open/3')).toBe('');
});
