import { afterEach, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

/** No job remembers since when the approvals could not be checked. */

let fixture: ActionsFixture;

afterEach(async () => {
  await fixture.end();
});

test('an approval that a job cannot check permits nothing until one can', async () => {
  let isFailing = false;
  const refused = { status: 422, headers: { 'content-type': 'application/json' }, body: '{"message":"No."}' };
  fixture = await ActionsFixture.start({
    files: succeedingAgent,
    onRequest: async ({ path }, next) =>
      isFailing && path.includes('/collaborators/ada/permission') ? refused : next(),
  });
  await fixture.labeledIssue();
  const number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
  await fixture.comment(number, '/approve');
  await fixture.finishedJobs();
  const conclusion = async () => {
    const { head } = await fixture.pull(number);
    const place = { ...at, ref: head.sha, check_name: 'Coxswain' };
    const { data } = await fixture.ada.rest.checks.listForRef(place);
    return data.check_runs[0]?.conclusion;
  };
  expect(await conclusion()).toBe('success');
  const approvals = async () => (await fixture.ledger(number)).state.approvals;
  const before = await approvals();
  isFailing = true;
  await fixture.sweep();
  expect(await conclusion()).toBe('cancelled');
  expect(await approvals()).toEqual(before);
  isFailing = false;
  await fixture.sweep();
  expect(await conclusion()).toBe('success');
});
