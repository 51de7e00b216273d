import { afterEach, expect, test } from 'vitest';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;

afterEach(() => fixture.end());

/** A job that tried again and again would make many more. */
const fewRequests = 30;

test('without `checks: write` the job fails soon, and the pull request names that permission', async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
  const { checks: _, ...others } = fixture.permissions;
  fixture.permissions = others;
  const issue = await fixture.labeledIssue();
  const { code, log } = await fixture.onlyFinishedJob();
  expect(code).toBe(1);
  expect(fixture.forge.requests.api.length).toBeLessThanOrEqual(fewRequests);
  const said = await fixture.replies(issue + 1);
  expect(said).toEqual([expect.stringMatching(/^Coxswain cannot update this pull request: /)]);
  const errors = log.split('\n').filter((line) => line.startsWith('::error::'));
  for (const text of [...said, ...errors]) expect(text).toContain('needs the permission checks=write: grant');
  expect(errors.length).toBeGreaterThan(0);

  // What was done is in the ledger, and is shown as soon as somebody has granted it.
  fixture.permissions = { ...others, checks: 'write' };
  expect(await fixture.sweep()).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval' } });
  expect(await fixture.block(issue + 1)).toMatchObject({ phase: 'awaiting_approval' });
});
