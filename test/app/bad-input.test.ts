import { afterEach, describe, expect, test } from 'vitest';
import { flawsOf } from './ledger-story.ts';
import { at } from './person.ts';
import { name, permissions, type Stage, type StageOptions, setStage } from './stage.ts';
import { config } from './widgets.ts';

/** What goes wrong on GitHub's side or in the repository: each with a clear answer, and nothing lost. */
let stage: Stage;

async function onStage(options: StageOptions = {}): Promise<Stage> {
  stage = await setStage(options);
  return stage;
}

afterEach(() => stage.end());

const configured = (text: string) => ({ files: { '.github/coxswain.yml': text } });

describe('a wish that cannot be met is answered on the issue, and changes nothing', () => {
  /** Labels an issue, waits for the answer, and sees that nothing was begun. */
  async function refusalOf(label = 'coxswain'): Promise<string> {
    const { ada } = stage;
    const issue = await ada.opensIssue('Make it fine');
    await ada.labels(issue, label);
    const answer = await ada.looksAt(issue).hears(/./);
    expect((await ada.octokit.rest.pulls.list({ ...at, state: 'all' })).data).toEqual([]);
    return answer;
  }

  test('a closed issue', async () => {
    const { ada } = await onStage();
    const issue = await ada.opensIssue('Make it fine');
    await ada.octokit.rest.issues.update({ ...at, issue_number: issue, state: 'closed' });
    await ada.labels(issue);
    await ada.looksAt(issue).hears(/This issue is closed, so no run was started\. Reopen it and try again\./);
  });

  test('a repository without a configuration gets a minimal one that works', async () => {
    await onStage({ files: { '.github/coxswain.yml': null } });
    expect(await refusalOf()).toMatch(/There is no `\.github\/coxswain\.yml` on `main` yet[\s\S]*version: 1/);
  });

  test('a configuration with mistakes: path, line, what is expected, and an example', async () => {
    await onStage(configured(`${config}atempts: { max: 3 }\nsteering: { review_timeout: soon }\n`));
    const answer = await refusalOf();
    expect(answer).toMatch(/is not valid/);
    expect(answer).toMatch(/atempts \(line 6\): expected attempts \(did you mean that\?\)/);
    expect(answer).toMatch(/steering\.review_timeout \(line 7\): expected a duration[\s\S]*soon/);
  });

  test('a repository without its base branch', async () => {
    const { ada } = await onStage();
    await ada.deletesBranch('main');
    expect(await refusalOf()).toMatch(/There is no commit to start from on branch `main`/);
  });

  test('rules that forbid our branches, in their own words', async () => {
    const { forge } = await onStage();
    forge.seed.protect(name, 'coxswain/*', { forbid_create: true });
    expect(await refusalOf()).toMatch(/Cannot create ref due to creations being restricted[\s\S]*try again/);
  });

  test('an App without contents: write, which permission it is and where to grant it', async () => {
    await onStage({ permissions: { ...permissions, contents: 'read' } });
    expect(await refusalOf()).toMatch(/contents[\s\S]*Permissions & events/);
    expect(stage.app.output()).toMatch(/the App coxswain lacks contents: write/);
  });

  test('the same, once it is granted, starts', async () => {
    const { ada, forge, installation } = await onStage({ permissions: { ...permissions, contents: 'read' } });
    const issue = await ada.opensIssue('Make it fine');
    await ada.labels(issue);
    await ada.looksAt(issue).hears(/contents/);
    forge.seed.setInstallationPermissions(installation, permissions);
    await stage.app.stop();
    await stage.start();
    await ada.says(issue, '/run');
    await (await ada.findsPullFor(issue)).reaches('awaiting_approval');
  });
});

