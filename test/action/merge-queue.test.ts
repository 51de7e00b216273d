import { afterEach, expect, test } from 'vitest';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { repositoryFiles, succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
/** A merge queue that requires the check of the Action: each of its groups starts a job. */

let fixture: ActionsFixture;

afterEach(() => fixture.end());

const path = '.github/coxswain.yml';

/** An approved run whose check is green, in a repository that requires it of merge groups; its number. */
async function approvedRun(finish: 'ready' | 'merge'): Promise<number> {
  const config = `${repositoryFiles[path]}approval: { finish: ${finish} }\n`;
  fixture = await ActionsFixture.start({ files: { ...succeedingAgent, [path]: config } });
  fixture.forge.seed.addRuleset(name, {
    rules: [
      { type: 'merge_queue' },
      {
        type: 'required_status_checks',
        parameters: { required_status_checks: [{ context: 'Coxswain' }] },
      },
    ],
  });
  await fixture.labeledIssue();
  const number = Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
  await fixture.comment(number, '/approve');
  return number;
}

test('a run that somebody adds to the queue is verified on its group, and merged', async () => {
  const number = await approvedRun('ready');
  await fixture.finishedJobs();
  const { node_id: id } = await fixture.pull(number);
  await fixture.ada.graphql(
    'mutation ($id: ID!) { enqueuePullRequest(input: { pullRequestId: $id }) { clientMutationId } }',
    { id },
  );
  const jobs = await fixture.finishedJobs();
  expect(jobs.map(({ event, code }) => `${event}: ${code}`)).toContain('merge_group: 0');
  const pull = await fixture.pull(number);
  expect(pull.merged).toBe(true);
  const ref = pull.merge_commit_sha ?? '';
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref });
  const [decision] = data.check_runs.filter((check) => check.name === 'Coxswain');
  expect(decision).toMatchObject({ conclusion: 'success', output: { title: 'Approved and verified' } });
  const ledger = await fixture.ledger(number);
  expect(problemsIn(ledger)).toEqual([]);
  expect(ledger.state.standing).toEqual({ phase: 'done', merged: true });
});

test('with `finish: merge` somebody is asked to add it, because nobody checks what our token adds', async () => {
  const number = await approvedRun('merge');
  await fixture.finishedJobs();
  expect((await fixture.ledger(number)).state.standing).toEqual({ phase: 'approved', finish: 'finished' });
  expect((await fixture.replies(number)).at(-1)).toContain('has to add this pull request to the queue');
});
