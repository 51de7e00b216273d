import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';
import { type OpenedPull, openPull } from './open-pull.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T08:00:00Z');

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

/** A branch at the tip of `main`, or at that of another branch. */
async function addBranch({ clone }: OpenedPull, name: string, from = 'origin/main'): Promise<string> {
  await clone.git('push', '--quiet', 'origin', `${from}:refs/heads/${name}`);
  return clone.git('rev-parse', from);
}

async function typesOf({ repository, number }: OpenedPull): Promise<string[]> {
  const { data } = await repository.bot.issues.listEvents({ ...repository.at, issue_number: number });
  return data.map(({ event }) => event);
}

const query = `query($owner: String!, $repo: String!, $pull_number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $pull_number) {
    baseRefName baseRefOid
    timelineItems(first: 10, itemTypes: [
      BASE_REF_CHANGED_EVENT, HEAD_REF_FORCE_PUSHED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT
    ]) { totalCount nodes {
      __typename
      ... on BaseRefChangedEvent { actor { login } createdAt previousRefName currentRefName }
      ... on HeadRefForcePushedEvent { actor { login } createdAt beforeCommit { oid } afterCommit { oid } }
      ... on AutomaticBaseChangeSucceededEvent { actor { login } oldBase newBase pullRequest { number } }
    } }
  } }
}`;

/** What GraphQL returns of the pull request; the tests know the shape of the query. */
async function readIn({ repository, at }: OpenedPull) {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const result: any = await repository.bot.graphql(query, at);
  return result.repository.pullRequest;
}

test('a new base is delivered with the old one, and GraphQL names both', async () => {
  const pull = await openPull(fixture);
  const main = await addBranch(pull, 'next');
  await fixture.forge.seed.commit(pull.repository.name, { 'b.txt': 'b\n' });
  await fixture.forgetDeliveries();
  time += 60_000;
  const { data } = await fixture.person('wil').pulls.update({ ...pull.at, base: 'next' });
  expect(data.base).toMatchObject({ ref: 'next', sha: main });
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ event, payload }) => [event, payload])).toMatchObject([
    [
      'pull_request',
      {
        action: 'edited',
        changes: { base: { ref: { from: 'main' }, sha: { from: main } } },
        pull_request: { base: { ref: 'next' } },
        sender: { login: 'wil' },
      },
    ],
  ]);
  expect(await readIn(pull)).toEqual({
    baseRefName: 'next',
    baseRefOid: main,
    timelineItems: {
      totalCount: 1,
      nodes: [
        {
          __typename: 'BaseRefChangedEvent',
          actor: { login: 'wil' },
          createdAt: '2026-03-01T08:01:00Z',
          previousRefName: 'main',
          currentRefName: 'next',
        },
      ],
    },
  });
});

test('a base that cannot be is refused in GitHub words', async () => {
  const pull = await openPull(fixture);
  const { bot, at } = pull.repository;
  await addBranch(pull, 'next');
  await addBranch(pull, 'same', 'topic');
  await bot.pulls.create({ ...at, head: 'topic', base: 'next', title: 'Another' });
  const refusal = async (base: string) => {
    const error = await httpErrorOf(bot.pulls.update({ ...pull.at, base }));
    expect(error.status).toBe(422);
    return error.message;
  };
  expect(await refusal('nowhere')).toContain("Proposed base branch 'nowhere' was not found");
  const names = (base: string) => `base branch '${base}' and head branch 'topic'`;
  expect(await refusal('next')).toContain(`A pull request already exists for ${names('next')}`);
  expect(await refusal('same')).toContain(`There are no new commits between ${names('same')}`);
  await bot.pulls.update({ ...pull.at, base: 'main' });
  expect(await typesOf(pull)).toEqual([]);
  await bot.pulls.update({ ...pull.at, state: 'closed' });
  expect(await refusal('next')).toContain('Cannot change the base branch of a closed pull request.');
});

test('the author may change the base without write access, others may not', async () => {
  const pull = await openPull(fixture, { by: 'ren' });
  await addBranch(pull, 'next');
  const change = (login: string) => fixture.person(login).pulls.update({ ...pull.at, base: 'next' });
  expect((await httpErrorOf(change('tri'))).status).toBe(403);
  expect((await change('ren')).data.base.ref).toBe('next');
});

