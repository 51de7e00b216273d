import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ledgerOf, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** An approved run, and an outage while what was said about it is read. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** Says something whose webhook never comes. */
async function rejectsUnheard(): Promise<void> {
  const body = '/reject I was wrong';
  await fixture.client(saved.tokens.mia).rest.issues.createComment({ ...at, issue_number: number, body });
}

const byApp = (path: string) => new RegExp(`^(?!.*by=people).*${path}`);
const phase = async () => (await ledgerOf(fixture)).state.standing.phase;

test('a command counts although GitHub fails to tell at first who edited it', async () => {
  await fixture.restart();
  await rejectsUnheard();
  const errors = [{ message: 'Something went wrong while executing your query.' }];
  const fault = { method: 'POST', path: byApp('^/graphql$'), times: 1_000, status: 200 } as const;
  fixture.forge.seed.fault({ ...fault, body: { data: null, errors } });
  await fixture.sweep();
  expect(fixture.run(number).run.process.isInDoubt).toBe(true);
  expect(fixture.warnings.join('\n')).toContain(`could not sweep acme/api#${number}: GraphQL`);
  fixture.forge.seed.clearFaults();
  await fixture.sweep();
  expect(await phase()).toBe('rejected');
});
