import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../app/eventually.ts';
import { ledgerOf, number, saveRunForApproval } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveRunForApproval();
});
afterAll(() => saved.remove());
beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});
afterEach(() => fixture.end());

test('a click on Reject asks each person once for the reason, which then ends the run', async () => {
  const { clicks, says, ada } = fixture;
  const check = await decisionCheck();
  for (const login of ['ada', 'ada', 'bob'] as const) await clicks(login, { check, identifier: 'reject' });
  const asked = await eventually('the question to both', async () => {
    const found = await questions();
    return found.length === 2 ? found : undefined;
  });
  expect(asked.toSorted()).toEqual([
    expect.stringMatching(/^@ada\b.*Nothing has changed yet: comment `\/reject <reason>`/su),
    expect.stringMatching(/^@bob\b/),
  ]);
  expect((await ledgerOf(fixture)).state.standing.phase).toBe('awaiting_approval');
  expect((await ada.rest.pulls.get({ ...at, pull_number: number })).data.state).toBe('open');
  await says('bob', number, '/reject The wrong clock.');
  expect((await ledgerOf(fixture)).state.standing).toEqual({
    ...{ phase: 'rejected', by: 'bob', reason: 'The wrong clock.' },
  });
  expect((await ada.rest.pulls.get({ ...at, pull_number: number })).data.state).toBe('closed');
  expect(await questions()).toHaveLength(2);
});

async function questions(): Promise<readonly string[]> {
  const comments = await fixture.appComments(number);
  return comments.filter((text) => text.includes('Why? Nothing has changed yet'));
}

async function decisionCheck() {
  const { head } = (await ledgerOf(fixture)).state;
  const place = { ...at, ref: head, check_name: 'Coxswain', filter: 'latest' } as const;
  const [check] = (await fixture.ada.rest.checks.listForRef(place)).data.check_runs;
  if (check === undefined) throw new Error('there is no check run');
  return check;
}
