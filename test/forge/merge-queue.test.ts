import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { httpErrorOf } from './fixture.ts';
import {
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

test('a pull request is merged by its group as soon as that passes the required checks', async () => {
  on.startQueue();
  const pull = await on.open('a');
  const base = await on.tip();
  expect(await on.enqueue(pull, { head: pull.head })).toBeUndefined();
  expect(await on.shown()).toEqual([`1 #${pull.number} AWAITING_CHECKS`]);
  const group = await on.groupOf(pull);
  const ref = `heads/gh-readonly-queue/main/pr-${pull.number}-${base}`;
  expect((await on.repository.bot.git.getRef({ ...on.repository.at, ref })).data.object.sha).toBe(group);
  expect(started.fixture.received.find(({ event }) => event === 'merge_group')?.payload).toMatchObject({
    sender: { login: 'github-merge-queue[bot]' },
    merge_group: {
      ...{ head_sha: group, head_ref: `refs/${ref}`, base_sha: base, base_ref: 'refs/heads/main' },
      head_commit: { id: group },
    },
  });
  await on.report(group, 'success');
  expect(await on.tip()).toBe(group);
  expect(await on.pullAt(pull)).toMatchObject({
    ...{ merged: true, merge_commit_sha: group, merged_by: { login: 'github-merge-queue[bot]' } },
  });
  expect(await on.shown()).toEqual([]);
  expect((await httpErrorOf(on.repository.bot.git.getRef({ ...on.repository.at, ref }))).status).toBe(404);
  expect(on.told()).toEqual([
    ...['enqueued #1', 'checks_requested #1'],
    ...['closed #1', 'dequeued #1 MERGE', 'destroyed #1 merged'],
  ]);
  const { data } = await on.repository.bot.repos.listActivities({ ...on.repository.at, ref: 'main' });
  expect(data[0]).toMatchObject({ activity_type: 'merge_queue_merge', after: group });
});

test('the group of an entry contains those before it, and both are merged at once', async () => {
  on.startQueue();
  const [a, b] = [await on.open('a'), await on.open('b')];
  await on.enqueue(a);
  await on.enqueue(b);
  const [first, second] = [await on.groupOf(a), await on.groupOf(b)];
  expect((await on.queue())[1]?.baseCommit?.oid).toBe(first);
  await on.report(second, 'success');
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS', '2 #2 MERGEABLE']);
  await on.report(first, 'success');
  expect(await on.tip()).toBe(second);
  expect([(await on.pullAt(a)).merge_commit_sha, (await on.pullAt(b)).merge_commit_sha]).toEqual([
    first,
    second,
  ]);
  expect(on.told().slice(4)).toEqual([
    ...['closed #1', 'closed #2', 'dequeued #1 MERGE', 'dequeued #2 MERGE'],
    ...['destroyed #1 merged', 'destroyed #2 merged'],
  ]);
});

test('an entry that fails leaves the queue, and those behind it are built again without it', async () => {
  on.startQueue();
  const [a, b] = [await on.open('a'), await on.open('b')];
  await on.enqueue(a);
  await on.enqueue(b);
  const second = await on.groupOf(b);
  await on.report(second, 'success');
  await on.report(await on.groupOf(a), 'failure');
  expect(await on.shown()).toEqual(['1 #2 AWAITING_CHECKS']);
  expect(await on.groupOf(b)).not.toBe(second);
  expect(on.told().slice(4)).toEqual([
    ...['dequeued #1 CI_FAILURE', 'destroyed #1 dequeued', 'destroyed #2 invalidated', 'checks_requested #2'],
  ]);
  expect(await on.pullAt(a)).toMatchObject({ state: 'open', mergeable_state: 'clean' });
  await on.report(await on.groupOf(b), 'success');
  expect((await on.pullAt(b)).merged).toBe(true);
});

test('an entry that fails behind one that is not finished waits, since that may be to blame', async () => {
  on.startQueue();
  const [a, b] = [await on.open('a'), await on.open('b')];
  await on.enqueue(a);
  await on.enqueue(b);
  await on.report(await on.groupOf(b), 'failure');
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS', '2 #2 UNMERGEABLE']);
  await on.report(await on.groupOf(a), 'success');
  expect(await on.shown()).toEqual([]);
  expect([(await on.pullAt(a)).merged, (await on.pullAt(b)).merged]).toEqual([true, false]);
  expect(on.told().at(-2)).toBe('dequeued #2 CI_FAILURE');
});

test('only the check of the expected App counts for a group', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await on.enqueue(pull);
  const asked = {
    ...on.repository.at,
    sha: await on.groupOf(pull),
    context: 'ci',
    state: 'success' as const,
  };
  await started.fixture.person('wil').repos.createCommitStatus(asked);
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS']);
});

test('checks that do not report in time count as failed', async () => {
  on.startQueue({ check_response_timeout_minutes: 30 });
  const pull = await on.open('a');
  await on.enqueue(pull);
  started.pass(29);
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS']);
  started.pass(1);
  expect(await on.shown()).toEqual([]);
  expect(on.told().slice(2)).toEqual(['dequeued #1 CI_TIMEOUT', 'destroyed #1 dequeued']);
});

