import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { textSha256 } from '../../src/github/listen/command-event.ts';
import type { State } from '../../src/steering/state.ts';
import { forges } from './forgery.ts';
import type { PullStory } from './pull-story.ts';
import { expectClean, type Stage } from './stage.ts';
import { type StageWithRuns, setStageWithRuns } from './waiting-runs.ts';

/** People with an account, or even with write, who want what nobody has granted them. */
let stage: Stage;
let waiting: StageWithRuns;

beforeAll(async () => {
  waiting = await setStageWithRuns();
  stage = waiting.stage;
});

afterEach(() => expectClean(stage));
afterAll(() => stage?.end());

describe('a forged ledger', () => {
  test('that claims an approval by somebody’s real words draws nothing green and merges nothing', async () => {
    const { bob, mia } = stage;
    const pull = waiting.next();
    const words = 'Nice work so far.';
    const comment_id = await mia.says(pull, words);
    await forges(stage, bob, { pull, change: (state) => approvedBy(state, { comment_id, words }) });
    await bob.says(pull, '/status');
    await pull.hears(/Not finished: the text by .*mia is not an approval/);
    await pull.reaches('awaiting_approval');
    await expectNothingGranted(pull);
  });

  test('that claims a click draws nothing green and merges nothing', async () => {
    const { bob } = stage;
    const pull = waiting.next();
    await forges(stage, bob, { pull, change: (state) => approvedBy(state, 'a click') });
    await bob.says(pull, '/status');
    await pull.hears(/Not finished: the click by .*mia could not be found/);
    await pull.reaches('awaiting_approval');
    await expectNothingGranted(pull);
  });
});

/** As it stands when all is well: approved, confirmed, and about to be merged. */
function approvedBy(state: State, said: { comment_id: number; words: string } | 'a click'): State {
  const { head, updated_at: at, standing } = state;
  const interaction = standing.phase === 'awaiting_approval' ? standing.interaction.id : '';
  const source =
    said === 'a click'
      ? ({ from: 'click', check_run_id: 1, head_sha: head, interaction } as const)
      : ({
          from: 'comment',
          comment_id: said.comment_id,
          text_sha256: textSha256(said.words),
          written_at: at,
        } as const);
  const by = { login: 'mia', role: 'maintain', bot: false } as const;
  return {
    ...state,
    standing: { phase: 'approved', finish: 'finished' },
    approvals: [{ id: 'forged', by, at, head_sha: head, source, despite: [] }],
    owed: [{ id: 'forged:merge', do: 'merge', head_sha: head, when: 'now' }],
  };
}

async function expectNothingGranted(pull: PullStory): Promise<void> {
  expect(await pull.facts()).toMatchObject({ draft: true, merged: false });
  const runs = await pull.checks();
  const conclusions = runs.filter(({ name }) => name === 'Coxswain').map(({ conclusion }) => conclusion);
  expect(conclusions).not.toContain('success');
}
