import type { MergeQueueRule, RepositoryEvent } from '@coxswain/forge';
import { type Clone, type Fixture, startFixture, type TestRepository } from './fixture.ts';

export interface QueuedPull {
  number: number;
  node_id: string;
  head: string;
}

interface Entry {
  position: number;
  state: string;
  headCommit: { oid: string } | null;
  baseCommit: { oid: string } | null;
  pullRequest: { number: number };
}

const entryFields = `position state headCommit { oid } baseCommit { oid } enqueuedAt enqueuer { login } jump solo
  pullRequest { number isInMergeQueue mergeQueueEntry { position } }`;

const listing = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
  mergeQueue(branch: "main") { id url configuration { mergeMethod mergingStrategy checkResponseTimeout }
    entries(first: 10) { totalCount nodes { ${entryFields} } } } } }`;

const joining = `mutation($id: ID!, $head: GitObjectID, $jump: Boolean) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head, jump: $jump }) {
    mergeQueueEntry { ${entryFields} } } }`;

const leaving =
  'mutation($id: ID!) { dequeuePullRequest(input: { id: $id }) { mergeQueueEntry { id position } } }';

export type QueueFixture = Awaited<ReturnType<typeof startQueueFixture>>;

/** A forge whose clock the test moves, and what could trigger a workflow there. */
export async function startQueueFixture() {
  const clock = { now: Date.parse('2026-11-01T09:00:00Z') };
  const events: RepositoryEvent[] = [];
  const fixture = await startFixture({
    now: () => new Date(clock.now),
    onEvent: (event) => events.push(event),
  });
  const pass = (minutes: number) => {
    clock.now += minutes * 60_000;
  };
  return { fixture, events, pass };
}

export type QueuedRepository = Awaited<ReturnType<typeof queuedRepository>>;

/** A repository with pull requests that change one file each, and the queue of its default branch. */
export async function queuedRepository({ fixture, events }: QueueFixture) {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  const report = (head_sha: string, conclusion: 'success' | 'failure') =>
    repository.bot.checks.create({ ...repository.at, name: 'ci', head_sha, conclusion });
  const run = (query: string, variables: object, login?: string) =>
    refusalOf(fixture, { query, variables, login });
  const queue = () => entriesOf(repository);
  return {
    ...{ repository, clone, report, run, queue },
    open: (name: string, files?: Record<string, string>) =>
      open({ fixture, repository, clone, report }, name, files),
    /** The default branch has a merge queue, and requires the check `ci` of the App. */
    startQueue(parameters: Partial<MergeQueueRule['parameters']> = {}): void {
      const checks = { required_status_checks: [{ context: 'ci', integration_id: fixture.app.id }] };
      fixture.forge.seed.addRuleset(repository.name, {
        rules: [
          { type: 'merge_queue', parameters },
          { type: 'required_status_checks', parameters: checks },
        ],
      });
    },
    enqueue: (
      { node_id: id }: QueuedPull,
      { login, ...more }: { head?: string; jump?: boolean; login?: string } = {},
    ) => run(joining, { id, ...more }, login),
    dequeue: ({ node_id: id }: QueuedPull, login?: string) => run(leaving, { id }, login),
    /** Such as `1 #2 AWAITING_CHECKS`. */
    shown: async () =>
      (await queue()).map(
        ({ position, state, pullRequest }) => `${position} #${pullRequest.number} ${state}`,
      ),
    /** The head of a pull request's group. */
    async groupOf({ number }: QueuedPull): Promise<string> {
      const entry = (await queue()).find(({ pullRequest }) => pullRequest.number === number);
      return entry?.headCommit?.oid ?? '';
    },
    pullAt: async ({ number }: QueuedPull) =>
      (await repository.bot.pulls.get({ ...repository.at, pull_number: number })).data,
    tip: async () =>
      (await repository.bot.git.getRef({ ...repository.at, ref: 'heads/main' })).data.object.sha,
    told: () => toldOf(events, repository),
  };
}

interface Opening {
  fixture: Fixture;
  repository: TestRepository;
  clone: Clone;
  report: (sha: string, conclusion: 'success') => Promise<unknown>;
}

/** A pull request that has passed its own checks. */
async function open(
  { fixture, repository, clone, report }: Opening,
  name: string,
  files: Record<string, string> = { [`${name}.txt`]: `${name}\n` },
): Promise<QueuedPull> {
  await clone.git('checkout', '--quiet', '-B', name, 'origin/main');
  const head = await clone.commit(`Add ${name}`, files);
  await clone.git('push', '--quiet', 'origin', name);
  const asked = { ...repository.at, head: name, base: 'main', title: `Add ${name}` };
  const { number, node_id } = (await fixture.person('wil').pulls.create(asked)).data;
  await report(head, 'success');
  return { number, node_id, head };
}

async function entriesOf({ at, bot }: TestRepository): Promise<Entry[]> {
  const asked = await bot.graphql<{ repository: { mergeQueue: { entries: { nodes: Entry[] } } } }>(listing, {
    owner: at.owner,
    name: at.repo,
  });
  return asked.repository.mergeQueue.entries.nodes;
}

interface Asked {
  query: string;
  variables: object;
  login: string | undefined;
}

/** GitHub's refusal; undefined if the mutation succeeds. */
async function refusalOf(fixture: Fixture, { query, variables, login = 'wil' }: Asked) {
  const response = await fetch(`${fixture.forge.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `bearer ${fixture.token(login)}` },
    body: JSON.stringify({ query, variables }),
  });
  const { errors } = (await response.json()) as { errors?: { type: string; message: string }[] };
  return errors?.[0] && `${errors[0].type}: ${errors[0].message}`;
}

interface Told {
  action?: string;
  number?: number;
  merge_group?: { head_ref: string };
  reason?: string;
}

/** The webhooks of a queue in their order, such as `dequeued #2 CI_FAILURE` and `destroyed #2 dequeued`. */
function toldOf(events: RepositoryEvent[], { name }: TestRepository): string[] {
  return events.flatMap(({ event, repository, payload }) => {
    const { action = '', number, merge_group, reason }: Told = payload;
    const isOfQueue = event === 'merge_group' || ['enqueued', 'dequeued', 'closed'].includes(action);
    if (!isOfQueue || repository !== name) return [];
    const pull = number ?? /pr-(\d+)-[0-9a-f]{40}$/.exec(merge_group?.head_ref ?? '')?.[1];
    return [[`${action} #${pull}`, reason].filter(Boolean).join(' ')];
  });
}
