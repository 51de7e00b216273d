import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import { type AppFixture, expectNoProblems } from './app-fixture.ts';
import { approvedBy, expectNothingGranted } from './claimed-approval.ts';
import { forgeLedger } from './forged-ledger.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Someone with write access forces the ledger of a run. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
});

afterEach(() => expectNoProblems(fixture, /ledger of #\d+ at \w+: it is not sealed/));
afterAll(() => fixture?.end());

describe('a forged ledger', () => {
  test.each<[string, (state: State) => State]>([
    ['claims an approval', (state) => approvedBy(state, 'a click')],
    [
      'says that it was merged',
      (state) => ({ ...approvedBy(state, 'a click'), standing: { phase: 'done', merged: true } }),
    ],
    ['claims another head', (state) => ({ ...approvedBy(state, 'a click'), head: 'f'.repeat(40) })],
    ['names another presenter', (state) => ({ ...state, run: { ...state.run, presenter: 'action' } })],
  ])('that %s pauses the run, whatever is said', async (_, change) => {
    const { bob, mia } = fixture;
    const pull = waiting.next();
    const head = await pull.head();
    await forgeLedger(fixture, bob, { pull, change });
    await bob.says(pull, '/status');
    await pull.waitForComment(/The ledger of this run, .* is not sealed/);
    await bob.says(pull, '/resume');
    await pull.waitForComment(/Starting a run over requires maintain/);
    await expectNothingGranted(pull);
    await mia.says(pull, '/resume');
    await pull.waitForComment(/so the run starts over from what is on this branch/);
    await pull.waitForPhase('awaiting_approval');
    expect(await pull.head()).toBe(head);
    await expectNothingGranted(pull);
  });
});
