import { afterEach, expect, test } from 'vitest';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { repositoryFiles, succeedingAgent } from './repository.ts';

/** What a job does for a run that concerns neither its agent nor its verifiers. */

let fixture: ActionsFixture;

afterEach(async () => {
  await fixture.end();
});

/** A run that waits for approval; returns its number. */
async function waitingRun(): Promise<number> {
  const path = '.github/coxswain.yml';
  const config = `${repositoryFiles[path]}approval: { finish: merge }\n`;
  fixture = await ActionsFixture.start({ files: { ...succeedingAgent, [path]: config } });
  await fixture.labeledIssue();
  return Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
}

test('an approved run that waits for a check says so, and is merged by the next job for it', async () => {
  const number = await waitingRun();
  const parameters = { required_status_checks: [{ context: 'ci' }] };
  fixture.forge.seed.addRuleset(name, { rules: [{ type: 'required_status_checks', parameters }] });
  await fixture.comment(number, '/approve');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0, outputs: { phase: 'approved' } });
  const { head, body, merged } = await fixture.pull(number);
  expect(merged).toBe(false);
  expect(body).toContain('Not merged yet: it will be merged as soon as GitHub allows it');
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: head.sha, check_name: 'Coxswain' });
  expect(data.check_runs[0]?.output.title).toBe('Approved by ada; not merged yet');

  await fixture.ada.rest.repos.createCommitStatus({ ...at, sha: head.sha, context: 'ci', state: 'success' });
  await fixture.comment(number, '/status');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0, outputs: { phase: 'done' } });
  expect(await fixture.pull(number)).toMatchObject({ merged: true });
});

test('a run whose label was removed is heard, and has it again', async () => {
  const issue_number = await waitingRun();
  const labels = async () => (await fixture.pull(issue_number)).labels.map((label) => label.name);
  await fixture.ada.rest.issues.removeLabel({ ...at, issue_number, name: 'coxswain' });
  expect(await labels()).not.toContain('coxswain');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ event: 'pull_request', code: 0 });
  expect(await labels()).toContain('coxswain');
});
