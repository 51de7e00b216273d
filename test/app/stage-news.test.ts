import { afterEach, expect, test } from 'vitest';
import { planned } from '../chaos/stories/planned.ts';
import { type AppFixture, expectCleanEnd, startAppFixture } from './app-fixture.ts';
import { problemsIn } from './ledger-content.ts';

/** What happens around a plan that is on show, of which the App hears late. */
let fixture: AppFixture;
afterEach(() => expectCleanEnd(fixture));

test('a review of a plan that is heard late begins the work on what was pushed, and approves no commit', async () => {
  fixture = await startAppFixture({ ...planned.options });
  const { ada, bob } = fixture;
  const pull = await ada.starts('Freeze it');
  await pull.waitForPhase('awaiting_stage');
  await fixture.app.stop();
  const pushed = await ada.pushes(await pull.branch(), { 'src/mine.txt': 'mine\n' });
  await bob.reviews(pull, { event: 'APPROVE' });
  await fixture.start();
  const { head_sha } = await pull.waitForPhase('awaiting_approval');
  expect(head_sha).not.toBe(pushed);
  await fixture.app.stop();
  await fixture.start();
  await bob.says(pull, '/status');
  await pull.waitForComment(/awaiting_approval/);
  const ledger = await pull.ledger();
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state).toMatchObject({ head: head_sha, approvals: [], attempts_used: 1 });
  expect(ledger.state.pushes?.map(({ head }) => head)).toEqual([pushed]);
});