test('an entry that conflicts with one before it leaves the queue', async () => {
  on.startQueue();
  const [a, b] = [await on.open('a', { 'x.txt': 'a\n' }), await on.open('b', { 'x.txt': 'b\n' })];
  await on.enqueue(a);
  await on.enqueue(b);
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS']);
  expect(on.told().slice(2)).toEqual(['enqueued #2', 'dequeued #2 MERGE_CONFLICT']);
});

test('a base that moves makes the queue build again', async () => {
  on.startQueue();
  const pull = await on.open('a');
  await on.enqueue(pull);
  const old = await on.groupOf(pull);
  await started.fixture.forge.seed.commit(on.repository.name, { 'b.txt': 'b\n' });
  expect((await on.queue())[0]?.baseCommit?.oid).toBe(await on.tip());
  await on.report(old, 'success');
  expect((await on.pullAt(pull)).merged).toBe(false);
  expect(on.told().slice(2)).toEqual(['destroyed #1 invalidated', 'checks_requested #1']);
});

test('an entry that jumps the queue is first, and the others are built again behind it', async () => {
  on.startQueue();
  const [a, b] = [await on.open('a'), await on.open('b')];
  await on.enqueue(a);
  await on.enqueue(b, { jump: true });
  expect(await on.shown()).toEqual(['1 #2 AWAITING_CHECKS', '2 #1 AWAITING_CHECKS']);
  expect(on.told().slice(3)).toEqual([
    ...['destroyed #1 invalidated', 'checks_requested #2', 'checks_requested #1'],
  ]);
});

test.each([
  ['SQUASH', 1],
  ['REBASE', 1],
  ['MERGE', 2],
] as const)('the queue merges by its own method: %s', async (merge_method, parents) => {
  on.startQueue({ merge_method });
  const pull = await on.open('a');
  await on.enqueue(pull);
  const group = await on.groupOf(pull);
  await on.report(group, 'success');
  const { data } = await on.repository.bot.git.getCommit({ ...on.repository.at, commit_sha: group });
  expect(data.parents).toHaveLength(parents);
  expect(await on.pullAt(pull)).toMatchObject({ merged: true, merge_commit_sha: group });
});

test('a queue that wants several entries waits for them, but not for ever', async () => {
  on.startQueue({ min_entries_to_merge: 2, min_entries_to_merge_wait_minutes: 10 });
  const [a, b, c] = [await on.open('a'), await on.open('b'), await on.open('c')];
  await on.enqueue(a);
  await on.report(await on.groupOf(a), 'success');
  expect(await on.shown()).toEqual(['1 #1 MERGEABLE']);
  await on.enqueue(b);
  await on.report(await on.groupOf(b), 'success');
  expect([(await on.pullAt(a)).merged, (await on.pullAt(b)).merged]).toEqual([true, true]);
  await on.enqueue(c);
  await on.report(await on.groupOf(c), 'success');
  started.pass(10);
  await on.shown();
  expect((await on.pullAt(c)).merged).toBe(true);
});

test('only so many entries are built, and merged, at once', async () => {
  on.startQueue({ max_entries_to_build: 2, max_entries_to_merge: 1 });
  const [a, b, c] = [await on.open('a'), await on.open('b'), await on.open('c')];
  for (const pull of [a, b, c]) await on.enqueue(pull);
  expect(await on.shown()).toEqual(['1 #1 AWAITING_CHECKS', '2 #2 AWAITING_CHECKS', '3 #3 QUEUED']);
  const second = await on.groupOf(b);
  await on.report(second, 'success');
  await on.report(await on.groupOf(a), 'success');
  expect(await on.shown()).toEqual(['1 #3 AWAITING_CHECKS']);
  const { data } = await on.repository.bot.repos.listActivities({ ...on.repository.at, ref: 'main' });
  expect(data.filter(({ activity_type }) => activity_type === 'merge_queue_merge')).toHaveLength(2);
});

test('with HEADGREEN, an entry that passes makes up for those that failed before it', async () => {
  on.startQueue({ grouping_strategy: 'HEADGREEN' });
  const [a, b] = [await on.open('a'), await on.open('b')];
  await on.enqueue(a);
  await on.enqueue(b);
  const second = await on.groupOf(b);
  await on.report(await on.groupOf(a), 'failure');
  expect(await on.shown()).toEqual(['1 #1 UNMERGEABLE', '2 #2 AWAITING_CHECKS']);
  await on.report(second, 'success');
  expect(await on.tip()).toBe(second);
  expect((await on.pullAt(a)).merged).toBe(true);
});

test('with HEADGREEN, the first is to blame if none behind it passes', async () => {
  on.startQueue({ grouping_strategy: 'HEADGREEN' });
  const [a, b] = [await on.open('a'), await on.open('b')];
  await on.enqueue(a);
  await on.enqueue(b);
  await on.report(await on.groupOf(a), 'failure');
  await on.report(await on.groupOf(b), 'failure');
  expect(await on.shown()).toEqual(['1 #2 AWAITING_CHECKS']);
});

test('without required checks, whatever joins is merged', async () => {
  started.fixture.forge.seed.addRuleset(on.repository.name, { rules: [{ type: 'merge_queue' }] });
  const pull = await on.open('a');
  await on.enqueue(pull);
  expect((await on.pullAt(pull)).merged).toBe(true);
});
