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
    timelineItems(first: 10, itemTypes: [BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT]) {
      nodes { __typename ... on BaseRefChangedEvent { actor { login } createdAt currentRefName } }
    }
  } }
}`;

/** What GraphQL returns of the pull request; the tests know the shape of the query. */
async function readIn({ repository, at }: OpenedPull) {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const result: any = await repository.bot.graphql(query, at);
  return result.repository.pullRequest;
}

test('a new base is delivered with the old one, and GraphQL names it', async () => {
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
    timelineItems: {
      nodes: [
        {
          __typename: 'BaseRefChangedEvent',
          actor: { login: 'wil' },
          createdAt: '2026-03-01T08:01:00Z',
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
