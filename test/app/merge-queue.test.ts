import { rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppFixture,
  expectNoProblems,
  name,
  startAppFixture,
  waitForDeliveries,
} from './app-fixture.ts';
import { type Barrier, startBarrier, waitingAt } from './barrier.ts';
import { eventually } from './eventually.ts';
import { at, type Person } from './person.ts';
import { type PullClient, progressOfApp } from './pull-client.ts';
import { config } from './widgets.ts';

/** Runs that are merged through a merge queue, in a repository whose rules require our check. */
let fixture: AppFixture;
const barriers: Barrier[] = [];

/** Fails only where both are merged, waits at a barrier where two others are, and is flaky where the last are. */
const together = (one: string, other: string) => `test -e src/${one}.txt && test -e src/${other}.txt`;
const verifier =
  `! grep -rn BROKEN src && ! (${together('left', 'right')}) && ` +
  `if ${together('held', 'held-too')}; then node tools/wait.mjs; fi && ` +
  `if ${together('flaky', 'flaky-too')} && test -s tools/passes.txt; then test -e $(cat tools/passes.txt); fi`;
const merging = `${config.replace('! grep -rn BROKEN src', verifier)}approval: { finish: merge }\nothers: pass\n`;

/** The program reads where the barrier is, which each test that needs one writes. */
const wait = `${waitingAt}
import { readFileSync } from 'node:fs';
await passed(readFileSync('tools/barrier.txt', 'utf8').trim());
`;

beforeAll(async () => {
  const told = { 'tools/barrier.txt': '', 'tools/passes.txt': '' };
  const files = { '.github/coxswain.yml': merging, 'tools/wait.mjs': wait, ...told };
  fixture = await startAppFixture({ files });
});

afterEach(() => expectNoProblems(fixture));
afterAll(async () => {
  await fixture?.end();
  for (const barrier of barriers) await barrier.close();
});

interface Together {
  readonly min_entries_to_merge?: number;
  readonly min_entries_to_merge_wait_minutes?: number;
}

/** The default branch has a merge queue, and requires our checks from our App. */
function startQueue(parameters: Together = {}): void {
  const { id: integration_id } = fixture.accounts.registered;
  const required_status_checks = [{ context: 'Coxswain', integration_id }];
  fixture.forge.seed.unprotect(name);
  fixture.forge.seed.addRuleset(name, {
    rules: [
      { type: 'merge_queue', parameters },
      { type: 'required_status_checks', parameters: { required_status_checks } },
    ],
  });
}

async function waitForMerge(pull: PullClient): Promise<void> {
  await pull.waitUntil(
    `#${pull.number} to be merged`,
    async () => (await pull.details()).merged || undefined,
  );
}

async function started(...names: readonly string[]): Promise<PullClient[]> {
  const pulls: PullClient[] = [];
  for (const each of names) {
    const pull = await fixture.ada.starts(`agent: file src/${each}.txt`);
    await pull.waitForPhase('awaiting_approval');
    pulls.push(pull);
  }
  return pulls;
}

async function filesOnMain(): Promise<readonly string[]> {
  const { data } = await fixture.ada.octokit.rest.repos.getContent({ ...at, path: 'src' });
  return (data as { name: string }[]).map((file) => file.name);
}

interface Queue {
  readonly repository: {
    readonly mergeQueue: {
      readonly entries: {
        readonly nodes: {
          readonly headCommit: { readonly oid: string } | null;
          readonly pullRequest: { readonly number: number };
        }[];
      };
    };
  };
}

