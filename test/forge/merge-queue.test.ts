import type { MergeQueueRule } from '@coxswain/forge';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Clone, type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';

let fixture: Fixture;
let repository: TestRepository;
let clone: Clone;
const now = Date.parse('2026-11-01T09:00:00Z');

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(now) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});
beforeEach(async () => {
  repository = await fixture.repository();
  clone = await fixture.clone(repository);
});

/** The default branch has a merge queue, and requires the check `ci` of the App. */
function startQueue(parameters: Partial<MergeQueueRule['parameters']> = {}): void {
  const checks = { required_status_checks: [{ context: 'ci', integration_id: fixture.app.id }] };
  fixture.forge.seed.addRuleset(repository.name, {
    rules: [
      { type: 'merge_queue', parameters },
      { type: 'required_status_checks', parameters: checks },
    ],
  });
}

interface Pull {
  number: number;
  node_id: string;
  head: string;
  branch: string;
}

/** A pull request that changes one file, and has passed its own checks. */
async function open(name: string, files = { [`${name}.txt`]: `${name}\n` }): Promise<Pull> {
  await clone.git('checkout', '--quiet', '-B', name, 'origin/main');
  const head = await clone.commit(`Add ${name}`, files);
  await clone.git('push', '--quiet', 'origin', name);
  const asked = { ...repository.at, head: name, base: 'main', title: `Add ${name}` };
  const { number, node_id } = (await fixture.person('wil').pulls.create(asked)).data;
  await report(head, 'success');
  return { number, node_id, head, branch: name };
}

const report = (head_sha: string, conclusion: 'success' | 'failure', name = 'ci') =>
  repository.bot.checks.create({ ...repository.at, name, head_sha, conclusion });

interface Entry {
  position: number;
  state: string;
  headCommit: { oid: string } | null;
  baseCommit: { oid: string } | null;
  pullRequest: { number: number };
}

const entryFields = `position state headCommit { oid } baseCommit { oid } enqueuedAt enqueuer { login } jump solo
  pullRequest { number isInMergeQueue mergeQueueEntry { position } }`;

async function queue(): Promise<Entry[]> {
  const { owner, repo: name } = repository.at;
  const query = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    mergeQueue(branch: "main") { id url configuration { mergeMethod mergingStrategy checkResponseTimeout }
      entries(first: 10) { totalCount nodes { ${entryFields} } } } } }`;
  const asked = await repository.bot.graphql<{
    repository: { mergeQueue: { entries: { nodes: Entry[] } } };
  }>(query, { owner, name });
  return asked.repository.mergeQueue.entries.nodes;
}

const shown = async () =>
  (await queue()).map(({ position, state, pullRequest }) => `${position} #${pullRequest.number} ${state}`);

async function groupOf(pull: Pull): Promise<string> {
  const entry = (await queue()).find(({ pullRequest }) => pullRequest.number === pull.number);
  return entry?.headCommit?.oid ?? '';
}

/** GitHub's refusal; undefined if the mutation succeeds. */
async function run(mutation: string, variables: object, login = 'wil'): Promise<string | undefined> {
  const response = await fetch(`${fixture.forge.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `bearer ${fixture.token(login)}` },
    body: JSON.stringify({ query: mutation, variables }),
  });
  const { errors } = (await response.json()) as { errors?: { type: string; message: string }[] };
  return errors?.[0] && `${errors[0].type}: ${errors[0].message}`;
}

const enqueue = ({ node_id: id }: Pull, more: { head?: string; jump?: boolean; login?: string } = {}) =>
  run(
    `mutation($id: ID!, $head: GitObjectID, $jump: Boolean) {
      enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head, jump: $jump }) {
        mergeQueueEntry { ${entryFields} } } }`,
    { id, head: more.head, jump: more.jump },
    more.login,
  );

export const dequeue = ({ node_id: id }: Pull, login?: string) =>
  run(
    `mutation($id: ID!) { dequeuePullRequest(input: { id: $id }) { mergeQueueEntry { id } } }`,
    { id },
    login,
  );

const pullAt = async ({ number }: Pull) =>
  (await repository.bot.pulls.get({ ...repository.at, pull_number: number })).data;

const tip = async () =>
  (await repository.bot.git.getRef({ ...repository.at, ref: 'heads/main' })).data.object.sha;

/** What the App was told of the queue, such as `dequeued #2 CI_FAILURE` and `destroyed #2 dequeued`. */
async function told(): Promise<string[]> {
  await fixture.deliveriesDone();
  return fixture.received.flatMap(({ event, action, payload }) => {
    const { number, merge_group, reason } = payload as {
      number?: number;
      merge_group?: { head_ref: string };
      reason?: string;
    };
    if (event === 'merge_group') {
      const pull = /pr-(\d+)-[0-9a-f]{40}$/.exec(merge_group?.head_ref ?? '')?.[1];
      return [[`${action} #${pull}`, reason].filter(Boolean).join(' ')];
    }
    if (event !== 'pull_request' || !['enqueued', 'dequeued', 'closed'].includes(action ?? '')) return [];
    return [[`${action} #${number}`, reason].filter(Boolean).join(' ')];
  });
}

test('a pull request is merged by its group as soon as that passes the required checks', async () => {
  startQueue();
  const pull = await open('a');
  const base = await tip();
  await fixture.forgetDeliveries();
  expect(await enqueue(pull, { head: pull.head })).toBeUndefined();
  expect(await shown()).toEqual([`1 #${pull.number} AWAITING_CHECKS`]);
  const group = await groupOf(pull);
  const ref = `heads/gh-readonly-queue/main/pr-${pull.number}-${base}`;
  expect((await repository.bot.git.getRef({ ...repository.at, ref })).data.object.sha).toBe(group);
  const requested = (await eventsOf('merge_group'))[0];
  expect(requested).toMatchObject({
    sender: { login: 'github-merge-queue[bot]' },
    merge_group: {
      ...{ head_sha: group, head_ref: `refs/${ref}`, base_sha: base, base_ref: 'refs/heads/main' },
      head_commit: { id: group },
    },
  });
  await report(group, 'success');
  expect(await tip()).toBe(group);
  expect(await pullAt(pull)).toMatchObject({
    ...{ merged: true, merge_commit_sha: group, merged_by: { login: 'github-merge-queue[bot]' } },
  });
  expect(await shown()).toEqual([]);
  expect((await httpErrorOf(repository.bot.git.getRef({ ...repository.at, ref }))).status).toBe(404);
  const { number } = pull;
  expect(await told()).toEqual([
    ...[`enqueued #${number}`, `checks_requested #${number}`],
    ...[`closed #${number}`, `dequeued #${number} MERGE`, `destroyed #${number} merged`],
  ]);
});

async function eventsOf(event: string) {
  await fixture.deliveriesDone();
  return fixture.received.filter((one) => one.event === event).map(({ payload }) => payload);
}
