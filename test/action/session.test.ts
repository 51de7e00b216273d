import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Bundle, buildAction } from './bundle.ts';
import type { Outcome } from './runner.ts';
import { at, Stage } from './stage.ts';
import { action } from './workflow.ts';

let bundle: Bundle;
let stage: Stage;

beforeAll(async () => {
  bundle = await buildAction();
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  stage = await Stage.set(bundle);
});
afterEach(() => stage.end());

/** A run that waits for a human, and its number. */
async function running(): Promise<number> {
  await stage.labeledIssue();
  const [begun] = await stage.settled();
  return Number(begun?.outputs['pull-request']);
}

async function only(): Promise<Outcome> {
  const [outcome, ...others] = await stage.settled();
  if (outcome === undefined || others.length > 0)
    throw new Error(`${others.length + 1} jobs ran, expected 1`);
  return outcome;
}

describe('a session without a server', () => {
  test('goes from a label to a pull request that is ready', async () => {
    const issue = await stage.labeledIssue();
    const begun = await only();
    const number = Number(begun.outputs['pull-request']);
    const first = await stage.pull(number);
    expect(begun).toMatchObject({ event: 'issues', code: 0 });
    expect(Object.keys(begun.outputs)).toEqual(Object.keys(action.outputs));
    expect(begun.outputs).toMatchObject({
      run: `acme/widgets#${number}`,
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
    const steered = await only();
    expect(steered).toMatchObject({ event: 'issue_comment', code: 0 });
    expect(steered.outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '1' });
    expect(steered.outputs['head-sha']).not.toBe(begun.outputs['head-sha']);

    await stage.say(number, '/approve');
    const approved = await only();
    expect(approved.outputs).toMatchObject({ phase: 'approved', iteration: '1' });
    expect(await stage.pull(number)).toMatchObject({ draft: false, state: 'open' });
  });

  test('shows what the verifiers said, and no buttons, which only an App can be told of', async () => {
    const number = await running();
    const { head } = await stage.pull(number);
    const { data } = await stage.ada.rest.checks.listForRef({ ...at, ref: head.sha });
    expect(data.check_runs.map(({ name, conclusion }) => [name, conclusion]).toSorted()).toEqual([
      ['Coxswain', 'action_required'],
      ['Coxswain / test', 'success'],
    ]);
    const [asked] = await stage.replies(number);
    expect(asked).toContain('/approve');
    expect(asked).not.toMatch(/button/i);
  });

  test('acknowledges a command and answers it', async () => {
    const number = await running();
    const comment_id = await stage.say(number, '/status');
    const { outputs } = await only();
    expect(outputs).toMatchObject({ phase: 'awaiting_approval' });
    const { data } = await stage.ada.rest.reactions.listForIssueComment({ ...at, comment_id });
    expect(data.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
    expect((await stage.replies(number)).at(-1)).toContain('@ada');
  });

  test('refuses a reader, and says what it takes', async () => {
    const number = await running();
    await stage.say(number, '/steer Do it my way.', stage.grace);
    const { outputs } = await only();
    expect(outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '0' });
    expect((await stage.replies(number)).at(-1)).toMatch(/@grace: .*write/s);
  });

  test('takes an approving review for an approval', async () => {
    const number = await running();
    await stage.ada.rest.pulls.createReview({ ...at, pull_number: number, event: 'APPROVE' });
    expect(await only()).toMatchObject({ event: 'pull_request_review', outputs: { phase: 'approved' } });
    expect(await stage.pull(number)).toMatchObject({ draft: false });
  });

  test('takes a review that requests changes for a steer', async () => {
    const number = await running();
    const body = 'Not like this.';
    await stage.ada.rest.pulls.createReview({ ...at, pull_number: number, event: 'REQUEST_CHANGES', body });
    expect(await only()).toMatchObject({ outputs: { phase: 'awaiting_approval', iteration: '1' } });
  });

  test('closes the pull request on /reject and keeps the branch', async () => {
    const number = await running();
    await stage.say(number, '/reject Not worth it.');
    expect(await only()).toMatchObject({ outputs: { phase: 'rejected' } });
    const { state, head } = await stage.pull(number);
    expect(state).toBe('closed');
    const { data } = await stage.ada.rest.git.getRef({ ...at, ref: `heads/${head.ref}` });
    expect(data.object.sha).toBe(head.sha);
  });

  test('builds upon what a human pushed, after verifying it anew', async () => {
    const number = await running();
    const { head } = await stage.pull(number);
    const content = Buffer.from('right, says ada\n').toString('base64');
    const { data: file } = await stage.ada.rest.repos.getContent({ ...at, path: 'price.txt', ref: head.ref });
    const sha = Array.isArray(file) ? '' : file.sha;
    const change = { path: 'price.txt', message: 'Say who says so', content, sha, branch: head.ref };
    const { data } = await stage.ada.rest.repos.createOrUpdateFileContents({ ...at, ...change });
    const pushed = await only();
    expect(pushed).toMatchObject({ event: 'pull_request', outputs: { phase: 'awaiting_approval' } });
    expect(pushed.outputs['head-sha']).toBe(data.commit.sha);
  });

  test('is done when a human merges what was approved', async () => {
    const number = await running();
    await stage.say(number, '/approve');
    await stage.settled();
    await stage.ada.rest.pulls.merge({ ...at, pull_number: number });
    const outcomes = await stage.settled();
    expect(outcomes.map(({ outputs }) => outputs['phase'])).toEqual(['done']);
  });

  test('a run on its own pull request starts from /run on an issue as well', async () => {
    const { data } = await stage.ada.rest.issues.create({ ...at, title: 'Prices', body: '' });
    await stage.say(data.number, '/run Write down the price.');
    expect(await only()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
  });
});
