import { afterEach, expect, test } from 'vitest';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture, at } from './actions-fixture.ts';
import { plannedFiles } from './repository.ts';

// Every job is a separate process on a runner of its own.
/** An agent of the Action plans in one job, and builds in another, with nothing but the repository between. */
let fixture: ActionsFixture;
afterEach(() => fixture.end());

test('a plan that one job shows is approved by comment, and another job builds what it says', async () => {
  fixture = await ActionsFixture.start({ files: plannedFiles() });
  await fixture.labeledIssue();
  const planned = await fixture.onlyFinishedJob();
  expect(planned).toMatchObject({ code: 0, outputs: { phase: 'awaiting_stage', iteration: '0' } });
  expect(planned.summary).toContain('<td>awaiting_stage</td>');
  const number = Number(planned.outputs['pull-request']);
  expect(await fixture.pull(number)).toMatchObject({ draft: true, changed_files: 0 });
  expect((await fixture.replies(number)).join('\n')).toMatch(/1\. Ask for the price\.[\s\S]*\/approve/);

  fixture.advanceClock({ seconds: 3 * 24 * 3600 });
  await fixture.comment(number, '/approve');
  const built = await fixture.onlyFinishedJob();
  expect(built).toMatchObject({
    event: 'issue_comment',
    code: 0,
    outputs: { phase: 'awaiting_approval', iteration: '0' },
  });
  const { head, draft } = await fixture.pull(number);
  expect(draft).toBe(true);
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, path: 'price.txt', ref: head.sha });
  expect('content' in data && Buffer.from(data.content, 'base64').toString()).toBe('right\n');
  const ledger = await fixture.ledger(number);
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state).toMatchObject({ attempt: 1, attempts_used: 1, approvals: [], stage: 'implement' });
});
