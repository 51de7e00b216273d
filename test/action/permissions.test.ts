import { afterEach, beforeEach, expect, test } from 'vitest';
import { ActionsFixture } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';
import { permissions } from './workflow.ts';

/** What the workflow may not do, only an owner can put right: its job fails. */
let fixture: ActionsFixture;

beforeEach(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
});
afterEach(async () => {
  await fixture.end();
});

test.each([
  ['contents', 'contents=write'],
  ['pull_requests', 'pull_requests=write'],
])('a run that cannot start without %s is refused in a reply and fails its job', async (missing, named) => {
  fixture.permissions = { ...permissions, [missing]: 'read' };
  const issue = await fixture.labeledIssue();
  const { code, log } = await fixture.onlyFinishedJob();
  expect(await fixture.replies(issue)).toEqual([expect.stringContaining(named)]);
  expect(log).toMatch(new RegExp(`^::error::.*${named}`, 'm'));
  expect(code).toBe(1);
});

test('a job on a run with a token that may only read says so at once', async () => {
  await fixture.labeledIssue();
  const number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
  fixture.permissions = { ...permissions, contents: 'read' };
  await fixture.comment(number, '/status');
  const { code, log } = await fixture.onlyFinishedJob();
  expect(code).toBe(1);
  expect(log).toContain('the token may only read');
});

/** A job that tried again and again would make many more. */
const fewRequests = 30;

test('without `checks: write` the job fails soon, and the pull request names that permission', async () => {
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
