import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gate, setGate } from './gate.ts';
import { flawsOf } from './ledger-story.ts';
import { at } from './person.ts';
import { name, permissions, type Stage, type StageOptions, setStage } from './stage.ts';
import { config, files } from './widgets.ts';

/** What goes wrong on GitHub's side or in the repository: each with a clear answer, and nothing lost. */
let stage: Stage;

/** One for all tests of a group. */
function onStage(options: StageOptions = {}): void {
  beforeAll(async () => {
    stage = await setStage(options);
  });
  afterAll(() => stage?.end());
}

/** The default branch has this configuration from now on. */
async function configured(text: string): Promise<void> {
  await stage.forge.seed.commit(name, { '.github/coxswain.yml': text });
}

/** The default branch begins anew with these files. */
async function begunAnew(content: Readonly<Record<string, string>>): Promise<void> {
  await stage.ada.deletesBranch('main');
  await stage.forge.seed.commit(name, { ...content });
}

describe('a wish that cannot be met is answered on the issue, and changes nothing', () => {
  onStage();

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
    const { ada } = stage;
    const issue = await ada.opensIssue('Make it fine');
    await ada.octokit.rest.issues.update({ ...at, issue_number: issue, state: 'closed' });
    await ada.labels(issue);
    await ada.looksAt(issue).hears(/This issue is closed, so no run was started\. Reopen it and try again\./);
  });

  test('a repository without a configuration gets a minimal one that works', async () => {
    const { '.github/coxswain.yml': _, ...others } = files;
    await begunAnew(others);
    expect(await refusalOf()).toMatch(/There is no `\.github\/coxswain\.yml` on `main` yet[\s\S]*version: 1/);
  });

  test('a configuration with mistakes: path, line, what is expected, and an example', async () => {
    await configured(`${config}atempts: { max: 3 }\nsteering: { review_timeout: soon }\n`);
    const answer = await refusalOf();
    expect(answer).toMatch(/is not valid/);
    expect(answer).toMatch(/atempts \(line 6\): expected attempts \(did you mean that\?\)/);
    expect(answer).toMatch(/steering\.review_timeout \(line 7\): expected a duration[\s\S]*soon/);
  });

  test('a repository without its base branch', async () => {
    await stage.ada.deletesBranch('main');
    expect(await refusalOf()).toMatch(/There is no commit to start from on branch `main`/);
    await stage.forge.seed.commit(name, { ...files });
  });

  test('rules that forbid our branches, in their own words', async () => {
    const { seed } = stage.forge;
    await configured(config);
    seed.protect(name, 'coxswain/*', { forbid_create: true });
    expect(await refusalOf()).toMatch(/Cannot create ref due to creations being restricted[\s\S]*try again/);
    seed.unprotect(name);
  });
});

describe('an App without contents: write', () => {
  onStage({ permissions: { ...permissions, contents: 'read' } });

  test('says which permission it is and where to grant it, and starts once it is granted', async () => {
    const { ada, forge, known } = stage;
    const issue = await ada.opensIssue('Make it fine');
    await ada.labels(issue);
    await ada.looksAt(issue).hears(/contents[\s\S]*Permissions & events/);
    expect(stage.app.output()).toMatch(/the App coxswain lacks contents: write/);
    expect((await ada.octokit.rest.pulls.list({ ...at, state: 'all' })).data).toEqual([]);
    forge.seed.setInstallationPermissions(known.installation, permissions);
    await stage.app.stop();
    await stage.start();
    await ada.says(issue, '/run');
    await (await ada.findsPullFor(issue)).reaches('awaiting_approval');
  });
});

