import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gate, setGate } from './gate.ts';
import { flawsOf } from './ledger-story.ts';
import { at } from './person.ts';
import { delivered, expectClean, type Stage } from './stage.ts';
import { type StageWithRuns, setStageWithRuns } from './waiting-runs.ts';

/** Steers, reviews and pushes that come while something is at work, or all at once. */
let stage: Stage;
let waiting: StageWithRuns;
/** Holds the agent of the one test. */
let gate: Gate;

beforeAll(async () => {
  waiting = await setStageWithRuns();
  stage = waiting.stage;
});

beforeEach(async () => {
  gate = await setGate();
});

afterEach(async () => {
  await gate.close();
  expectClean(stage);
});

afterAll(() => stage?.end());

/** GitHub's times are whole seconds: an edit in the second of the comment itself cannot be told from it. */
async function nextSecond(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000);
  const now = second();
  await expect.poll(second, { timeout: 5000 }).toBeGreaterThan(now);
}

describe('while the agent works', () => {
  test('steers are queued in order, follow their authors edits, and make one round', async () => {
    const { ada, bob } = stage;
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    const first = await ada.says(pull, '/steer one');
    await pull.hears(/queued as steer 1/i);
    const second = await bob.says(pull, '/steer two');
    await pull.hears(/queued as steer 2/i);
    const third = await ada.says(pull, '/steer three');
    await pull.hears(/queued as steer 3/i);
    await nextSecond();
    await ada.edits(first, '/steer uno');
    await pull.remembers('comment_changed');
    await ada.edits(second, '/steer due');
    await pull.remembers('comment_changed', 2);
    await ada.deletes(third);
    const { state } = await pull.remembers('comment_changed', 3);
    expect(state.queue.map(({ prompt }) => prompt)).toEqual(['uno', 'two']);

    gate.open();
    const { history } = await pull.reaches('awaiting_approval', { iteration: 1 });
    expect(history).toMatchObject([
      {
        steers: [
          { author: 'ada', prompt: 'uno' },
          { author: 'bob', prompt: 'two' },
        ],
      },
    ]);
  });

  test('an approval is refused, for nothing is on show', async () => {
    const { ada } = stage;
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    await ada.says(pull, '/approve');
    await pull.hears(/There is no commit to approve while the run is `working`/);
    gate.open();
    await pull.reaches('awaiting_approval');
  });

  test('a push by a human is built upon, never pushed over', async () => {
    const { ada, bob } = stage;
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    const pushed = await bob.pushes(await pull.branch(), { 'src/bob.txt': 'mine\n' });
    await pull.remembers('pushed');
    gate.open();
    const { head_sha } = await pull.reaches('awaiting_approval', { iteration: 0 });
    const { data: commits } = await ada.octokit.rest.pulls.listCommits({ ...at, pull_number: pull.number });
    const shas = commits.map(({ sha }) => sha);
    expect(shas.at(-1)).toBe(head_sha);
    expect(shas).toContain(pushed);
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });

  test('/steer --now ends the attempt and begins the next round', async () => {
    const { ada } = stage;
    const pull = await ada.starts('agent: hang');
    await pull.remembers('attempt_started');
    await ada.says(pull, '/steer --now do it at once');
    const { history } = await pull.reaches('awaiting_approval', { iteration: 1 });
    expect(history).toMatchObject([{ prompt: 'do it at once' }]);
  });
});

test('a push by force while nobody works is recorded, and verified from there', async () => {
  const { ada } = stage;
  const pull = waiting.next();
  const branch = await pull.branch();
  const head = await ada.pushes(branch, { 'src/other.txt': 'other\n' }, { force: true });
  const { events } = await pull.remembers('pushed');
  expect(events.find(({ type }) => type === 'pushed')).toMatchObject({ head, forced: true, by: 'ada' });
  await expect.poll(async () => (await pull.block())?.head_sha, { timeout: 20_000 }).toBe(head);
  await pull.reaches('awaiting_approval');
  expect(flawsOf(await pull.ledger())).toEqual([]);
});

describe('reviews', () => {
  test('"request changes" is a steer with its remarks, each with its place', async () => {
    const { bob } = stage;
    const pull = waiting.next();
    const comments = [{ path: 'src/0.txt', line: 1, body: 'Say why.' }];
    await bob.reviews(pull, { event: 'REQUEST_CHANGES', body: 'Not yet.', comments });
    const { history } = await pull.reaches('awaiting_approval', { iteration: 1 });
    const [round] = history;
    expect(round).toMatchObject({ steers: [{ author: 'bob', source: { from: 'review' } }] });
    expect(round?.prompt).toMatch(/^Not yet\.\n\n#### src\/0\.txt, line 1\n[\s\S]*\n\nSay why\.$/);
  });

  test('an approving review approves its commit, and dismissed it no longer does', async () => {
    const { ada, bob, mia } = stage;
    const pull = waiting.next();
    await bob.reviews(pull, { event: 'APPROVE' });
    await pull.reaches('approved');
    await pull.isDraft(false);
    const { data } = await ada.octokit.rest.pulls.listReviews({ ...at, pull_number: pull.number });
    const dismissal = { ...at, pull_number: pull.number, review_id: data[0]?.id ?? 0, message: 'no' };
    await mia.octokit.rest.pulls.dismissReview(dismissal);
    await pull.reaches('awaiting_approval');
    expect((await pull.facts()).draft).toBe(true);
  });
});

describe('at the same instant', () => {
  test('two approvals are one, and the other is told by whom', async () => {
    const { ada, bob } = stage;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await Promise.all([ada, bob].map((person) => person.says(pull, `/approve ${head_sha}`)));
    await pull.reaches('approved');
    await pull.hears(/already approved by (ada|bob)/);
    const { state, ...ledger } = await pull.ledger();
    expect(state.approvals).toHaveLength(1);
    expect(ledger.events.filter(({ type }) => type === 'said')).toHaveLength(2);
  });

  test('a steer and an approval both count, in some order', async () => {
    const { ada, bob } = stage;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await Promise.all([ada.says(pull, '/steer more'), bob.says(pull, `/approve ${head_sha}`)]);
    await delivered(stage);
    await pull.reaches('awaiting_approval', { iteration: 1 });
    const ledger = await pull.ledger();
    expect(flawsOf(ledger)).toEqual([]);
    expect(ledger.events.filter(({ type }) => type === 'said')).toHaveLength(2);
  });

  test('ten steers of two people all land, and none twice', async () => {
    const { ada, bob } = stage;
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    const texts = Array.from({ length: 10 }, (_, index) => `steer number ${index}`);
    await Promise.all(texts.map((text, index) => (index % 2 === 0 ? ada : bob).says(pull, `/steer ${text}`)));
    await pull.remembers('said', 10);
    gate.open();
    const { history } = await pull.reaches('awaiting_approval', { iteration: 1 });
    expect(history[0]?.steers.map(({ prompt }) => prompt).sort()).toEqual(texts);
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });
});
