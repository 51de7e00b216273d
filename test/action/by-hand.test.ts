import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
let fixture: ActionsFixture;

beforeAll(async () => {
  fixture = await ActionsFixture.start({ files: succeedingAgent });
});
afterAll(async () => {
  await fixture.end();
});

describe('a workflow started manually', () => {
  test('is a separate run, with the verifiers and the base branch of its inputs', async () => {
    const { data: main } = await fixture.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
    await fixture.ada.rest.git.createRef({ ...at, ref: 'refs/heads/next', sha: main.object.sha });
    const started = await fixture.dispatch({
      prompt: 'Write down the price.',
      agent: '{ use: command, command: [sh, -c, "echo right, says the shell > price.txt"] }',
      verifiers: 'said: grep says price.txt\nthere: test -f price.txt',
      base: 'next',
    });
    expect(started).toMatchObject({ event: 'workflow_dispatch', code: 0 });
    expect(started.outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '0' });
    const pull = await fixture.pull(Number(started.outputs['pull-request']));
    expect(pull).toMatchObject({ title: 'Write down the price.', draft: true, base: { ref: 'next' } });
    const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: pull.head.sha });
    const names = data.check_runs.map(({ name }) => name).toSorted();
    const check = 'Coxswain (unlisted: next)';
    const verifiers = ['said', 'test', 'there'].map((verifier) => `${check} / ${verifier}`);
    expect(names).toEqual([check, ...verifiers]);

    await fixture.comment(pull.number, '/verify');
    await fixture.onlyFinishedJob();
    const { state } = await fixture.ledger(pull.number);
    expect(state.shown?.verifiers.map(({ name }) => name)).toEqual(['test', 'said', 'there']);
  });

  test.each([
    ['separated by `;`', 'said: grep -q . price.txt; there: cd . ; test -f price.txt'],
    ['as YAML', '[{ name: said, run: grep -q . price.txt }, { name: there, run: test -f price.txt }]'],
  ])('takes several verifiers from a field with one line, %s', async (_, verifiers) => {
    const agent = '{ use: command, command: [sh, -c, "echo right > price.txt"] }';
    const { outputs } = await fixture.dispatch({ prompt: 'Write down the price.', agent, verifiers });
    const { state } = await fixture.ledger(Number(outputs['pull-request']));
    const ran = state.shown?.verifiers.map(({ name, success }) => [name, success]);
    expect(ran).toEqual([
      ['test', true],
      ['said', true],
      ['there', true],
    ]);
  });

  test('passes the named variables to its agent, and no token', async () => {
    fixture.environment = { MODEL_ENDPOINT: 'https://model.example', COXSWAIN_AGENT_ENV: 'MODEL_ENDPOINT' };
    const agent = '{ use: command, command: [sh, -c, "env > price.txt"] }';
    const { outputs } = await fixture.dispatch({ prompt: 'Show me.', agent });
    const file = { path: 'price.txt', ref: outputs['head-sha'] ?? '', mediaType: { format: 'raw' } };
    const { data } = await fixture.ada.rest.repos.getContent({ ...at, ...file });
    expect(String(data)).toContain('MODEL_ENDPOINT=https://model.example\n');
    expect(String(data)).not.toMatch(/ghs_|INPUT_|GITHUB_/);
    fixture.environment = {};
  });

  test('does not start again when its job is run again after its end', async () => {
    const agent = '{ use: command, command: [sh, -c, "echo right > price.txt"] }';
    const inputs = { prompt: 'Write down the price once.', agent };
    const number = Number((await fixture.dispatch(inputs)).outputs['pull-request']);
    const [first] = (await fixture.ledger(number)).events;
    const runId = Number(first?.id.replace('dispatch:', ''));
    await fixture.comment(number, '/reject no');
    await fixture.onlyFinishedJob();
    fixture.advanceClock({ hours: 48 });
    const { payload } = fixture.dispatched.at(-1) ?? { payload: {} };
    const again = { runId, environment: { GITHUB_RUN_ATTEMPT: '2' } };
    const { code, log, summary } = await fixture.start({ name: 'workflow_dispatch', payload }, again).outcome;
    await fixture.finishedJobs();
    expect(code).toBe(0);
    expect(log).toContain(`::warning::acme/widgets#${number}, which this job has started, has ended`);
    expect(summary).toContain('<td>rejected</td>');
    const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
    expect(Math.max(...data.map((pull) => pull.number))).toBe(number);
  });

  test('starts nothing when somebody else runs its job again, who has not asked for it', async () => {
    fixture.listening = false;
    const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
    const { data: repository } = await fixture.ada.rest.repos.get(at);
    const { data: sender } = await fixture.ada.rest.users.getAuthenticated();
    const payload = { ref: 'main', inputs: { prompt: 'Lower the price.' }, repository, sender };
    const environment = { GITHUB_RUN_ATTEMPT: '2', GITHUB_TRIGGERING_ACTOR: 'bob' };
    const { code, log } = await fixture.start({ name: 'workflow_dispatch', payload }, { environment })
      .outcome;
    await fixture.finishedJobs();
    fixture.listening = true;
    expect(code).toBe(1);
    expect(log).toContain('the run cannot start: ada started this workflow, and bob has run its job again');
    expect((await fixture.ada.rest.pulls.list({ ...at, state: 'all' })).data).toHaveLength(data.length);
  });

  test('uses the prompt that the workflow sets', async () => {
    fixture.inputs = { prompt: 'Look after the prices.' };
    const { outputs } = await fixture.dispatch({ prompt: '' });
    fixture.inputs = {};
    expect(await fixture.pull(Number(outputs['pull-request']))).toMatchObject({
      title: 'Look after the prices.',
    });
  });

  test.each([
    ['no prompt', { prompt: ' ' }, /input prompt is empty: expected the task, as in/],
    [
      'a branch that does not exist',
      { prompt: 'x', base: 'nowhere' },
      /There is no commit to start from on branch `nowhere`/,
    ],
    [
      'what cannot be the name of a branch',
      { prompt: 'x', base: 'a..b' },
      /There is no commit to start from on branch `a\.\.b`/,
    ],
    ['an unknown agent', { prompt: 'x', agent: 'hal' }, /agent/],
    ['an agent that is not YAML', { prompt: 'x', agent: '{ use: [' }, /input agent is "{ use: \["/],
    [
      'a verifier in place of one of the repository',
      { prompt: 'x', verifiers: 'Test: true' },
      /expected a name that the repository does not use; received "Test/,
    ],
    [
      'a verifier without a name',
      { prompt: 'x', verifiers: 'npm test' },
      /input verifiers has "npm test": expected `name: command`, as in `test: npm test; lint: npm run lint`/,
    ],
  ])('is refused with %s, with a message that says what is wrong', async (_, inputs, words) => {
    const { code, log } = await fixture.dispatch(inputs);
    expect(code).toBe(1);
    expect(log).toMatch(words);
    expect(log).not.toMatch(/\n\s+at /);
  });
});

