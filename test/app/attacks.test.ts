import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems } from './app-fixture.ts';
import { approvedBy, expectNothingGranted } from './claimed-approval.ts';
import { forgeLedger } from './forged-ledger.ts';
import { at } from './person.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Attempts by people, some with write access, to get what was not granted. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

describe('a ledger forged with a stolen key', () => {
  test('that cites an existing comment as an approval gets no successful check and no merge', async () => {
    const { bob, mia } = fixture;
    const pull = waiting.next();
    const text = 'Nice work so far.';
    const comment_id = await mia.says(pull, text);
    await forgeLedger(fixture, bob, {
      pull,
      sealed: true,
      change: (state) => approvedBy(state, { comment_id, text }),
    });
    await bob.says(pull, '/status');
    await pull.waitForComment(/Not finished: the text by .*mia is not an approval/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('that claims a click gets no successful check and no merge', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    await forgeLedger(fixture, bob, { pull, sealed: true, change: (state) => approvedBy(state, 'a click') });
    await bob.says(pull, '/status');
    await pull.waitForComment(/Not finished: the click by .*mia could not be found/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('is not rendered when its author then edits the pull request', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    await forgeLedger(fixture, bob, { pull, sealed: true, change: (state) => approvedBy(state, 'a click') });
    const { body } = await pull.details();
    await bob.octokit.rest.pulls.update({ ...at, pull_number: pull.number, body: `Mine.\n\n${body}` });
    await pull.waitForComment(/Not finished: the click by .*mia could not be found/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('gets no successful check when its author then closes the pull request', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    await forgeLedger(fixture, bob, { pull, sealed: true, change: (state) => approvedBy(state, 'a click') });
    await bob.closes(pull);
    await pull.waitForPhase('done');
    const checks = await pull.checks();
    expect(checks.filter(({ name, conclusion }) => name === 'Coxswain' && conclusion === 'success')).toEqual(
      [],
    );
  });

  test('that cites a comment which a writer has edited gets no merge', async () => {
    const { bob, mia } = fixture;
    const pull = waiting.next();
    const text = `/approve ${await pull.head()}`;
    const comment_id = await mia.says(pull, 'Nice work so far.');
    await bob.edits(comment_id, text);
    await forgeLedger(fixture, bob, {
      pull,
      sealed: true,
      change: (state) => approvedBy(state, { comment_id, text }),
    });
    await bob.says(pull, '/status');
    await pull.waitForComment(/Not finished: the comment by .*mia was edited by .*bob/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });
});
