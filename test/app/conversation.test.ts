import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { flawsOf } from './ledger-story.ts';
import { at } from './person.ts';
import { expectClean, type Stage } from './stage.ts';
import { type StageWithRuns, setStageWithRuns } from './waiting-runs.ts';

/** What people say and do in sessions, each on a run of its own. */
let stage: Stage;
let waiting: StageWithRuns;

beforeAll(async () => {
  waiting = await setStageWithRuns();
  stage = waiting.stage;
});

afterEach(() => expectClean(stage));
afterAll(() => stage?.end());

describe('starting', () => {
  test('/run on an issue starts a run with its words as the task', async () => {
    const { ada } = stage;
    const issue = await ada.opensIssue('The list is too long');
    const comment = await ada.says(issue, '/run Make the list shorter');
    const pull = await ada.findsPullFor(issue);
    const { task } = await pull.reaches('awaiting_approval');
    expect(task.description).toContain('Make the list shorter');
    await pull.reacts(comment, 'eyes');
  });

  test('the label of somebody who may only read starts nothing, and says so', async () => {
    const { ada, grace } = stage;
    const issue = await grace.opensIssue('I would like this');
    await grace.says(issue, '/run please');
    await grace
      .looksAt(issue)
      .hears(/Starting a run requires write on this repository, but your role is read/);
    const { data } = await ada.octokit.rest.pulls.list({ ...at, state: 'open' });
    expect(data.filter(({ body }) => body?.includes(`#${issue},`))).toEqual([]);
  });

  test('/run on the pull request of a human works on its branch', async () => {
    const { ada } = stage;
    await ada.pushes('main', { 'src/mine.txt': 'mine\n' }, { to: 'my-idea' });
    const wanted = { ...at, head: 'my-idea', base: 'main', title: 'My idea' };
    const { data } = await ada.octokit.rest.pulls.create(wanted);
    await ada.says(data.number, '/run carry it on');
    const pull = ada.looksAt(data.number);
    const { head_sha } = await pull.reaches('awaiting_approval');
    expect(await pull.facts()).toMatchObject({ draft: true, head: { ref: 'my-idea', sha: head_sha } });
    expect(head_sha).not.toBe(data.head.sha);
  });

  test('two labels and a /run are one run', async () => {
    const { ada, bob } = stage;
    const issue = await ada.opensIssue('Everybody wants this');
    await Promise.all([ada.labels(issue), bob.labels(issue), bob.says(issue, '/run this as well')]);
    const pull = await ada.findsPullFor(issue);
    await pull.reaches('awaiting_approval');
    const { data } = await ada.octokit.rest.pulls.list({ ...at, state: 'all' });
    expect(data.filter(({ body }) => body?.includes(`#${issue},`))).toHaveLength(1);
  });
});

describe('looking', () => {
  test('status, diff, logs, why and help are answered, to a reader too', async () => {
    const { grace } = stage;
    const pull = waiting.next();
    await grace.says(pull, '/status');
    await pull.hears(/@grace: [\s\S]*Status: awaiting_approval/);
    await grace.says(pull, '/diff');
    await pull.hears(/@grace: [\s\S]*\+iteration 0, attempt 1/);
    await grace.says(pull, '/logs test');
    await pull.hears(/@grace: [\s\S]*\[PASS\] widgets:test \(exit code: 0\)/);
    await grace.says(pull, '/why');
    await pull.hears(/@grace: [\s\S]*\*\*Confidence\*\*[\s\S]*\| component \|/);
    await grace.says(pull, '/help');
    await pull.hears(/@grace: [\s\S]*`\/run/);
    expect((await pull.incoming()).length).toBe(6);
  });

  test('a reader cannot steer, and hears who could', async () => {
    const { grace } = stage;
    const pull = waiting.next();
    const comment = await grace.says(pull, '/steer do what I say');
    await pull.hears(/`\/steer` requires write on this repository, but your role is read/);
    expect(await pull.reacts(comment, 'confused')).toEqual(['confused']);
    expect(await pull.block()).toMatchObject({ phase: 'awaiting_approval', iteration: 0 });
  });
});

describe('settling', () => {
  test('/reject closes the pull request, keeps the branch, and the reason', async () => {
    const { ada } = stage;
    const pull = waiting.next();
    const branch = await pull.branch();
    await ada.says(pull, '/reject');
    await pull.hears(/`\/reject` was not understood/);
    await ada.says(pull, '/reject not what we want');
    await pull.reaches('rejected');
    expect(await pull.facts()).toMatchObject({ state: 'closed', merged: false });
    await ada.octokit.rest.git.getRef({ ...at, ref: `heads/${branch}` });
    const ledger = await pull.ledger();
    expect(ledger.ref).toBe(`refs/coxswain/closed/${pull.number}`);
    expect(ledger.state.standing).toEqual({ phase: 'rejected', by: 'ada', reason: 'not what we want' });
  });

  test('/cancel ends an agent at work', async () => {
    const { ada } = stage;
    const pull = await ada.starts('agent: hang');
    await pull.remembers('attempt_started');
    await ada.says(pull, '/cancel');
    await pull.reaches('cancelled');
    expect(await pull.facts()).toMatchObject({ state: 'closed', merged: false });
  });

  test('merged by a human the run is done, and its ledger closed', async () => {
    const { ada, mia } = stage;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await ada.says(pull, `/approve ${head_sha}`);
    await pull.reaches('approved');
    await pull.isDraft(false);
    await mia.merges(pull);
    await pull.reaches('done');
    const ledger = await pull.ledger();
    expect(ledger.ref).toBe(`refs/coxswain/closed/${pull.number}`);
    expect(flawsOf(ledger)).toEqual([]);
  });

  test('an approval that a push follows is revoked', async () => {
    const { ada, bob } = stage;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await ada.says(pull, `/approve ${head_sha}`);
    await pull.reaches('approved');
    await pull.isDraft(false);
    const pushed = await bob.pushes(await pull.branch(), { 'src/bob.txt': 'mine\n' });
    await pull.hears(new RegExp(`compare/${head_sha}\\.\\.\\.${pushed}`));
    await pull.reaches('awaiting_approval');
    expect(await pull.facts()).toMatchObject({ draft: true, head: { sha: pushed } });
  });
});
