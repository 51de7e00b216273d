import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { startWaitingRuns, type WaitingRuns } from './waiting-runs.ts';
import { action } from './workflow.ts';

// Every job is a separate process with Git, an agent and verifiers.
test('a session without a server goes from the label to a pull request that is ready for review', async () => {
  const fixture = await ActionsFixture.start();
  const issue = await fixture.labeledIssue();
  const started = await fixture.onlyFinishedJob();
  const number = Number(started.outputs['pull-request']);
  const first = await fixture.pull(number);
  expect(started).toMatchObject({ event: 'issues', code: 0 });
  expect(Object.keys(started.outputs)).toEqual(Object.keys(action.outputs));
  expect(started.outputs).toEqual({
    run: `acme/widgets#${number}`,
    'pull-request': String(first.number),
    url: first.html_url,
    phase: 'awaiting_approval',
    confidence: '0.857143',
    band: 'high',
    'head-sha': first.head.sha,
    iteration: '0',
  });
  expect(started.summary).toContain('<td>awaiting_approval</td>');
  expect(first).toMatchObject({ draft: true, state: 'open', user: { login: 'github-actions[bot]' } });
  expect(first.labels.map((label) => label.name)).toEqual(['coxswain', 'coxswain:awaiting_approval']);
  expect(first.body).toContain(`Closes #${issue}`);
  expect(await fixture.block(number)).toMatchObject({ attempt: 2, iteration: 0, score: 0.857143 });

  const { data: checks } = await fixture.ada.rest.checks.listForRef({ ...at, ref: first.head.sha });
  const logs = checks.check_runs.map(({ details_url }) => details_url);
  expect(new Set(logs)).toEqual(new Set([`${first.base.repo.html_url}/actions/runs/1001/attempts/1`]));

  await fixture.comment(number, '/steer Say it as I say it.');
  const steered = await fixture.onlyFinishedJob();
  expect(steered).toMatchObject({ event: 'issue_comment', code: 0 });
  expect(steered.outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '1' });
  expect(steered.outputs['head-sha']).not.toBe(started.outputs['head-sha']);

  fixture.advanceClock({ seconds: 10 });
  await fixture.comment(number, '/approve');
  const approved = await fixture.onlyFinishedJob();
  expect(approved.outputs).toMatchObject({ phase: 'approved', iteration: '1' });
  expect(await fixture.pull(number)).toMatchObject({ draft: false, state: 'open' });
  await fixture.end();
});

describe('of several runs at once', () => {
  let waiting: WaitingRuns;
  let fixture: ActionsFixture;

  beforeAll(async () => {
    waiting = await startWaitingRuns(['one', 'two']);
    fixture = waiting.fixture;
  });
  afterAll(() => fixture?.end());

  test('one shows its checks without buttons, answers a question, and refuses a reader', async () => {
    const number = waiting.next();
    const { head } = await fixture.pull(number);
    const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: head.sha });
    expect(Object.fromEntries(data.check_runs.map(({ name, conclusion }) => [name, conclusion]))).toEqual({
      Coxswain: 'action_required',
      'Coxswain / test': 'success',
    });
    const [asked] = await fixture.replies(number);
    expect(asked).toContain('/approve');
    expect(asked).not.toMatch(/button/i);

    const comment_id = await fixture.comment(number, '/status');
    expect(await fixture.onlyFinishedJob()).toMatchObject({
      code: 0,
      outputs: { phase: 'awaiting_approval' },
    });
    const { data: reactions } = await fixture.ada.rest.reactions.listForIssueComment({ ...at, comment_id });
    expect(reactions.map(({ content }) => content)).toEqual(['eyes']);
    expect((await fixture.replies(number)).at(-1)).toContain('@ada');

    await fixture.comment(number, '/steer Do it my way.', fixture.grace);
    expect(await fixture.onlyFinishedJob()).toMatchObject({ outputs: { iteration: '0' } });
    expect((await fixture.replies(number)).at(-1)).toMatch(/@grace: .*write/s);
  });

  test('one is approved by a review, and is done when a human merges it', async () => {
    const number = waiting.next();
    await fixture.ada.rest.pulls.createReview({ ...at, pull_number: number, event: 'APPROVE' });
    expect(await fixture.onlyFinishedJob()).toMatchObject({
      event: 'pull_request_review',
      outputs: { phase: 'approved' },
    });
    expect(await fixture.pull(number)).toMatchObject({ draft: false });

    await fixture.ada.rest.pulls.merge({ ...at, pull_number: number });
    const jobs = await fixture.finishedJobs();
    expect(jobs.toSorted((one, other) => one.event.localeCompare(other.event))).toMatchObject([
      { event: 'issues', code: 0, outputs: {} },
      { event: 'pull_request', outputs: { phase: 'done' } },
    ]);
  });
});
