import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { able } from './repository.ts';
import { at, Stage } from './stage.ts';

// Every job is a process with Git, an agent and verifiers of its own.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set({ files: able });
});
afterAll(async () => {
  await stage.end();
});

describe('a workflow started by hand', () => {
  test('is a run of its own, with the verifiers and from the branch it was given', async () => {
    const { data: main } = await stage.ada.rest.git.getRef({ ...at, ref: 'heads/main' });
    await stage.ada.rest.git.createRef({ ...at, ref: 'refs/heads/next', sha: main.object.sha });
    const begun = await stage.byHand({
      prompt: 'Write down the price.',
      agent: '{ use: command, command: [sh, -c, "echo right, says the shell > price.txt"] }',
      verifiers: 'said: grep says price.txt\nthere: test -f price.txt',
      base: 'next',
    });
    expect(begun).toMatchObject({ event: 'workflow_dispatch', code: 0 });
    expect(begun.outputs).toMatchObject({ phase: 'awaiting_approval', iteration: '0' });
    const pull = await stage.pull(Number(begun.outputs['pull-request']));
    expect(pull).toMatchObject({ title: 'Write down the price.', draft: true, base: { ref: 'next' } });
    const { data } = await stage.ada.rest.checks.listForRef({ ...at, ref: pull.head.sha });
    const names = data.check_runs.map(({ name }) => name).toSorted();
    expect(names).toEqual(['Coxswain', 'Coxswain / said', 'Coxswain / test', 'Coxswain / there']);
  });

  test('gives its agent the variables that it was told to, and no token', async () => {
    stage.environment = { MODEL_ENDPOINT: 'https://model.example', COXSWAIN_AGENT_ENV: 'MODEL_ENDPOINT' };
    const agent = '{ use: command, command: [sh, -c, "env > price.txt"] }';
    const { outputs } = await stage.byHand({ prompt: 'Show me.', agent });
    const file = { path: 'price.txt', ref: outputs['head-sha'] ?? '', mediaType: { format: 'raw' } };
    const { data } = await stage.ada.rest.repos.getContent({ ...at, ...file });
    expect(String(data)).toContain('MODEL_ENDPOINT=https://model.example\n');
    expect(String(data)).not.toMatch(/ghs_|INPUT_|GITHUB_/);
    stage.environment = {};
  });

  test('takes the prompt that the workflow itself gives its step', async () => {
    stage.inputs = { prompt: 'Look after the prices.' };
    const { outputs } = await stage.byHand({ prompt: '' });
    stage.inputs = {};
    expect(await stage.pull(Number(outputs['pull-request']))).toMatchObject({
      title: 'Look after the prices.',
    });
  });

  test.each([
    ['no prompt', { prompt: ' ' }, /input prompt is empty: expected the task, as in/],
    [
      'a branch that is not there',
      { prompt: 'x', base: 'nowhere' },
      /There is no commit to start from on branch `nowhere`/,
    ],
    ['an agent nobody knows', { prompt: 'x', agent: 'hal' }, /agent/],
    ['an agent that is no YAML', { prompt: 'x', agent: '{ use: [' }, /input agent is "{ use: \["/],
    [
      'a verifier without a name',
      { prompt: 'x', verifiers: 'npm test' },
      /input verifiers has the line "npm test": expected `name: command`, as in `test: npm test`/,
    ],
  ])('is refused with %s, in words that say what is wrong', async (_, inputs, words) => {
    const { code, log } = await stage.byHand(inputs);
    expect(code).toBe(1);
    expect(log).toMatch(words);
    expect(log).not.toMatch(/\n\s+at /);
  });
});

describe('the step is refused', () => {
  test('without a token, and names the input', async () => {
    const { outcome } = stage.start(
      { name: 'schedule', payload: {} },
      { environment: { 'INPUT_GITHUB-TOKEN': '' } },
    );
    expect(await outcome).toMatchObject({
      code: 1,
      log: expect.stringContaining('input github-token is empty'),
    });
  });

  test('in a mode that nobody knows, and shows one that is known', async () => {
    const { outcome } = stage.start({ name: 'schedule', payload: {} }, { inputs: { mode: 'sleep' } });
    const log = expect.stringContaining('input mode is "sleep": expected auto or sweep, as in `mode: sweep`');
    expect(await outcome).toMatchObject({ code: 1, log });
  });

  test('when an agent is to have a variable that is not set', async () => {
    const environment = { COXSWAIN_AGENT_ENV: 'MODEL_KEY' };
    const { outcome } = stage.start({ name: 'schedule', payload: {} }, { environment });
    const log = expect.stringContaining('COXSWAIN_AGENT_ENV names MODEL_KEY, which is not set');
    expect(await outcome).toMatchObject({ code: 1, log });
  });

  test('with a token that GitHub does not know', async () => {
    const { outcome } = stage.start({ name: 'schedule', payload: {} }, { token: 'ghs_unknown' });
    expect(await outcome).toMatchObject({ code: 1, log: expect.stringMatching(/401, Bad credentials/) });
  });
});

test('a repository that lets no workflow open pull requests is told where to allow it', async () => {
  await stage.settled();
  stage.forge.seed.settings('acme/widgets', { actions_may_create_pull_requests: false });
  const issue = await stage.labeledIssue();
  expect(await stage.onlyJob()).toMatchObject({ code: 0, outputs: {} });
  const [reply] = await stage.replies(issue);
  expect(reply).toContain('GitHub Actions is not permitted to create or approve pull requests');
  expect(reply).toContain('Settings > Actions > General > Workflow permissions');

  stage.forge.seed.settings('acme/widgets', { actions_may_create_pull_requests: true });
  await stage.say(issue, '/run');
  expect(await stage.onlyJob()).toMatchObject({ outputs: { phase: 'awaiting_approval' } });
});
