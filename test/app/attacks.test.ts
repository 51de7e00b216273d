import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { textSha256 } from '../../src/github/text-digest.ts';
import type { Account } from '../../src/steering/person.ts';
import type { State } from '../../src/steering/state.ts';
import { type AppFixture, expectNoProblems } from './app-fixture.ts';
import { forgeLedger } from './forged-ledger.ts';
import { at } from './person.ts';
import type { PullClient } from './pull-client.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Attempts by people, some with write access, to get what was not granted. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;
let mia: Account;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
  const { id } = (await fixture.mia.octokit.rest.users.getAuthenticated()).data;
  mia = { login: 'mia', id };
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

describe('a forged ledger', () => {
  test('that cites an existing comment as an approval gets no successful check and no merge', async () => {
    const { bob, mia: maintainer } = fixture;
    const pull = waiting.next();
    const text = 'Nice work so far.';
    const comment_id = await maintainer.says(pull, text);
    await forgeLedger(fixture, bob, { pull, change: (state) => approvedBy(state, { comment_id, text }) });
    await bob.says(pull, '/status');
    await pull.waitForComment(/Not finished: the text by .*mia is not an approval/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('that claims a click gets no successful check and no merge', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    await forgeLedger(fixture, bob, { pull, change: (state) => approvedBy(state, 'a click') });
    await bob.says(pull, '/status');
    await pull.waitForComment(/Not finished: the click by .*mia could not be found/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('is not rendered when its author then edits the pull request', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    await forgeLedger(fixture, bob, { pull, change: (state) => approvedBy(state, 'a click') });
    const { body } = await pull.details();
    await bob.octokit.rest.pulls.update({ ...at, pull_number: pull.number, body: `Mine.\n\n${body}` });
    await pull.waitForComment(/Not finished: the click by .*mia could not be found/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('gets no successful check when its author then closes the pull request', async () => {
    const { bob } = fixture;
    const pull = waiting.next();
    await forgeLedger(fixture, bob, { pull, change: (state) => approvedBy(state, 'a click') });
    await bob.closes(pull);
    await pull.waitForPhase('done');
    const checks = await pull.checks();
    expect(checks.filter(({ name, conclusion }) => name === 'Coxswain' && conclusion === 'success')).toEqual(
      [],
    );
  });

  test('that cites a comment which a writer has edited gets no merge', async () => {
    const { bob, mia: maintainer } = fixture;
    const pull = waiting.next();
    const text = `/approve ${await pull.head()}`;
    const comment_id = await maintainer.says(pull, 'Nice work so far.');
    await bob.edits(comment_id, text);
    await forgeLedger(fixture, bob, { pull, change: (state) => approvedBy(state, { comment_id, text }) });
    await bob.says(pull, '/status');
    await pull.waitForComment(/Not finished: the comment by .*mia was edited by .*bob/);
    await pull.waitForPhase('awaiting_approval');
    await expectNothingGranted(pull);
  });
});

/** The state of an approved run whose merge is pending. */
function approvedBy(state: State, evidence: { comment_id: number; text: string } | 'a click'): State {
  const { head, updated_at: at, standing } = state;
  const interaction = standing.phase === 'awaiting_approval' ? standing.interaction.id : '';
  const source =
    evidence === 'a click'
      ? ({ from: 'click', check_run_id: 1, head_sha: head, interaction } as const)
      : ({
          from: 'comment',
          comment_id: evidence.comment_id,
          text_sha256: textSha256(evidence.text),
          written_at: at,
        } as const);
  const by = { ...mia, role: 'maintain', bot: false } as const;
  return {
    ...state,
    standing: { phase: 'approved', finish: 'finished' },
    approvals: [{ id: 'forged', by, at, head_sha: head, source, despite: [] }],
    owed: [{ id: 'forged:merge', do: 'merge', head_sha: head, when: 'now' }],
  };
}

async function expectNothingGranted(pull: PullClient): Promise<void> {
  expect(await pull.details()).toMatchObject({ draft: true, merged: false });
  const runs = await pull.checks();
  const conclusions = runs.filter(({ name }) => name === 'Coxswain').map(({ conclusion }) => conclusion);
  expect(conclusions).not.toContain('success');
}
