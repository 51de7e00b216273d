import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { granted, httpErrorOf } from './fixture.ts';
import {
  type QueuedPull,
  type QueuedRepository,
  type QueueFixture,
  queuedRepository,
  startQueueFixture,
} from './queue-fixture.ts';

let started: QueueFixture;
let on: QueuedRepository;

beforeAll(async () => {
  started = await startQueueFixture();
});
afterAll(async () => {
  expect(started.fixture.recorder.problems).toEqual([]);
  await started.fixture.end();
});
beforeEach(async () => {
  on = await queuedRepository(started);
});

test('only a pull request that meets its own requirements joins, and only once', async () => {
  const pull = await on.open('a');
  const not = (why: string) => `UNPROCESSABLE: Pull request ${why}`;
  expect(await on.enqueue(pull)).toBe(not('Merge queue is not enabled for this branch'));
  on.startQueue();
  expect(await on.enqueue(pull, { head: '0'.repeat(40) })).toContain('Head branch was modified.');
  expect(await on.enqueue(pull, { login: 'ren' })).toContain('FORBIDDEN');
  await on.report(pull.head, 'failure');
  expect((await on.pullAt(pull)).mergeable_state).toBe('blocked');
  expect(await on.enqueue(pull)).toBe(not('Required status check "ci" is failing.'));
  await on.report(pull.head, 'success');
  expect((await on.pullAt(pull)).mergeable_state).toBe('clean');
  await setDraft(pull, true);
  expect(await on.enqueue(pull)).toBe(not('Pull request is a draft'));
  await setDraft(pull, false);
  expect(await on.dequeue(pull)).toBe('UNPROCESSABLE: Pull request is not in the queue');
  expect(await on.enqueue(pull)).toBeUndefined();
  expect(await on.enqueue(pull)).toBe(not('is already in the queue'));
  expect(
    await httpErrorOf(on.repository.bot.pulls.merge({ ...on.repository.at, pull_number: 1 })),
  ).toMatchObject({
    ...{ status: 405, message: expect.stringContaining('Pull Request is in the merge queue.') },
  });
});

test('one that conflicts with its base does not join', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await started.fixture.forge.seed.commit(on.repository.name, { 'a.txt': 'other\n' });
  expect(await on.enqueue(pull)).toBe('UNPROCESSABLE: Pull request Pull request has merge conflicts');
});

const setDraft = ({ node_id: id }: QueuedPull, draft: boolean) => {
  const name = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
  return on.run(`mutation($id: ID!) { ${name}(input: { pullRequestId: $id }) { pullRequest { number } } }`, {
    id,
  });
};

test('"merge when ready" joins as soon as the requirements are met, on behalf of who asked for it', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await on.report(pull.head, 'failure');
  const { node_id: id } = pull;
  const enable =
    'mutation($id: ID!) { enablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }';
  expect(await on.run(enable, { id })).toBeUndefined();
  expect((await on.pullAt(pull)).auto_merge).toMatchObject({ enabled_by: { login: 'wil' } });
  expect(await on.shown()).toEqual([]);
  await on.report(pull.head, 'success');
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS']);
  expect((await on.pullAt(pull)).auto_merge).toBeNull();
  await on.dequeue(pull);
  expect(await on.run(enable, { id })).toBeUndefined();
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS']);
});

test('a branch whose pull request is queued cannot be changed', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await on.enqueue(pull);
  await on.clone.commit('More', { 'a.txt': 'more\n' });
  const push = () => on.clone.attempt('push', 'origin', 'HEAD:refs/heads/a');
  const { stderr } = await push();
  expect(stderr).toContain('GH006: Protected branch update failed for refs/heads/a.');
  expect(stderr).toContain('Branches that are queued for merging cannot be updated.');
  expect(stderr).toContain('protected branch hook declined');
  const at = { ...on.repository.at, ref: 'heads/a' };
  expect(await httpErrorOf(on.repository.bot.git.deleteRef(at))).toMatchObject({
    ...{ status: 422, message: expect.stringContaining('has been added to a merge queue') },
  });
  await on.dequeue(pull);
  expect((await push()).code).toBe(0);
});

test('nobody else writes to the branches of groups', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await on.enqueue(pull);
  const ref = `refs/heads/gh-readonly-queue/main/pr-1-${await on.tip()}`;
  for (const source of ['HEAD', '']) {
    expect((await on.clone.attempt('push', '--force', 'origin', `${source}:${ref}`)).code).toBe(1);
  }
  const asked = { ...on.repository.at, ref: `${ref}x`, sha: pull.head };
  expect((await httpErrorOf(on.repository.bot.git.createRef(asked))).status).toBe(422);
});

