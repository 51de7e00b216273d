import type { State } from '../../src/steering/state/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge } from './runs-fixture.ts';

/** Run #3 is on issue #1; run #4 is on issue #2, which depends on #1, and is blocked. */
export function saveBlockedRun(): Promise<SavedForge> {
  return saveForge(async ({ ada, labels }) => {
    await ada.rest.issues.create({ ...at, title: 'First', body: 'It comes first.' });
    await ada.rest.issues.create({ ...at, title: 'Second', body: 'It builds on that.\n\nDepends on #1.' });
    await labels('ada', 1);
    await labels('ada', 2);
  });
}

/** What a run came to, by its ledger. */
export async function stateIn(fixture: RunsFixture, number: number): Promise<State> {
  const { run } = fixture.run(number);
  const state = (await run.readLedger())?.state;
  if (state === undefined) throw new Error(`#${number} has no ledger`);
  return state;
}

/** Mia approves a run and Bob merges it; nothing of the latter is delivered. */
export async function approveAndMerge(fixture: RunsFixture, number: number): Promise<void> {
  await fixture.says('mia', number, '/approve');
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: number });
}