test('the timeline has comments, reviews, commits, force pushes and bases, in order', async () => {
  const pull = await openPull(fixture);
  const { repository, clone, number, sha } = pull;
  await addBranch(pull, 'next');
  const on = { ...repository.at, issue_number: number };
  const steps: (() => Promise<unknown>)[] = [
    () => fixture.person('wil').issues.createComment({ ...on, body: 'Hello' }),
    () => fixture.person('wil').pulls.createReview({ ...pull.at, event: 'APPROVE' }),
    () => fixture.person('ada').pulls.update({ ...pull.at, base: 'next' }),
  ];
  for (const step of steps) {
    time += 1000;
    await step();
  }
  time += 1000;
  await clone.git('reset', '--quiet', '--hard', 'origin/main');
  const forced = await clone.commit('Other', { 'b.txt': 'b\n' });
  await clone.git('push', '--quiet', '--force', 'origin', 'topic');
  const { data } = await repository.bot.issues.listEventsForTimeline(on);
  const events = data.filter(({ event }) => event !== 'committed');
  expect(events).toMatchObject([
    { event: 'commented', body: 'Hello', actor: { login: 'wil' } },
    { event: 'reviewed', state: 'approved', user: { login: 'wil' }, commit_id: sha },
    { event: 'base_ref_changed', actor: { login: 'ada' }, commit_id: null },
    { event: 'head_ref_force_pushed', actor: { login: 'ada' }, commit_id: forced },
  ]);
  expect(data.filter(({ event }) => event === 'committed')).toMatchObject([
    { sha: forced, message: 'Other' },
  ]);
  const { timelineItems } = await readIn(pull);
  expect(timelineItems.nodes[1]).toMatchObject({ beforeCommit: { oid: sha }, afterCommit: { oid: forced } });
  const changed = events[2];
  const event_id = changed && 'id' in changed ? changed.id : 0;
  const { data: single } = await repository.bot.issues.getEvent({ ...repository.at, event_id });
  expect(single).toMatchObject({ event: 'base_ref_changed', issue: { number } });
  expect((await httpErrorOf(repository.bot.issues.getEvent({ ...repository.at, event_id: 3 }))).status).toBe(
    404,
  );
});

test('when a merge deletes its branch, pull requests into it move to its base, and no webhook tells', async () => {
  const lower = await openPull(fixture);
  const { repository, clone } = lower;
  const { bot, at } = repository;
  await clone.git('checkout', '--quiet', '-b', 'upper');
  await clone.commit('Upper', { 'c.txt': 'c\n' });
  await clone.git('push', '--quiet', 'origin', 'upper');
  const { data } = await bot.pulls.create({ ...at, head: 'upper', base: 'topic', title: 'Upper' });
  const upper = { ...lower, number: data.number, at: { ...at, pull_number: data.number } };
  fixture.forge.seed.settings(repository.name, { delete_branch_on_merge: true });
  await fixture.forgetDeliveries();
  await fixture.person('wil').pulls.merge(lower.at);
  expect(await readIn(upper)).toMatchObject({
    baseRefName: 'main',
    timelineItems: {
      nodes: [
        {
          __typename: 'AutomaticBaseChangeSucceededEvent',
          actor: { login: 'wil' },
          oldBase: 'topic',
          newBase: 'main',
          pullRequest: { number: data.number },
        },
      ],
    },
  });
  await fixture.deliveriesDone();
  const told = fixture.received.filter(({ payload }) => payload['number'] === data.number);
  expect(told).toEqual([]);
});

test('a base that somebody deletes closes its pull requests, which then cannot be reopened', async () => {
  const pull = await openPull(fixture);
  await addBranch(pull, 'next');
  await pull.repository.bot.pulls.update({ ...pull.at, base: 'next' });
  await pull.repository.bot.git.deleteRef({ ...pull.repository.at, ref: 'heads/next' });
  expect(await typesOf(pull)).toEqual(['base_ref_changed', 'base_ref_deleted', 'closed']);
  const reopened = pull.repository.bot.pulls.update({ ...pull.at, state: 'open' });
  expect(await httpErrorOf(reopened)).toMatchObject({
    status: 422,
    message: expect.stringContaining('next branch has been deleted'),
  });
});

test('renaming a branch moves pull requests into it, and closes those from it', async () => {
  const pull = await openPull(fixture);
  const { repository } = pull;
  const { at, bot } = repository;
  fixture.forge.seed.addProtection(repository.name, 'main', {});
  const rename = (login: string, branch: string, new_name: string) =>
    fixture.person(login).repos.renameBranch({ ...at, branch, new_name });
  expect((await httpErrorOf(rename('wil', 'main', 'trunk'))).status).toBe(403);
  const { data } = await rename('ada', 'main', 'trunk');
  expect(data).toMatchObject({ name: 'trunk', protected: true });
  expect((await bot.repos.get(at)).data.default_branch).toBe('trunk');
  expect((await bot.pulls.get(pull.at)).data.base.ref).toBe('trunk');
  expect(await typesOf(pull)).toEqual(['automatic_base_change_succeeded']);
  expect((await httpErrorOf(bot.repos.getBranch({ ...at, branch: 'main' }))).status).toBe(404);
  await rename('wil', 'topic', 'other');
  expect((await bot.pulls.get(pull.at)).data.state).toBe('closed');
});
