import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AppFixture,
  type AppFixtureOptions,
  name,
  permissions,
  startAppFixture,
} from './app-fixture.ts';
import { type Barrier, startBarrier } from './barrier.ts';
import { problemsIn } from './ledger-content.ts';
import { at } from './person.ts';
import { config, files } from './widgets.ts';

/** Errors on GitHub or in the repository: each gets a clear reply, and nothing is lost. */
let fixture: AppFixture;

/** One fixture for all tests of a group. */
function useFixture(options: AppFixtureOptions = {}): void {
  beforeAll(async () => {
    fixture = await startAppFixture(options);
  });
  afterAll(() => fixture?.end());
}

/** Commits this configuration to the default branch. */
async function configure(text: string): Promise<void> {
  await fixture.forge.seed.commit(name, { '.github/coxswain.yml': text });
}

/** Recreates the default branch with only these files. */
async function recreateMain(content: Readonly<Record<string, string>>): Promise<void> {
  await fixture.ada.deletesBranch('main');
  await fixture.forge.seed.commit(name, { ...content });
}

describe('a request that cannot be fulfilled gets a reply on the issue, and changes nothing', () => {
  useFixture();

  /** Labels an issue, checks that no run was started, and returns the reply. */
  async function refusalOf(label = 'coxswain'): Promise<string> {
    const { ada } = fixture;
    const issue = await ada.opensIssue('Make it fine');
    await ada.labels(issue, label);
    const reply = await ada.looksAt(issue).waitForComment(/./);
    const { data: pulls } = await ada.octokit.rest.pulls.list({ ...at, state: 'all' });
    expect(pulls.filter(({ head }) => head.ref.startsWith('coxswain/'))).toEqual([]);
    return reply;
  }

  test('a closed issue', async () => {
    const { ada } = fixture;
    const issue = await ada.opensIssue('Make it fine');
    await ada.octokit.rest.issues.update({ ...at, issue_number: issue, state: 'closed' });
    await ada.labels(issue);
    await ada
      .looksAt(issue)
      .waitForComment(/This issue is closed, so no run was started\. Reopen it and try again\./);
  });

  test('a repository without a configuration is proposed one', async () => {
    const { '.github/coxswain.yml': _, ...others } = files;
    await recreateMain(others);
    expect(await refusalOf()).toMatch(
      /There is no `\.github\/coxswain\.yml` on `main` yet.*#\d+ proposes one/,
    );
  });

  test('an invalid configuration: path, line, what is expected, and an example', async () => {
    await configure(`${config}atempts: { max: 3 }\nsteering: { review_timeout: soon }\n`);
    const reply = await refusalOf();
    expect(reply).toMatch(/is not valid/);
    expect(reply).toMatch(/atempts \(line 6\): expected attempts \(did you mean that\?\)/);
    expect(reply).toMatch(/steering\.review_timeout \(line 7\): expected a duration[\s\S]*soon/);
  });

  test('a repository without its base branch', async () => {
    await fixture.ada.deletesBranch('main');
    expect(await refusalOf()).toMatch(/There is no commit to start from on branch `main`/);
    await fixture.forge.seed.commit(name, { ...files });
  });

  test('rules that forbid our branches are quoted', async () => {
    const { seed } = fixture.forge;
    await configure(config);
    seed.protect(name, 'coxswain/*', { forbid_create: true });
    expect(await refusalOf()).toMatch(/Cannot create ref due to creations being restricted[\s\S]*try again/);
    seed.unprotect(name);
  });
});

describe('an App without contents: write', () => {
  useFixture({ permissions: { ...permissions, contents: 'read' } });

  test('names the permission and where to grant it, and starts the run once it is granted', async () => {
    const { ada, forge, accounts } = fixture;
    const issue = await ada.opensIssue('Make it fine');
    await ada.labels(issue);
    await ada.looksAt(issue).waitForComment(/contents[\s\S]*Permissions & events/);
    expect(fixture.app.output()).toMatch(/the App coxswain lacks contents: write/);
    expect((await ada.octokit.rest.pulls.list({ ...at, state: 'all' })).data).toEqual([]);
    forge.seed.setInstallationPermissions(accounts.installation, permissions);
    await fixture.app.stop();
    await fixture.start();
    await ada.says(issue, '/run');
    await (await ada.findsPullFor(issue)).waitForPhase('awaiting_approval');
  });
});