/** The commits of the merge groups, by the number of the pull request. */
async function queued(): Promise<ReadonlyMap<number, string | undefined>> {
  const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    mergeQueue(branch: "main") { entries(first: 10) { nodes { headCommit { oid } pullRequest { number } } } } } }`;
  const { repository } = await fixture.ada.octokit.graphql<Queue>(query, { owner: at.owner, name: at.repo });
  const { nodes } = repository.mergeQueue.entries;
  return new Map(nodes.map(({ headCommit, pullRequest }) => [pullRequest.number, headCommit?.oid]));
}

async function turns(person: Person, pull: PullClient, how: 'enqueue' | 'dequeue'): Promise<void> {
  const { node_id } = await pull.details();
  const key = how === 'enqueue' ? 'pullRequestId' : 'id';
  await person.octokit.graphql(
    `mutation ($id: ID!) { ${how}PullRequest(input: { ${key}: $id }) { clientMutationId } }`,
    { id: node_id },
  );
  await waitForDeliveries(fixture);
}

/** Two approved runs in the queue; the group of the second is being verified, and waits at a barrier. */
async function held() {
  const barrier = await startBarrier();
  barriers.push(barrier);
  const { mia, bob } = fixture;
  await clears();
  await mia.pushes('main', { 'tools/barrier.txt': barrier.path });
  const [one, two] = (await started('held', 'held-too')) as [PullClient, PullClient];
  startQueue();
  await bob.says(one, '/approve');
  await waitForMerge(one);
  await bob.says(two, '/approve');
  await barrier.reached();
  const group = (await queued()).get(two.number) ?? '';
  return { two, group, barrier };
}

/** What earlier tests have merged would hold up the runs that follow. */
async function clears(): Promise<void> {
  const { rest } = fixture.mia.octokit;
  fixture.forge.seed.unprotect(name);
  const { data } = await rest.repos.getContent({ ...at, path: 'src' });
  for (const { path, sha } of data as { path: string; sha: string }[])
    if (path.includes('held')) await rest.repos.deleteFile({ ...at, path, message: `Remove ${path}`, sha });
}

async function decisionOn(pull: PullClient, commit: string) {
  const ours = (await pull.checks(commit)).filter((check) => check.name === 'Coxswain');
  return ours.toSorted((one, other) => other.id - one.id)[0];
}

describe('a repository with a merge queue', () => {
  beforeAll(() => startQueue());

  test('merges two approved runs through it, each verified with what is before it', async () => {
    const { bob } = fixture;
    const [one, two] = (await started('one', 'two')) as [PullClient, PullClient];
    await bob.says(one, '/approve');
    await bob.says(two, '/approve');
    await waitForMerge(one);
    await waitForMerge(two);
    await two.waitForPhase('done');
    expect((await two.ledger()).events.map(({ type }) => type)).toContain('enqueued');
    await waitForDeliveries(fixture);
    expect(await filesOnMain()).toEqual(expect.arrayContaining(['one.txt', 'two.txt']));
    const merged = (await two.details()).merge_commit_sha ?? '';
    expect(await decisionOn(two, merged)).toMatchObject({
      conclusion: 'success',
      output: { title: 'Approved and verified' },
    });
    const names = (await two.checks(merged)).map((check) => check.name);
    expect(names).toEqual(expect.arrayContaining(['Coxswain', 'Coxswain / test', 'Coxswain / lint']));
  });

  test('merges the pull request of a person at once, which nobody verifies', async () => {
    const { ada } = fixture;
    await ada.pushes('main', { 'src/by-hand.txt': 'mine\n' }, { to: 'by-hand' });
    const { data } = await ada.octokit.rest.pulls.create({
      ...at,
      head: 'by-hand',
      base: 'main',
      title: 'Mine',
    });
    const pull = ada.looksAt(data.number);
    await pull.waitUntil('its check', async () => (await decisionOn(pull, data.head.sha)) ?? undefined);
    await turns(ada, pull, 'enqueue');
    await waitForMerge(pull);
    const merged = (await pull.details()).merge_commit_sha ?? '';
    expect((await pull.checks(merged)).map((check) => [check.name, check.output.title])).toEqual([
      ['Coxswain', 'No run in this merge group'],
    ]);
  });

  test('sends a run back to people that fails only together with what is merged before it', async () => {
    const { bob } = fixture;
    const [left, right] = (await started('left', 'right')) as [PullClient, PullClient];
    await bob.says(left, '/approve');
    await waitForMerge(left);
    await bob.says(right, '/approve');
    const said = await right.waitForComment(/took it out of the merge queue/);
    expect(said).toContain('on the merged result, required verifiers failed: test');
    await right.waitForPhase('awaiting_approval');
    expect((await right.ledger()).state.approvals).toEqual([]);
    expect(await queued()).toEqual(new Map());
    await bob.says(right, '/reject it does not fit');
    await right.waitForClosed();
  });

  test('verifies the same files again after they failed, and merges them once they pass', async () => {
    const { mia, bob } = fixture;
    const barrier = await startBarrier();
    barriers.push(barrier);
    fixture.forge.seed.unprotect(name);
    const passes = `${barrier.path}.passes`;
    await mia.pushes('main', { 'tools/passes.txt': passes });
    startQueue();
    const [one, two] = (await started('flaky', 'flaky-too')) as [PullClient, PullClient];
    await bob.says(one, '/approve');
    await waitForMerge(one);
    await bob.says(two, '/approve');
    await two.waitForComment(/took it out of the merge queue/);
    await two.waitForPhase('awaiting_approval');
    await writeFile(passes, '');
    await bob.says(two, '/approve');
    await waitForMerge(two);
    await rm(passes);
    // Both are on the base now, and other runs are not to depend on it.
    fixture.forge.seed.unprotect(name);
    await mia.pushes('main', { 'tools/passes.txt': '' });
  });
});

test('a pull request with a commit of a run keeps its group from being merged, whatever is required', async () => {
  const { ada, bob } = fixture;
  fixture.forge.seed.unprotect(name);
  const [run] = (await started('copied')) as [PullClient];
  const required_status_checks = [{ context: 'ci' }];
  fixture.forge.seed.addRuleset(name, {
    rules: [
      { type: 'merge_queue' },
      { type: 'required_status_checks', parameters: { required_status_checks } },
    ],
  });
  await ada.pushes(await run.branch(), { 'src/more.txt': 'more\n' }, { to: 'copy' });
  const { data } = await ada.octokit.rest.pulls.create({ ...at, head: 'copy', base: 'main', title: 'Copy' });
  const status = { ...at, sha: data.head.sha, context: 'ci', state: 'success' } as const;
  await ada.octokit.rest.repos.createCommitStatus(status);
  const copy = ada.looksAt(data.number);
  await turns(ada, copy, 'enqueue');
  const group = (await queued()).get(copy.number) ?? '';
  expect(await decisionOn(copy, group)).toMatchObject({
    conclusion: 'failure',
    output: { title: `#${copy.number} is not a run, but contains a commit of one` },
  });
  await turns(ada, copy, 'dequeue');
  await bob.says(run, '/reject it was copied');
  await run.waitForClosed();
});

