import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { able } from './repository.ts';
import { at, Stage } from './stage.ts';
import { action } from './workflow.ts';

// Every job is a process with Git, an agent and verifiers of its own.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

test('a session without a server goes from a label to a pull request that is ready', async () => {
  const stage = await Stage.set();
  const issue = await stage.labeledIssue();
  const begun = await stage.onlyJob();
  const number = Number(begun.outputs['pull-request']);
  const first = await stage.pull(number);
  expect(begun).toMatchObject({ event: 'issues', code: 0 });
  expect(Object.keys(begun.outputs)).toEqual(Object.keys(action.outputs));
  expect(begun.outputs).toEqual({
    run: `acme/widgets#${number}`,
    'pull-request': String(first.number),
    url: first.html_url,
    phase: 'awaiting_approval',
    confidence: '0.857143',
    band: 'high',
    'head-sha': first.head.sha,
    iteration: '0',
  });
  expect(begun.summary).toContain('<td>awaiting_approval</td>');
  expect(first).toMatchObject({ draft: true, state: 'open', user: { login: 'github-actions[bot]' } });
  expect(first.labels.map((label) => label.name)).toEqual(['coxswain', 'coxswain:awaiting_approval']);
  expect(first.body).toContain(`Closes #${issue}`);
  expect(await stage.block(number)).toMatchObject({ attempt: 2, iteration: 0, score: 0.857143 });

  await stage.say(number, '/steer Say it as I say it.');
  const steered = await stage.onlyJob();
  expect(steered).toMatchObject({ event: 'issue_comment', code: 0 });
  expect(steered.outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '1' });
  expect(steered.outputs['head-sha']).not.toBe(begun.outputs['head-sha']);

  stage.passes({ seconds: 10 });
  await stage.say(number, '/approve');
  const approved = await stage.onlyJob();
  expect(approved.outputs).toMatchObject({ phase: 'approved', iteration: '1' });
  expect(await stage.pull(number)).toMatchObject({ draft: false, state: 'open' });
  await stage.end();
});

describe('of several runs at once', () => {
  let stage: Stage;
  let numbers: number[];

  beforeAll(async () => {
    stage = await Stage.set({ files: able });
    for (const title of ['one', 'two', 'three', 'four', 'five']) await stage.labeledIssue(title);
    const begun = await stage.settled();
    numbers = begun.map(({ outputs }) => Number(outputs['pull-request']));
    expect(new Set(numbers).size).toBe(5);
    stage.passes({ seconds: 10 });
  });
  afterAll(() => stage.end());

  /** A run that waits for a human and that no other test has touched. */
  function next(): number {
    const number = numbers.pop();
    if (number === undefined) throw new Error('there are fewer runs than tests');
    return number;
  }

  test('one shows its checks without buttons, answers a question, and refuses a reader', async () => {
    const number = next();
    const { head } = await stage.pull(number);
    const { data } = await stage.ada.rest.checks.listForRef({ ...at, ref: head.sha });
    expect(Object.fromEntries(data.check_runs.map(({ name, conclusion }) => [name, conclusion]))).toEqual({
      Coxswain: 'action_required',
      'Coxswain / test': 'success',
    });
    const [asked] = await stage.replies(number);
    expect(asked).toContain('/approve');
    expect(asked).not.toMatch(/button/i);

    const comment_id = await stage.say(number, '/status');
    expect(await stage.onlyJob()).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval' } });
    const { data: reactions } = await stage.ada.rest.reactions.listForIssueComment({ ...at, comment_id });
    expect(reactions.map(({ content }) => content)).toEqual(['eyes']);
    expect((await stage.replies(number)).at(-1)).toContain('@ada');

    await stage.say(number, '/steer Do it my way.', stage.grace);
    expect(await stage.onlyJob()).toMatchObject({ outputs: { iteration: '0' } });
    expect((await stage.replies(number)).at(-1)).toMatch(/@grace: .*write/s);
  });

  test('one takes an approving review for an approval, and is done when a human merges it', async () => {
    const number = next();
    await stage.ada.rest.pulls.createReview({ ...at, pull_number: number, event: 'APPROVE' });
    expect(await stage.onlyJob()).toMatchObject({
      event: 'pull_request_review',
      outputs: { phase: 'approved' },
    });
    expect(await stage.pull(number)).toMatchObject({ draft: false });

    await stage.ada.rest.pulls.merge({ ...at, pull_number: number });
    const [closed] = await stage.settled();
    expect(closed).toMatchObject({ event: 'pull_request', outputs: { phase: 'done' } });
  });

  test('one takes a review that requests changes for a steer', async () => {
    const number = next();
    const review = { event: 'REQUEST_CHANGES', body: 'Not like this.' } as const;
    await stage.ada.rest.pulls.createReview({ ...at, pull_number: number, ...review });
    expect(await stage.onlyJob()).toMatchObject({ outputs: { phase: 'awaiting_approval', iteration: '1' } });
  });

  test('one is closed by /reject, and its branch stays', async () => {
    const number = next();
    await stage.say(number, '/reject Not worth it.');
    expect(await stage.onlyJob()).toMatchObject({ outputs: { phase: 'rejected' } });
    const { state, head } = await stage.pull(number);
    expect(state).toBe('closed');
    const { data } = await stage.ada.rest.git.getRef({ ...at, ref: `heads/${head.ref}` });
    expect(data.object.sha).toBe(head.sha);
  });

  test('one is verified anew when a human has forced its branch back', async () => {
    const number = next();
    const { head } = await stage.pull(number);
    const { data } = await stage.ada.rest.git.getCommit({ ...at, commit_sha: head.sha });
    const sha = data.parents[0]?.sha ?? '';
    await stage.ada.rest.git.updateRef({ ...at, ref: `heads/${head.ref}`, sha, force: true });
    const pushed = await stage.onlyJob();
    expect(pushed).toMatchObject({ event: 'pull_request', code: 0 });
    expect(pushed.outputs).toMatchObject({ 'head-sha': sha, phase: 'awaiting_approval' });
  });
});
