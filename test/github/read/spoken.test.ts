import { expect, test } from 'vitest';
import { spokenSince } from '../../../src/github/read/pull-timeline.ts';
import { client, expectOnlyStubbedRequests, github, stubEdits, stubRole } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const where = { owner: 'acme', name: 'api' };
const ada = { login: 'ada', id: 1, type: 'User' };
const edited = '2026-11-21T12:30:00Z';

/** A review by Ada at 11:00, unless something else is there. */
function stubLists(
  comments: readonly object[] = [],
  reviews: readonly object[] = [review],
  headers = {},
): void {
  github()
    .get(/\/issues\/7\/comments/)
    .reply(200, comments, headers);
  github()
    .get(/\/pulls\/7\/reviews/)
    .reply(200, reviews);
}

const review = {
  ...{ id: 5, node_id: 'PRR_5', user: ada, state: 'COMMENTED', body: 'Fine.' },
  submitted_at: '2026-11-21T11:00:00Z',
};

/** What the timeline says of deleted comments. */
function stubDeletions(...nodes: readonly object[]): void {
  const deletions = { pageInfo: { hasPreviousPage: false }, nodes };
  github()
    .post('/graphql', ({ variables }) => variables.deletions === true)
    .reply(200, { data: { repository: { pullRequest: { bases: { nodes: [] }, deletions } } } });
}

/** The same, and who edited it at 12:30. */
function stubReview(...editors: readonly { readonly login: string; readonly id?: number }[]): void {
  stubLists();
  stubEdits({ PRR_5: editors });
}

const spoken = (since: string, seen: readonly string[] = []) =>
  spokenSince(client(), { where, number: 7, seen: new Set(seen) }, since);

test('a review that its author edited since is a word, though it was submitted and recorded before', async () => {
  stubReview(ada);
  stubRole('ada', 'write');
  expect(await spoken('2026-11-21T12:00:00Z', ['review:5'])).toEqual({ login: 'ada', id: 1, at: edited });
});

test('whoever edited the review of somebody else has spoken, and so has its author', async () => {
  stubReview({ login: 'eve', id: 9 });
  stubRole('ada', 'read');
  stubRole('eve', 'write');
  expect(await spoken('2026-11-21T12:00:00Z')).toEqual({ login: 'eve', id: 9, at: edited });
  stubReview({ login: 'helper' });
  stubRole('ada', 'triage');
  expect(await spoken('2026-11-21T12:00:00Z')).toEqual({ login: 'ada', id: 1, at: edited });
});

test('a review that was edited before is none', async () => {
  stubReview(ada);
  stubDeletions();
  expect(await spoken('2026-11-21T12:31:00Z')).toBeUndefined();
});

test('a comment that somebody edited is the word of its author and of the editor', async () => {
  const times = { created_at: '2026-11-21T11:00:00Z', updated_at: edited };
  const comment = { id: 6, node_id: 'IC_6', user: ada, body: '…', ...times };
  stubLists([comment], []);
  stubEdits({ IC_6: [{ login: 'eve', id: 9 }] });
  stubRole('ada', 'none');
  stubRole('eve', 'triage');
  expect(await spoken('2026-11-21T12:00:00Z')).toEqual({ login: 'eve', id: 9, at: edited });
});

const actor = (login: string, databaseId: number) => ({ __typename: 'User', login, databaseId });
const deletion = { createdAt: edited, actor: actor('eve', 9), deletedCommentAuthor: actor('ada', 1) };

test('a deletion counts by who did it, by whose words they were, and if GitHub names either not', async () => {
  const deleted = { login: 'eve', id: 9, at: edited, how: 'deleted' };
  for (const [roles, given, expected] of [
    [{ eve: 'triage' }, deletion, deleted],
    [{ eve: 'read', ada: 'triage' }, deletion, deleted],
    [{ eve: 'read', ada: 'read' }, deletion, undefined],
    [{ eve: 'read' }, { ...deletion, deletedCommentAuthor: null }, deleted],
    [{}, { ...deletion, actor: null }, { ...deleted, login: 'somebody', id: 0 }],
  ] as const) {
    stubLists([], []);
    stubDeletions(given);
    for (const [login, role] of Object.entries(roles)) stubRole(login, role);
    expect(await spoken('2026-11-21T12:00:00Z')).toEqual(expected);
  }
});

test('a list that is not read to its end counts as a word', async () => {
  stubLists([], [], { link: '<https://api.github.com/x?page=52>; rel="last"' });
  github()
    .get(/\/issues\/7\/comments/)
    .times(49)
    .reply(200, []);
  stubDeletions();
  expect(await spoken('2026-11-21T12:00:00Z')).toMatchObject({ how: 'unread' });
});

test('where GitHub does not tell who edited a review, nobody knows that nobody spoke', async () => {
  stubLists();
  const errors = [{ message: 'no such field', extensions: { code: 'undefinedField' } }];
  github().post('/graphql').reply(200, { errors });
  await expect(spoken('2026-11-21T12:00:00Z')).rejects.toThrow('could not find out who edited review 5');
});