describe('the step is refused', () => {
  test('without a token, and names the input', async () => {
    const { outcome } = fixture.start(
      { name: 'schedule', payload: {} },
      { environment: { 'INPUT_GITHUB-TOKEN': '' } },
    );
    expect(await outcome).toMatchObject({
      code: 1,
      log: expect.stringContaining('input github-token is empty'),
    });
  });

  test('in an unknown mode, with an example of a known one', async () => {
    const { outcome } = fixture.start({ name: 'schedule', payload: {} }, { inputs: { mode: 'sleep' } });
    const log = expect.stringContaining('input mode is "sleep": expected auto or sweep, as in `mode: sweep`');
    expect(await outcome).toMatchObject({ code: 1, log });
  });

  test('when a variable for the agent is not set', async () => {
    const environment = { COXSWAIN_AGENT_ENV: 'MODEL_KEY' };
    const { outcome } = fixture.start({ name: 'schedule', payload: {} }, { environment });
    const log = expect.stringContaining('COXSWAIN_AGENT_ENV names MODEL_KEY, which is not set');
    expect(await outcome).toMatchObject({ code: 1, log });
  });

  test('with an invalid token', async () => {
    const { outcome } = fixture.start({ name: 'schedule', payload: {} }, { token: 'ghs_unknown' });
    expect(await outcome).toMatchObject({ code: 1, log: expect.stringMatching(/401, Bad credentials/) });
  });
});

test('where workflows may not open pull requests, the reply says where to allow it', async () => {
  await fixture.finishedJobs();
  fixture.forge.seed.settings('acme/widgets', { actions_may_create_pull_requests: false });
  const issue = await fixture.labeledIssue();
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0, outputs: {} });
  const [reply] = await fixture.replies(issue);
  expect(reply).toContain('GitHub Actions is not permitted to create or approve pull requests');
  expect(reply).toContain('/acme/widgets/settings/actions), under Workflow permissions');

  fixture.forge.seed.settings('acme/widgets', { actions_may_create_pull_requests: true });
  await fixture.comment(issue, '/run');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
});
