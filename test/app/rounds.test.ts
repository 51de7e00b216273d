import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems, waitForDeliveries } from './app-fixture.ts';
import { type Barrier, startBarrier } from './barrier.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Steers, reviews and pushes during an attempt, or several at once. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;
/** Blocks the agent of the current test. */
let barrier: Barrier;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
});

beforeEach(async () => {
  barrier = await startBarrier();
});

afterEach(async () => {
  await barrier.close();
  expectNoProblems(fixture);
});

afterAll(() => fixture?.end());

/** GitHub's times are whole seconds: an edit in the same second as its comment cannot be detected. */
async function nextSecond(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000);
  const now = second();
  await expect.poll(second).toBeGreaterThan(now);
}

describe('while the agent works', () => {
  test('steers are queued in order, follow the edits of their authors, and make one iteration', async () => {
    const { ada, bob } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier.path}`);
    await barrier.reached();
    const first = await ada.says(pull, '/steer one');
    await pull.waitForComment(/queued as steer 1/i);
    const second = await bob.says(pull, '/steer two');
    await pull.waitForComment(/queued as steer 2/i);
    const third = await ada.says(pull, '/steer three');
    await pull.waitForComment(/queued as steer 3/i);
    await nextSecond();
    await ada.edits(first, '/steer uno');
    await pull.waitForEvents('comment_changed');
    await ada.edits(second, '/steer due');
    await pull.waitForEvents('comment_changed', 2);
    await ada.deletes(third);
    const { state } = await pull.waitForEvents('comment_changed', 3);
    expect(state.queue.map(({ prompt }) => prompt)).toEqual(['uno', 'two']);

    barrier.open();
    const { history } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(history).toMatchObject([
      {
        steers: [
          { author: 'ada', prompt: 'uno' },
          { author: 'bob', prompt: 'two' },
        ],
      },
    ]);
  });

  test('an approval is refused because there is no commit to approve', async () => {
    const { ada } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier.path}`);
    await barrier.reached();
    await ada.says(pull, '/approve');
    await pull.waitForComment(/There is no commit to approve while the run is `working`/);
    barrier.open();
    await pull.waitForPhase('awaiting_approval');
  });

  test('a push by a human is built upon, never overwritten', async () => {
    const { ada, bob } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier.path}`);
    await barrier.reached();
    const pushed = await bob.pushes(await pull.branch(), { 'src/bob.txt': 'mine\n' });
    await pull.waitForEvents('pushed');
    barrier.open();
    const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 0 });
    const { data: commits } = await ada.octokit.rest.pulls.listCommits({ ...at, pull_number: pull.number });
    const shas = commits.map(({ sha }) => sha);
    expect(shas.at(-1)).toBe(head_sha);
    expect(shas).toContain(pushed);
    expect(problemsIn(await pull.ledger())).toEqual([]);
  });

  test('/steer --now ends the attempt and starts the next iteration', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: hang');
    await pull.waitForEvents('attempt_started');
    await ada.says(pull, '/steer --now do it at once');
    const { history } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(history).toMatchObject([{ prompt: 'do it at once' }]);
  });
});

test('a force-push between attempts is recorded, and the new head verified', async () => {
  const { ada } = fixture;
  const pull = waiting.next();
  const branch = await pull.branch();
  const head = await ada.pushes(branch, { 'src/other.txt': 'other\n' }, { force: true });
  const { events } = await pull.waitForEvents('pushed');
  expect(events.find(({ type }) => type === 'pushed')).toMatchObject({ head, forced: true, by: 'ada' });
  await expect.poll(async () => (await pull.block())?.head_sha).toBe(head);
  await pull.waitForPhase('awaiting_approval');
  expect(problemsIn(await pull.ledger())).toEqual([]);
});

describe('reviews', () => {
  test('"request changes" is a steer that contains its comments with file and line', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    const comments = [{ path: 'src/0.txt', line: 1, body: 'Say why.' }];
    await bob.reviews(pull, { event: 'REQUEST_CHANGES', body: 'Not yet.', comments });
    const { history } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    const [first] = history;
    expect(first).toMatchObject({ steers: [{ author: 'bob', source: { from: 'review' } }] });
    expect(first?.prompt).toMatch(/^Not yet\.\n\n#### src\/0\.txt, line 1\n[\s\S]*\n\nSay why\.$/);
  });

  test('an approving review approves its commit until it is dismissed', async () => {
    const { ada, bob, mia } = fixture;
    const pull = waiting.next();
    await bob.reviews(pull, { event: 'APPROVE' });
    await pull.waitForPhase('approved');
    await pull.waitForDraft(false);
    const { data } = await ada.octokit.rest.pulls.listReviews({ ...at, pull_number: pull.number });
    const dismissal = { ...at, pull_number: pull.number, review_id: data[0]?.id ?? 0, message: 'no' };
    await mia.octokit.rest.pulls.dismissReview(dismissal);
    await pull.waitForPhase('awaiting_approval');
    expect((await pull.details()).draft).toBe(true);
  });
});

describe('at the same instant', () => {
  test('two approvals count once, and the second one gets a reply that names the first', async () => {
    const { ada, bob } = fixture;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await Promise.all([ada, bob].map((person) => person.says(pull, `/approve ${head_sha}`)));
    await pull.waitForPhase('approved');
    await pull.waitForComment(/already approved by (ada|bob)/);
    const { state, ...ledger } = await pull.ledger();
    expect(state.approvals).toHaveLength(1);
    expect(ledger.events.filter(({ type }) => type === 'said')).toHaveLength(2);
  });

  test('a steer and an approval are both recorded, in either order', async () => {
    const { ada, bob } = fixture;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await Promise.all([ada.says(pull, '/steer more'), bob.says(pull, `/approve ${head_sha}`)]);
    await waitForDeliveries(fixture);
    await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    const ledger = await pull.ledger();
    expect(problemsIn(ledger)).toEqual([]);
    expect(ledger.events.filter(({ type }) => type === 'said')).toHaveLength(2);
  });

  test('ten steers by two people are each applied once', async () => {
    const { ada, bob } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier.path}`);
    await barrier.reached();
    const texts = Array.from({ length: 10 }, (_, index) => `steer number ${index}`);
    await Promise.all(texts.map((text, index) => (index % 2 === 0 ? ada : bob).says(pull, `/steer ${text}`)));
    await pull.waitForEvents('said', 10);
    barrier.open();
    const { history } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(history[0]?.steers.map(({ prompt }) => prompt).sort()).toEqual(texts);
    expect(problemsIn(await pull.ledger())).toEqual([]);
  });
});