describe('an agent that fails ends in a question to people', () => {
  onStage();

  const hasAgent = (agent: string) =>
    configured(`version: 1\nagent: ${agent}\nattempts: { max: 1 }\nverifiers: []\n`);

  test('its command is not found', async () => {
    const { ada } = stage;
    await hasAgent('{ use: command, command: [no-such-agent] }');
    const pull = await ada.starts('Make it fine');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/the agent `no-such-agent` was not found: it is configured under `agent\.command`/);
  });

  test('it hangs, and is ended in time', async () => {
    const { ada } = stage;
    await hasAgent('{ use: command, command: [node, tools/agent.mjs], timeout: 2s }');
    const pull = await ada.starts('agent: hang');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/did not finish within 2 s/);
  });

  test('it fails with an exit code, and its last output is shown', async () => {
    const { ada } = stage;
    await hasAgent('{ use: command, command: [node, tools/agent.mjs] }');
    const pull = await ada.starts('agent: fail');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/ended with exit code 3; its last output was:[\s\S]*the model is gone/);
    await ada.says(pull, '/steer now without failing');
    await pull.reaches('awaiting_approval', { iteration: 1 });
  });

  test('it changes nothing: said in its own words, and closed', async () => {
    const { ada } = stage;
    await configured(config);
    const pull = await ada.starts('agent: nothing');
    await pull.reaches('cancelled');
    expect(await pull.facts()).toMatchObject({ state: 'closed', merged: false });
    const { state } = await pull.ledger();
    expect(state.standing).toMatchObject({
      reason: 'the agent changed nothing: Did nothing in iteration 0',
    });
  });

  test('a verifier that is not found is red, and says so', async () => {
    const { ada } = stage;
    await configured(`${config}  - { name: strange, run: no-such-program --check }\nattempts: { max: 1 }\n`);
    const pull = await ada.starts('Make it fine');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/strange[\s\S]*failing/);
    const check = await pull.check('Coxswain / strange');
    expect(check.conclusion).toBe('failure');
    expect(`${check.output.summary}${check.output.text}`).toMatch(/no-such-program: (command )?not found/);
  });
});

describe('what people do to the pull request in the middle of an attempt', () => {
  const gate = gateForEach();
  onStage();

  test('the pull request is closed: nothing more is pushed, and reopened it goes on', async () => {
    const { ada } = stage;
    const pull = await ada.starts(`agent: wait ${gate().url}`);
    await gate().reached();
    const before = await pull.head();
    await ada.closes(pull);
    await pull.reaches('cancelled');
    gate().open();
    expect(await pull.head()).toBe(before);
    expect((await pull.ledger()).ref).toBe(`refs/coxswain/closed/${pull.number}`);

    await ada.reopens(pull);
    await pull.reaches('paused');
    await ada.says(pull, '/resume');
    await pull.reaches('awaiting_approval');
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });

  test('it is merged: the run is done', async () => {
    const { ada, mia } = stage;
    const pull = await ada.starts(`agent: wait ${gate().url}`);
    await gate().reached();
    const branch = await pull.branch();
    const head = await ada.pushes(branch, { 'src/mine.txt': 'mine\n' });
    await pull.remembers('pushed');
    await mia.octokit.graphql(
      'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }',
      { id: (await pull.facts()).node_id },
    );
    await mia.merges(pull);
    await pull.reaches('done');
    gate().open();
    expect(await pull.head()).toBe(head);
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });

  test('the branch is deleted', async () => {
    const { ada } = stage;
    const pull = await ada.starts(`agent: wait ${gate().url}`);
    await gate().reached();
    const branch = await pull.branch();
    await ada.deletesBranch(branch);
    await pull.reaches('cancelled');
    gate().open();
    const { data } = await ada.octokit.rest.repos.listBranches(at);
    expect(data.map(({ name: each }) => each)).not.toContain(branch);
  });
});

describe('a push that the repository refuses leaves its record, and says why', () => {
  const gate = gateForEach();
  onStage();

  test('rules on the branch', async () => {
    const { ada, forge } = stage;
    const pull = await ada.starts(`agent: wait ${gate().url}`);
    await gate().reached();
    forge.seed.protect(name, 'coxswain/*', { forbid_update: true });
    gate().open();
    await pull.reaches('awaiting_resolution');
    await pull.hears(/Cannot update this protected ref/);
    forge.seed.unprotect(name);
    const { events } = await pull.ledger();
    expect(events.find(({ type }) => type === 'work_failed')).toMatchObject({
      failure: { kind: 'push_refused' },
      kept: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  test('a workflow file without the permission workflows', async () => {
    const pull = await stage.ada.starts('agent: workflow');
    await pull.reaches('awaiting_resolution');
    await pull.hears(/declined/);
    const { events } = await pull.ledger();
    expect(events.find(({ type }) => type === 'work_failed')).toMatchObject({
      failure: { kind: 'push_refused' },
      kept: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });
});

describe('an App without checks: write', () => {
  onStage({ permissions: { ...permissions, checks: 'read' } });

  test('says which permission it lacks and where to grant it', async () => {
    expect(stage.app.output()).toMatch(/the App coxswain lacks checks: write: grant it under/);
    const pull = await stage.ada.starts('Make it fine');
    await pull.hears(/needs the permission checks=write: grant it to the App under "Permissions & events"/);
    const { state } = await pull.remembers('verified');
    expect(state.standing.phase).toBe('awaiting_approval');
  });
});

/** Holds the agent of one test. */
function gateForEach(): () => Gate {
  let gate: Gate;
  beforeEach(async () => {
    gate = await setGate();
  });
  afterEach(() => gate.close());
  return () => gate;
}