test('people, closing, drafts, changed bases and lost reviews take a pull request out', async () => {
  on.startQueue();
  const parameters = { required_approving_review_count: 1 };
  started.fixture.forge.seed.addRuleset(on.repository.name, {
    rules: [{ type: 'pull_request', parameters }],
  });
  const pull = await on.open('a');
  const at = { ...on.repository.at, pull_number: pull.number };
  const review = (event: 'APPROVE' | 'REQUEST_CHANGES') =>
    started.fixture.person('ada').pulls.createReview({ ...at, event, body: 'So' });
  await on.clone.git('push', '--quiet', 'origin', 'origin/main:refs/heads/other');
  const ways = [
    () => on.dequeue(pull, 'ada'),
    () => setDraft(pull, true),
    () => started.fixture.person('wil').pulls.update({ ...at, state: 'closed' }),
    () => started.fixture.person('wil').pulls.update({ ...at, base: 'other' }),
    () => review('REQUEST_CHANGES'),
    async () => started.fixture.forge.seed.unprotect(on.repository.name),
  ];
  for (const way of ways) {
    await setDraft(pull, false);
    await started.fixture.person('wil').pulls.update({ ...at, state: 'open', base: 'main' });
    await review('APPROVE');
    expect(await on.enqueue(pull)).toBeUndefined();
    await way();
    expect(await on.dequeue(pull)).toContain('is not in the queue');
  }
  const gone = on.told().filter((line) => line.startsWith('dequeued'));
  const reasons = ['MANUAL', 'MANUAL', 'MANUAL', 'MANUAL', 'BRANCH_PROTECTIONS', 'QUEUE_CLEARED'];
  expect(gone).toEqual(reasons.map((reason) => `dequeued #1 ${reason}`));
});

test('its events tell who queued it, who took it out, and why', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await on.enqueue(pull);
  await on.dequeue(pull, 'ada');
  await on.enqueue(pull);
  await on.report(await on.groupOf(pull), 'failure');
  const { data } = await on.repository.bot.issues.listEvents({
    ...on.repository.at,
    issue_number: pull.number,
  });
  const bot = 'github-merge-queue[bot]';
  expect(data.map(({ event, actor }) => `${event} by ${actor?.login}`)).toEqual([
    ...['added_to_merge_queue by wil', 'removed_from_merge_queue by ada'],
    ...['added_to_merge_queue by wil', `removed_from_merge_queue by ${bot}`],
  ]);
  const query = `query($id: ID!) { node(id: $id) { ... on PullRequest {
    timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) { nodes {
      ... on RemovedFromMergeQueueEvent { reason beforeCommit { oid } actor { login } } } } } } }`;
  expect(await on.repository.bot.graphql(query, { id: pull.node_id })).toMatchObject({
    node: {
      timelineItems: {
        nodes: [
          {
            ...{ reason: 'failed_checks', beforeCommit: { oid: pull.head } },
            actor: { login: 'github-merge-queue' },
          },
        ],
      },
    },
  });
});

test('an App needs merge_queues: read to hear of groups, and write access to queue', async () => {
  const { merge_queues: _, ...others } = granted;
  started.fixture.forge.seed.setInstallationPermissions(on.repository.installation, others);
  on.startQueue();
  const pull = await on.open('a');
  const join =
    'mutation($id: ID!) { enqueuePullRequest(input: { pullRequestId: $id }) { clientMutationId } }';
  await on.repository.bot.graphql(join, { id: pull.node_id });
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS']);
  await started.fixture.deliveriesDone();
  const { data } = await started.fixture.asApp().apps.listWebhookDeliveries();
  const told = data.filter((one) => one.installation_id === on.repository.installation);
  expect(told.map(({ event }) => event)).toContain('pull_request');
  expect(told.map(({ event }) => event)).not.toContain('merge_group');
  await on.dequeue(pull);
  started.fixture.forge.seed.setInstallationPermissions(on.repository.installation, {
    ...others,
    contents: 'read',
  });
  await expect(on.repository.bot.graphql(join, { id: pull.node_id })).rejects.toThrow('not accessible');
});

test('no workflow is triggered by a group if the token of Actions queued it', async () => {
  on.startQueue();
  const [a, b] = [await on.open('a'), await on.open('b')];
  const token = started.fixture.forge.seed.actionsToken(on.repository.name, {
    contents: 'write',
    pull_requests: 'write',
  });
  const join =
    'mutation($id: ID!) { enqueuePullRequest(input: { pullRequestId: $id }) { clientMutationId } }';
  started.events.length = 0;
  await started.fixture.client(token).graphql(join, { id: a.node_id });
  await on.enqueue(b);
  const groups = started.events.filter(({ event }) => event === 'merge_group');
  expect(groups.map(({ by_actions }) => by_actions)).toEqual([true, false]);
});
