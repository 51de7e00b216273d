import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, startAppFixture } from './app-fixture.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { requireChecks } from './required-checks.ts';
import { config } from './widgets.ts';

/**
 * What a person with write access hides in a base of their own, while a maintainer reads the difference from
 * that base, to have it merged into `main`.
 */
let fixture: AppFixture;

/** Holds back the App's question about Mia's role, and with it what she has just said. */
let held: Promise<void> | undefined;

beforeAll(async () => {
  fixture = await startAppFixture({
    files: { '.github/coxswain.yml': `${config}approval: { by: [maintain], finish: ready }\n` },
    onRequest: async ({ path }, next) => {
      if (path.endsWith('/collaborators/mia/permission')) await held;
      return next();
    },
  });
  requireChecks(fixture);
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

const refused = /The base was changed to `main` while this was under review/;

test('a comment counts only if it names the commit, and a review does not, once the base is another', async () => {
  const { bob, mia } = fixture;
  const pull = await hidden('comment');
  await bob.retargets(pull, 'main');
  await waitForDecision(pull, 'main');
  const plain = await mia.says(pull, '/approve');
  await pull.waitForReaction(plain, 'confused');
  await mia.reviews(pull, { event: 'APPROVE', body: 'Fine' });
  await pull.waitUntil('both to be refused', async () => {
    const said = await pull.appComments();
    return said.filter((text) => refused.test(text)).length === 2 || undefined;
  });
  await expectNoMerge(pull);
  await mia.says(pull, `/approve ${await pull.head()}`);
  await pull.waitForPhase('approved');
});

test.each(['plain', 'named'])(
  'a %s comment about the former base does not count, however late it arrives',
  async (how) => {
    const { bob, mia } = fixture;
    const pull = await hidden(how);
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const comment = await mia.says(pull, how === 'plain' ? '/approve' : `/approve ${await pull.head()}`);
    try {
      await bob.retargets(pull, 'main');
      await waitForDecision(pull, 'main');
    } finally {
      held = undefined;
      release();
    }
    await pull.waitForReaction(comment, 'confused');
    await pull.waitForComment(refused);
    await expectNoMerge(pull);
  },
);

test('a merge of a base of their own is a push of their own', async () => {
  const { ada, bob, mia } = fixture;
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval');
  await bob.pushes('main', { 'src/evil.txt': 'evil\n' }, { to: 'shadow' });
  await bob.retargets(pull, 'shadow');
  await waitForDecision(pull, 'shadow');
  // What the button "Update branch" does.
  await bob.octokit.rest.repos.merge({ ...at, base: await pull.branch(), head: 'shadow' });
  await pull.waitForEvents('pushed');
  await waitForDecision(pull, 'shadow');
  await bob.retargets(pull, 'main');
  await waitForDecision(pull, 'main');
  await mia.says(pull, '/approve');
  await pull.waitForComment(refused);
  await expectNoMerge(pull);
});

test('an approval whose comment is deleted falls at once, long before the next sweep', async () => {
  const { ada, mia } = fixture;
  const pull = await ada.starts('Make it fine, too');
  await pull.waitForPhase('awaiting_approval');
  const comment = await mia.says(pull, '/approve');
  await pull.waitForPhase('approved');
  await mia.deletes(comment);
  await pull.waitForPhase('awaiting_approval');
  expect((await pull.check('Coxswain')).conclusion).not.toBe('success');
});

/** A run on a pull request of Bob's into a base of his, which has more in it than `main` has. */
async function hidden(called: string): Promise<PullClient> {
  const { bob } = fixture;
  await bob.pushes('main', { [`src/evil-${called}.txt`]: 'evil\n' }, { to: `shadow-${called}` });
  await bob.pushes(`shadow-${called}`, { [`src/nice-${called}.txt`]: 'nice\n' }, { to: `nice-${called}` });
  const wanted = { ...at, head: `nice-${called}`, base: `shadow-${called}`, title: 'Something nice' };
  const { data } = await bob.octokit.rest.pulls.create(wanted);
  await bob.says(data.number, '/run carry it on');
  const pull = bob.looksAt(data.number);
  await pull.waitForPhase('awaiting_approval');
  return pull;
}

/** Until the head is verified, and on show, for this base. */
function waitForDecision(pull: PullClient, base: string): Promise<unknown> {
  return pull.waitUntil(`#${pull.number} to be shown for ${base}`, async () => {
    const { state } = await pull.ledger();
    const head = await pull.head();
    const isShown = state.run.base === base && state.shown?.head_sha === head;
    return (isShown && state.standing.phase === 'awaiting_approval') || undefined;
  });
}

/** Not for want of trying. */
async function expectNoMerge(pull: PullClient): Promise<void> {
  const { bob } = fixture;
  await bob.marksReady(pull);
  await expect(bob.merges(pull)).rejects.toThrow(/required status check/i);
  const { data } = await bob.octokit.rest.pulls.get({ ...at, pull_number: pull.number });
  expect(data.merged).toBe(false);
}
