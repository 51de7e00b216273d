import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems } from './app-fixture.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

/** Commands and actions by people, each test on its own run. */
let fixture: AppFixture;
let waiting: FixtureWithRuns;

beforeAll(async () => {
  waiting = await startFixtureWithRuns();
  fixture = waiting.fixture;
});

afterEach(() => expectNoProblems(fixture));
afterAll(() => fixture?.end());

describe('starting', () => {
  test('/run on an issue starts a run with its text as the task', async () => {
    const { ada } = fixture;
    const issue = await ada.opensIssue('The list is too long');
    const comment = await ada.says(issue, '/run Make the list shorter');
    const pull = await ada.findsPullFor(issue);
    const { task } = await pull.waitForPhase('awaiting_approval');
    expect(task.description).toContain('Make the list shorter');
    await pull.waitForReaction(comment, 'eyes');
  });

  test('a request by a person with the role read starts nothing, and gets a reply that says so', async () => {
    const { ada, grace } = fixture;
    const issue = await grace.opensIssue('I would like this');
    await grace.says(issue, '/run please');
    await grace
      .looksAt(issue)
      .waitForComment(/Starting a run requires write access to this repository, but your role is read/);
    const { data } = await ada.octokit.rest.pulls.list({ ...at, state: 'open' });
    expect(data.filter(({ body }) => body?.includes(`#${issue},`))).toEqual([]);
  });

  test('/run on the pull request of a human works on its branch', async () => {
    const { ada } = fixture;
    await ada.pushes('main', { 'src/mine.txt': 'mine\n' }, { to: 'my-idea' });
    const wanted = { ...at, head: 'my-idea', base: 'main', title: 'My idea' };
    const { data } = await ada.octokit.rest.pulls.create(wanted);
    await ada.says(data.number, '/run carry it on');
    const pull = ada.looksAt(data.number);
    const { head_sha } = await pull.waitForPhase('awaiting_approval');
    expect(await pull.details()).toMatchObject({ draft: true, head: { ref: 'my-idea', sha: head_sha } });
    expect(head_sha).not.toBe(data.head.sha);
  });
});

describe('queries', () => {
  test('/status, /diff, /logs, /why and /help are answered, even for a reader', async () => {
    const { grace } = fixture;
    const pull = waiting.next();
    await grace.says(pull, '/status');
    await pull.waitForComment(/@grace: [\s\S]*Status: awaiting_approval/);
    await grace.says(pull, '/diff');
    await pull.waitForComment(/@grace: [\s\S]*\+iteration 0, attempt 1/);
    await grace.says(pull, '/logs test');
    await pull.waitForComment(/@grace: [\s\S]*\[PASS\] widgets:test \(exit code: 0\)/);
    await grace.says(pull, '/why');
    await pull.waitForComment(/@grace: [\s\S]*\*\*Confidence\*\*[\s\S]*\| component \|/);
    await grace.says(pull, '/help');
    await pull.waitForComment(/@grace: [\s\S]*`\/run/);
    expect((await pull.appComments()).length).toBe(6);
  });

  test('a reader cannot steer, and the reply names the required role', async () => {
    const { grace } = fixture;
    const pull = waiting.next();
    const comment = await grace.says(pull, '/steer do what I say');
    await pull.waitForComment(/`\/steer` requires write on this repository, but your role is read/);
    expect(await pull.waitForReaction(comment, 'confused')).toEqual(['confused']);
    expect(await pull.block()).toMatchObject({ phase: 'awaiting_approval', iteration: 0 });
  });
});

describe('finishing', () => {
  test('/reject closes the pull request, keeps the branch, and records the reason', async () => {
    const { ada } = fixture;
    const pull = waiting.next();
    const branch = await pull.branch();
    await ada.says(pull, '/reject');
    await pull.waitForComment(/`\/reject` was not understood/);
    await ada.says(pull, '/reject not what we want');
    await pull.waitForPhase('rejected');
    await pull.waitForClosed();
    await ada.octokit.rest.git.getRef({ ...at, ref: `heads/${branch}` });
    const ledger = await pull.ledger();
    expect(ledger.ref).toBe(`refs/coxswain/closed/${pull.number}`);
    expect(ledger.state.standing).toEqual({ phase: 'rejected', by: 'ada', reason: 'not what we want' });
  });

  test('/cancel stops a working agent', async () => {
    const { ada } = fixture;
    const pull = await ada.starts('agent: hang');
    await pull.waitForEvents('attempt_started');
    await ada.says(pull, '/cancel');
    await pull.waitForPhase('cancelled');
    await pull.waitForClosed();
  });

  test('a click on Approve is equivalent to the command; a merge by a human completes the run', async () => {
    const { bob, mia } = fixture;
    const pull = waiting.next();
    await bob.clicks(pull, 'approve');
    await pull.waitForPhase('approved');
    await pull.waitForDraft(false);
    const { state } = await pull.ledger();
    expect(state.approvals).toMatchObject([{ by: { login: 'bob' }, source: { from: 'click' } }]);
    await mia.merges(pull);
    await pull.waitForPhase('done');
    const ledger = await pull.ledger();
    expect(ledger.ref).toBe(`refs/coxswain/closed/${pull.number}`);
    expect(problemsIn(ledger)).toEqual([]);
  });

  test('a push after an approval revokes it, and then only its full name approves it', async () => {
    const { ada, bob } = fixture;
    const pull = waiting.next();
    const head_sha = await pull.head();
    await ada.says(pull, `/approve ${head_sha}`);
    await pull.waitForPhase('approved');
    await pull.waitForDraft(false);
    const pushed = await bob.pushes(await pull.branch(), { 'src/bob.txt': 'mine\n' });
    await pull.waitForComment(new RegExp(`compare/${head_sha}\\.\\.\\.${pushed}`));
    await pull.waitForPhase('awaiting_approval');
    expect(await pull.details()).toMatchObject({ draft: true, head: { sha: pushed } });
    await ada.says(pull, `/approve ${pushed.slice(0, 12)}`);
    await pull.waitForComment(new RegExp(`with all 40 characters: \`/approve ${pushed}\``));
    await ada.says(pull, `/approve ${pushed}`);
    await pull.waitForPhase('approved');
  });
});
