import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';

/** A repository without a configuration: the inputs of its workflow are one. */
const inputs = {
  agent: '{ use: command, command: [sh, -c, "cat >> price.txt; echo right >> price.txt"] }',
  setup: 'touch prepared',
  verifiers: 'test: test -f prepared && grep right price.txt',
};

const onMain = 'acme/widgets/.github/workflows/coxswain.yml@refs/heads/main';

let fixture: ActionsFixture;

beforeEach(async () => {
  fixture = await ActionsFixture.start({ files: { '.github/coxswain.yml': null }, inputs });
});
afterEach(() => fixture.end());

async function startedRun(): Promise<number> {
  await fixture.labeledIssue();
  const { outputs } = await fixture.onlyFinishedJob();
  expect(outputs).toMatchObject({ phase: 'awaiting_approval' });
  return Number(outputs['pull-request']);
}

/** What somebody with write access may make of the workflow on the branch of a pull request. */
const hostile = {
  agent: '{ use: command, command: [sh, -c, "echo taken over > price.txt"] }',
  verifiers: "test: 'true'",
};

async function review(number: number, body: string): Promise<void> {
  const { head } = await fixture.pull(number);
  const { ada } = fixture;
  const event = 'REQUEST_CHANGES';
  await ada.rest.pulls.createReview({ ...at, pull_number: number, event, body, commit_id: head.sha });
}

describe('without a configuration file', () => {
  test('the inputs of the workflow are the configuration, from the label to the approval', async () => {
    const number = await startedRun();
    const { state } = await fixture.ledger(number);
    expect(state.settings).toMatchObject({ setup: ['touch prepared'], agent: { use: 'command' } });
    expect(state.shown?.verifiers).toMatchObject([{ name: 'test', success: true }]);
    await fixture.comment(number, '/steer Write it twice.');
    expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({
      phase: 'awaiting_approval',
      iteration: '1',
    });
    fixture.advanceClock({ seconds: 10 });
    await fixture.comment(number, '/approve');
    expect((await fixture.onlyFinishedJob()).outputs).toMatchObject({ phase: 'approved' });
  });

  test.each([
    ['by its ref', { GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/coxswain.yml@refs/pull/2/merge' }],
    [
      'by the whole of its ref',
      { GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/coxswain.yml@refs/heads/x@refs/heads/main' },
    ],
    ['by its event', {}],
  ])('those of a workflow that comes from a pull request do not count, known %s', async (_, environment) => {
    const number = await startedRun();
    fixture.inputs = hostile;
    fixture.environment = { ...fixture.environment, ...environment };
    await review(number, 'Write it twice.');
    const { outputs } = await fixture.onlyFinishedJob();
    expect(outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '1' });
    const { state } = await fixture.ledger(number);
    expect(state.settings.verifiers).toMatchObject([{ run: 'test -f prepared && grep right price.txt' }]);
    const file = { path: 'price.txt', ref: state.head, mediaType: { format: 'raw' } };
    const { data } = await fixture.ada.rest.repos.getContent({ ...at, ...file });
    expect(String(data)).not.toContain('taken over');
  });

  test('a changed workflow on the default branch is a changed configuration', async () => {
    const number = await startedRun();
    fixture.environment = { ...fixture.environment, GITHUB_WORKFLOW_REF: onMain };
    fixture.inputs = { ...inputs, verifiers: 'test: test -f prepared\nprice: grep right price.txt' };
    await fixture.comment(number, '/verify');
    await fixture.onlyFinishedJob();
    const { state } = await fixture.ledger(number);
    expect(state.shown?.verifiers.map(({ name }) => name)).toEqual(['test', 'price']);
  });

  test('a mistake in an input is answered where the run was asked for', async () => {
    fixture.inputs = { agent: 'clod' };
    const issue = await fixture.labeledIssue();
    await fixture.finishedJobs();
    const [reply] = await fixture.replies(issue);
    expect(reply).toContain('The inputs of the workflow are not valid. Fix this, then try again:');
    expect(reply).toContain('- agent.use: expected ');
  });
});

test('what somebody fills in to start a workflow by hand is no configuration', async () => {
  await fixture.end();
  fixture = await ActionsFixture.start({ files: { '.github/coxswain.yml': null }, inputs: {} });
  const { agent, verifiers } = inputs;
  fixture.environment = { ...fixture.environment, GITHUB_WORKFLOW_REF: onMain };
  const { log } = await fixture.dispatch({ prompt: 'Write it down.', agent, verifiers });
  expect(log).toContain('here is no `.github/coxswain.yml` on `main` yet');
});

test('what somebody fills in to start a workflow by hand tightens what the workflow says', async () => {
  await fixture.end();
  const { agent, verifiers } = inputs;
  const own = { agent, setup: 'touch prepared' };
  fixture = await ActionsFixture.start({ files: { '.github/coxswain.yml': null }, inputs: own });
  fixture.environment = { ...fixture.environment, GITHUB_WORKFLOW_REF: onMain };
  const { outputs } = await fixture.dispatch({ prompt: 'Write it down.', verifiers });
  const { state } = await fixture.ledger(Number(outputs['pull-request']));
  expect(state.shown?.verifiers).toMatchObject([{ name: 'test', success: true }]);
  expect(state.overrides).toMatchObject({ verifiers: [expect.objectContaining({ name: 'test' })] });
});

test('with a configuration file, setup is only its own to say', async () => {
  await fixture.end();
  fixture = await ActionsFixture.start({ inputs: { setup: 'npm ci' } });
  const issue = await fixture.labeledIssue();
  await fixture.finishedJobs();
  const [reply] = await fixture.replies(issue);
  expect(reply).toContain('no setup, because the repository has a configuration');
});

test('where workflows may not open pull requests, the answer links to the setting', async () => {
  fixture.forge.seed.settings('acme/widgets', { actions_may_create_pull_requests: false });
  const issue = await fixture.labeledIssue();
  await fixture.finishedJobs();
  const [reply] = await fixture.replies(issue);
  expect(reply).toContain(`${fixture.forge.url}/acme/widgets/settings/actions`);
});
