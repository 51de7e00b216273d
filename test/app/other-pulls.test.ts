import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture, waitForDeliveries } from './app-fixture.ts';
import { at, type Person } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { config } from './widgets.ts';

/** Pull requests that are not runs, in a repository whose rules require the check. */
let fixture: AppFixture;

beforeAll(async () => {
  const passing = `${config}bases: [{ branches: release/*, check: release }]\nothers: pass\n`;
  fixture = await startAppFixture({ files: { '.github/coxswain.yml': passing } });
  await fixture.mia.pushes('main', { 'src/release.txt': 'one\n' }, { to: 'release/1' });
  requireChecks(fixture, ['Coxswain']);
});

// One of the tests deletes a ledger, and the App says what it could not continue.
afterEach(() => expectNoProblems(fixture, /ledger of #\d+: it no longer exists/));
afterAll(() => fixture?.end());

describe('a pull request of a person', () => {
  test('passes, on every head and for every base it has, and can be merged', async () => {
    const { ada } = fixture;
    const pull = await opens(ada, 'by-hand');
    const check = await waitForCheck(pull, 'Coxswain');
    expect(check).toMatchObject({ conclusion: 'success', output: { title: 'Not a run' } });
    await ada.pushes('by-hand', { 'src/more.txt': 'more\n' });
    await waitForCheck(pull, 'Coxswain');
    await ada.retargets(pull, 'release/1');
    await waitForCheck(pull, 'Coxswain (release)');
    await ada.retargets(pull, 'main');
    await waitForDeliveries(fixture);
    expect(await checksOf(pull, 'Coxswain')).toHaveLength(1);
    await ada.merges(pull);
    expect((await pull.details()).merged).toBe(true);
  });

  test('no longer passes once it is a run', async () => {
    const { ada, bob } = fixture;
    const pull = await opens(ada, 'adopted');
    const head = await pull.head();
    await waitForCheck(pull, 'Coxswain');
    await ada.says(pull, '/run carry it on');
    await pull.waitForPhase('awaiting_approval');
    expect((await newest(pull, 'Coxswain', head))?.conclusion).not.toBe('success');
    await bob.marksReady(pull);
    await expect(bob.merges(pull)).rejects.toThrow(/required status check/i);

    // Neither by hiding that it is one, nor with a commit on top.
    await bob.octokit.rest.issues.removeAllLabels({ ...at, issue_number: pull.number });
    await bob.pushes('adopted', { 'src/top.txt': 'top\n' });
    await waitForDeliveries(fixture);
    await expectNoPass(pull);
  });
});

describe('the work of an agent', () => {
  test('does not pass on a branch of another name', async () => {
    const { ada, bob } = fixture;
    const run = await ada.starts('Make it fine');
    await run.waitForPhase('awaiting_approval');
    await bob.pushes(await run.branch(), {}, { to: 'laundered' });
    const { data } = await bob.octokit.rest.pulls.create({
      ...at,
      head: 'laundered',
      base: 'main',
      title: 'All mine',
    });
    await waitForDeliveries(fixture);
    await expectNoPass(bob.looksAt(data.number));
  });

  test('loses the pass that it got for another branch with the same check, which contains it', async () => {
    const { ada, bob } = fixture;
    const run = await ada.starts('Make it fine once more');
    await run.waitForPhase('awaiting_approval');
    await bob.pushes(await run.branch(), {}, { to: 'release/evil' });
    await bob.pushes('release/evil', { 'src/top.txt': 'top\n' }, { to: 'on-top' });
    const wanted = { ...at, head: 'on-top', base: 'release/evil', title: 'All mine' };
    const { data } = await bob.octokit.rest.pulls.create(wanted);
    const pull = bob.looksAt(data.number);
    expect(await waitForCheck(pull, 'Coxswain (release)')).toMatchObject({ conclusion: 'success' });
    await bob.retargets(pull, 'release/1');
    await pull.waitUntil('the pass to be taken back', async () => {
      const check = await newest(pull, 'Coxswain (release)');
      return check?.conclusion === 'cancelled' || undefined;
    });
  });

  test('does not pass because its ledger and its label are gone', async () => {
    const { ada, bob } = fixture;
    const run = await ada.starts('Make it fine again');
    await run.waitForPhase('awaiting_approval');
    const { ref } = await run.ledger();
    await bob.pushes(await run.branch(), { 'src/top.txt': 'top\n' }, { to: 'theirs' });
    await bob.octokit.rest.git.deleteRef({ ...at, ref: ref.replace('refs/', '') });
    await bob.octokit.rest.issues.removeAllLabels({ ...at, issue_number: run.number });
    const wanted = { ...at, head: 'theirs', base: 'main', title: 'All mine' };
    const { data } = await bob.octokit.rest.pulls.create(wanted);
    await waitForDeliveries(fixture);
    await expectNoPass(bob.looksAt(data.number));
  });
});

async function opens(person: Person, head: string): Promise<PullClient> {
  await person.pushes('main', { [`src/${head}.txt`]: `${head}\n` }, { to: head });
  const { data } = await person.octokit.rest.pulls.create({ ...at, head, base: 'main', title: head });
  return person.looksAt(data.number);
}

async function checksOf(pull: PullClient, called: string, head?: string) {
  return (await pull.checks(head)).filter((check) => check.name === called);
}

async function newest(pull: PullClient, called: string, head?: string) {
  return (await checksOf(pull, called, head)).toSorted((one, other) => one.id - other.id).at(-1);
}

function waitForCheck(pull: PullClient, called: string) {
  return pull.waitUntil(`${called} on #${pull.number}`, () => newest(pull, called));
}

async function expectNoPass(pull: PullClient): Promise<void> {
  const titles = (await pull.checks()).filter(({ conclusion }) => conclusion === 'success');
  expect(titles.map(({ output }) => output.title)).not.toContain('Not a run');
}
