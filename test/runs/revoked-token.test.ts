import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number, saveRunForApproval } from './approved-run.ts';
import { type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** GitHub ends the App's token long before it expires, as it does when one has leaked. */
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

const revoke = () => fixture.forge.seed.revokeTokens(saved.app.installation);

test('a command that comes then is recorded and answered', async () => {
  await fixture.says('mia', number, '/status');
  const before = (await fixture.appComments(number)).length;
  revoke();
  await fixture.says('mia', number, '/why');
  expect(await fixture.appComments(number)).toHaveLength(before + 1);
});

test('Git gets a new token, too, although nothing was asked of the API', async () => {
  const { run } = fixture.run(number);
  await run.readLedger();
  revoke();
  expect((await run.readLedger())?.state.standing.phase).toBe('awaiting_approval');
  await fixture.says('mia', number, '/approve');
  expect((await ledgerOf(fixture)).state.standing).toMatchObject({ phase: 'approved', finish: 'finished' });
});