describe('two runs that can only be merged together', () => {
  beforeAll(() => {
    fixture.forge.seed.unprotect(name);
    startQueue({ min_entries_to_merge: 2, min_entries_to_merge_wait_minutes: 60 });
  });

  test('are each verified as its task says, also where both tasks name a verifier alike', async () => {
    const { ada, bob } = fixture;
    const task = (file: string, run: string) =>
      `agent: file src/${file}.txt\n\n\`\`\`yaml coxswain\nverifiers: [{ name: extra, run: "${run}" }]\n\`\`\``;
    const lax = await ada.starts(task('lax', 'true'));
    const strict = await ada.starts(task('strict', '! test -e src/lax.txt'));
    for (const pull of [lax, strict]) await pull.waitForPhase('awaiting_approval');
    await bob.says(lax, '/approve');
    await lax.waitForPhase('approved');
    await bob.says(strict, '/approve');
    const said = await strict.waitForComment(/took it out of the merge queue/);
    expect(said).toContain('required verifiers failed: extra');
    for (const pull of [lax, strict]) await bob.says(pull, '/reject it was a test');
    for (const pull of [lax, strict]) await pull.waitForClosed();
  });

  test('do not share what one of them was approved despite', async () => {
    const { ada, bob, mia } = fixture;
    const red = await ada.starts('agent: red');
    await red.waitForPhase('awaiting_resolution');
    await mia.says(red, '/approve --despite test');
    await red.waitForPhase('approved');
    const [fine] = (await started('fine')) as [PullClient];
    await bob.says(fine, '/approve');
    const said = await fine.waitForComment(/took it out of the merge queue/);
    expect(said).toContain('required verifiers failed: test');
    for (const pull of [red, fine]) await bob.says(pull, '/reject it was a test');
    for (const pull of [red, fine]) await pull.waitForClosed();
  });
});

describe('a merge group that is being verified', () => {
  test('is not green once its run is steered, which leaves the queue', async () => {
    const { two, group, barrier } = await held();
    await fixture.bob.says(two, '/steer agent: file src/three.txt');
    await eventually('an empty queue', async () => (await queued()).size === 0 || undefined, {
      progress: () => progressOfApp(fixture.forge),
    });
    barrier.open();
    await two.waitForPhase('awaiting_approval', { iteration: 1 });
    await waitForDeliveries(fixture);
    expect((await decisionOn(two, group))?.conclusion).not.toBe('success');
    await fixture.bob.says(two, '/reject enough');
    await two.waitForClosed();
  });

  test('is given up when a person takes its run out, which stays approved and is not queued again', async () => {
    const { two, group, barrier } = await held();
    await turns(fixture.mia, two, 'dequeue');
    await two.waitForComment(/mia took this pull request out of the merge queue/);
    barrier.open();
    await two.waitUntil('the check to be taken back', async () =>
      (await decisionOn(two, group))?.conclusion === 'cancelled' ? true : undefined,
    );
    expect((await two.ledger()).state.standing).toMatchObject({ phase: 'approved', queue: { is: 'out' } });
    await turns(fixture.mia, two, 'enqueue');
    await waitForMerge(two);
  });

  test('is verified anew by the next process where the App was killed', async () => {
    const { two, group, barrier } = await held();
    expect(await decisionOn(two, group)).toMatchObject({ status: 'in_progress' });
    fixture.app.kill();
    barrier.open();
    await fixture.start();
    await waitForMerge(two);
    expect(await decisionOn(two, group)).toMatchObject({ conclusion: 'success' });
  });
});