describe('an agent that fails leads to a question to people', () => {
  useFixture();

  const hasAgent = (agent: string) =>
    configure(`version: 1\nagent: ${agent}\nattempts: { max: 1 }\nverifiers: []\n`);

  test('its command is not found', async () => {
    const { ada } = fixture;
    await hasAgent('{ use: command, command: [no-such-agent] }');
    const pull = await ada.starts('Make it fine');
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(
      /the agent `no-such-agent` was not found: it is configured under `agent\.command`/,
    );
  });

  test('it hangs, and is killed after the timeout', async () => {
    const { ada } = fixture;
    await hasAgent('{ use: command, command: [node, tools/agent.mjs], timeout: 2s }');
    const pull = await ada.starts('agent: hang');
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(/did not finish within 2 s/);
  });

  test('it fails with an exit code, and its last output is shown', async () => {
    const { ada } = fixture;
    await hasAgent('{ use: command, command: [node, tools/agent.mjs] }');
    const pull = await ada.starts('agent: fail');
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(/ended with exit code 3; its last output was:[\s\S]*the model is gone/);
    await ada.says(pull, '/steer now without failing');
    await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  });

  test('it changes nothing: its summary is shown, and people say how to go on', async () => {
    const { ada } = fixture;
    await configure(config);
    const pull = await ada.starts('agent: nothing');
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(/Did nothing in iteration 0/);
    await ada.says(pull, '/approve');
    await pull.waitForComment(/There is no commit to approve/);
    await ada.says(pull, '/steer agent: work');
    await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  });

  test('a verifier whose command is not found fails, and says so', async () => {
    const { ada } = fixture;
    await configure(`${config}  - { name: strange, run: no-such-program --check }\nattempts: { max: 1 }\n`);
    const pull = await ada.starts('Make it fine');
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(/strange[\s\S]*failing/);
    const check = await pull.check('Coxswain / strange');
    expect(check.conclusion).toBe('failure');
    expect(`${check.output.summary}${check.output.text}`).toMatch(/no-such-program: (command )?not found/);
  });
});

describe('what people do to the pull request in the middle of an attempt', () => {
  const barrier = barrierForEach();
  useFixture();

  test('the pull request is closed: nothing more is pushed, and it continues when reopened', async () => {
    const { ada } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier().path}`);
    await barrier().reached();
    const before = await pull.head();
    await ada.closes(pull);
    await pull.waitForPhase('cancelled');
    barrier().open();
    expect(await pull.head()).toBe(before);
    expect((await pull.ledger()).ref).toBe(`refs/coxswain/closed/${pull.number}`);

    await ada.reopens(pull);
    await pull.waitForPhase('paused');
    await ada.says(pull, '/resume');
    await pull.waitForPhase('awaiting_approval');
    expect(problemsIn(await pull.ledger())).toEqual([]);
  });

  test('it is merged: the run is done', async () => {
    const { ada, mia } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier().path}`);
    await barrier().reached();
    const branch = await pull.branch();
    const head = await ada.pushes(branch, { 'src/mine.txt': 'mine\n' });
    await pull.waitForEvents('pushed');
    await mia.octokit.graphql(
      'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }',
      { id: (await pull.details()).node_id },
    );
    await mia.merges(pull);
    await pull.waitForPhase('done');
    barrier().open();
    expect(await pull.head()).toBe(head);
    expect(problemsIn(await pull.ledger())).toEqual([]);
  });

  test('the branch is deleted', async () => {
    const { ada } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier().path}`);
    await barrier().reached();
    const branch = await pull.branch();
    await ada.deletesBranch(branch);
    await pull.waitForPhase('cancelled');
    barrier().open();
    const { data } = await ada.octokit.rest.repos.listBranches(at);
    expect(data.map(({ name: each }) => each)).not.toContain(branch);
  });
});

describe('a push that the repository rejects is recorded with the reason', () => {
  const barrier = barrierForEach();
  useFixture();

  test('rules on the branch', async () => {
    const { ada, forge } = fixture;
    const pull = await ada.starts(`agent: wait ${barrier().path}`);
    await barrier().reached();
    forge.seed.protect(name, 'coxswain/*', { forbid_update: true });
    barrier().open();
    await pull.waitForPhase('awaiting_resolution');
    await pull.waitForComment(/Cannot update this protected ref/);
    forge.seed.unprotect(name);
    const { events } = await pull.ledger();
    expect(events.find(({ type }) => type === 'work_failed')).toMatchObject({
      failure: { kind: 'push_refused' },
      kept: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  test('a workflow file without the permission workflows', async () => {
    const { ada, forge, accounts } = fixture;
    const pull = await ada.starts('agent: workflow');
    await pull.waitForPhase('awaiting_permission');
    const named = /without `workflows` permission[\s\S]*Grant `workflows: write` to the App/;
    await pull.waitForComment(named);

    await ada.says(pull, '/allow');
    const { events } = await pull.waitForEvents('work_failed');
    expect(events.at(-1)).toMatchObject({ failure: { kind: 'push_refused' } });
    await pull.waitForPhase('awaiting_permission');
    expect((await pull.check('Coxswain')).output.summary).toMatch(named);

    forge.seed.setInstallationPermissions(accounts.installation, { ...permissions, workflows: 'write' });
    await ada.says(pull, '/allow');
    await pull.waitForPhase('awaiting_approval');
  });
});

describe('an App without checks: write', () => {
  useFixture({ permissions: { ...permissions, checks: 'read' } });

  test('names the missing permission and where to grant it', async () => {
    expect(fixture.app.output()).toMatch(/the App coxswain lacks checks: write: grant it under/);
    const pull = await fixture.ada.starts('Make it fine');
    await pull.waitForComment(
      /needs the permission checks=write: grant it to the App under "Permissions & events"/,
    );
    const { state } = await pull.waitForEvents('verified');
    expect(state.standing.phase).toBe('awaiting_approval');
  });
});

/** A barrier for the agent of each test. */
function barrierForEach(): () => Barrier {
  let barrier: Barrier;
  beforeEach(async () => {
    barrier = await startBarrier();
  });
  afterEach(() => barrier.close());
  return () => barrier;
}