describe('an agent that fails ends in a question to people', () => {
  const withAgent = (agent: string, rest = '') =>
    configured(`version: 1\nagent: ${agent}\nattempts: { max: 1 }\n${rest}verifiers: []\n`);

  test('its command is not found', async () => {
    const { ada } = await onStage(withAgent('{ use: command, command: [no-such-agent] }'));
    const pull = await ada.starts('Make it fine');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/the agent `no-such-agent` was not found: it is configured under `agent\.command`/);
  });

  test('it hangs, and is ended in time', async () => {
    const { ada } = await onStage(
      withAgent('{ use: command, command: [node, tools/agent.mjs], timeout: 2s }'),
    );
    const pull = await ada.starts('agent: hang');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/did not finish within 2 s/);
  });

  test('it fails with an exit code, and its last output is shown', async () => {
    const { ada } = await onStage(withAgent('{ use: command, command: [node, tools/agent.mjs] }'));
    const pull = await ada.starts('agent: fail');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/ended with exit code 3; its last output was:[\s\S]*the model is gone/);
    await ada.says(pull, '/steer now without failing');
    await pull.reaches('awaiting_approval', { iteration: 1 });
  });

  test('it changes nothing: said in its own words, and closed', async () => {
    const { ada } = await onStage();
    const pull = await ada.starts('agent: nothing');
    await pull.reaches('cancelled');
    expect(await pull.facts()).toMatchObject({ state: 'closed', merged: false });
    const { state } = await pull.ledger();
    expect(state.standing).toMatchObject({
      reason: 'the agent changed nothing: Did nothing in iteration 0',
    });
  });

  test('a verifier that is not found is red, and says so', async () => {
    const verifiers = `${config}  - { name: strange, run: no-such-program --check }\nattempts: { max: 1 }\n`;
    const { ada } = await onStage(configured(verifiers));
    const pull = await ada.starts('Make it fine');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/strange[\s\S]*failing/);
    const check = await pull.check('Coxswain / strange');
    expect(check.conclusion).toBe('failure');
    expect(`${check.output.summary}${check.output.text}`).toMatch(/no-such-program: (command )?not found/);
  });
});

describe('what people do to the pull request in the middle of an attempt', () => {
  test('the pull request is closed: nothing more is pushed, and reopened it goes on', async () => {
    const { ada, gate } = await onStage();
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    const before = await pull.head();
    await ada.closes(pull);
    await pull.reaches('cancelled');
    gate.open();
    expect(await pull.head()).toBe(before);
    expect((await pull.ledger()).ref).toBe(`refs/coxswain/closed/${pull.number}`);

    await ada.reopens(pull);
    await pull.reaches('paused');
    await ada.says(pull, '/resume');
    await pull.reaches('awaiting_approval');
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });

  test('it is merged: the run is done', async () => {
    const { ada, mia, gate } = await onStage();
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    const branch = await pull.branch();
    const head = await ada.pushes(branch, { 'src/mine.txt': 'mine\n' });
    await pull.remembers('pushed');
    await mia.octokit.graphql(
      'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }',
      { id: (await pull.facts()).node_id },
    );
    await mia.merges(pull);
    await pull.reaches('done');
    gate.open();
    expect(await pull.head()).toBe(head);
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });

  test('the branch is deleted', async () => {
    const { ada, gate } = await onStage();
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    await ada.deletesBranch(await pull.branch());
    await pull.reaches('cancelled');
    gate.open();
    const { data } = await ada.octokit.rest.repos.listBranches(at);
    expect(data.map((branch) => branch.name)).toEqual(['main']);
  });

  test('it is pushed over by force: recorded, and worked on from there', async () => {
    const { ada } = await onStage();
    const pull = await ada.starts('Make it fine');
    await pull.reaches('awaiting_approval');
    const branch = await pull.branch();
    const head = await ada.pushes(branch, { 'src/other.txt': 'other\n' }, { force: true });
    const { events } = await pull.remembers('pushed');
    expect(events.find(({ type }) => type === 'pushed')).toMatchObject({ head, forced: true, by: 'ada' });
    await expect.poll(async () => (await pull.block())?.head_sha, { timeout: 20_000 }).toBe(head);
    await pull.reaches('awaiting_approval');
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });
});

describe('a push that the repository refuses leaves its record, and says why', () => {
  test('rules on the branch', async () => {
    const { ada, forge, gate } = await onStage();
    const pull = await ada.starts(`agent: wait ${gate.url}`);
    await gate.reached();
    forge.seed.protect(name, 'coxswain/*', { forbid_update: true });
    gate.open();
    await pull.reaches('awaiting_resolution');
    await pull.hears(/Cannot update this protected ref/);
    const { events } = await pull.ledger();
    expect(events.find(({ type }) => type === 'work_failed')).toMatchObject({
      failure: { kind: 'push_refused' },
      kept: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  test('a workflow file without the permission workflows', async () => {
    const { ada } = await onStage();
    const pull = await ada.starts('agent: workflow');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/declined/);
    const { events } = await pull.ledger();
    expect(events.find(({ type }) => type === 'work_failed')).toMatchObject({
      failure: { kind: 'push_refused' },
      kept: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });
});

test('an App without checks: write says which permission it lacks and where to grant it', async () => {
  const { ada, app } = await onStage({ permissions: { ...permissions, checks: 'read' } });
  expect(app.output()).toMatch(/the App coxswain lacks checks: write: grant it under/);
  const pull = await ada.starts('Make it fine');
  await pull.hears(/needs the permission checks=write: grant it to the App under "Permissions & events"/);
  const { state } = await pull.remembers('verified');
  expect(state.standing.phase).toBe('awaiting_approval');
});
