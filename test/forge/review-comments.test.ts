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

/** A review by `wil` that requests changes, with one comment on the diff. */
async function reviewed(pull: OpenedPull) {
  const wil = fixture.person('wil');
  const comments = [{ path: 'a.txt', line: 1, body: 'Here' }];
  const { data } = await wil.pulls.createReview({
    ...pull.at,
    event: 'REQUEST_CHANGES',
    body: 'No',
    comments,
  });
  const at = { ...pull.at, review_id: data.id };
  const [comment] = (await wil.pulls.listCommentsForReview(at)).data;
  return { review: data, review_id: data.id, comment_id: comment?.id ?? 0 };
}

const written = `query($owner: String!, $repo: String!, $pull_number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $pull_number) {
    reviews(first: 10) { totalCount nodes {
      fullDatabaseId state commit { oid } author { login } editor { ...who } lastEditedAt
      comments(first: 10) { nodes { ...said } }
    } }
    comments(first: 10) { nodes { body author { login } editor { login } } }
  } }
}
fragment who on Actor { __typename login ... on User { databaseId } ... on Bot { databaseId } }
fragment said on PullRequestReviewComment {
  fullDatabaseId body author { login } editor { ...who } lastEditedAt replyTo { fullDatabaseId }
  userContentEdits(first: 10) { totalCount nodes { editor { ...who } editedAt diff } }
}`;

/** What GraphQL returns of the pull request; the tests know the shape of the query. */
async function readIn({ repository, at }: OpenedPull) {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const result: any = await repository.bot.graphql(written, at);
  return result.repository.pullRequest;
}

test('a review comment that somebody else edits keeps its text, its author and its editor', async () => {
  const pull = await openPull(fixture);
  const { comment_id, review_id } = await reviewed(pull);
  time += 60_000;
  await fixture.forgetDeliveries();
  const ada = fixture.person('ada');
  const { data } = await ada.pulls.updateReviewComment({ ...pull.at, comment_id, body: '/approve' });
  expect(data).toMatchObject({
    body: '/approve',
    user: { login: 'wil' },
    created_at: '2026-03-01T08:00:00Z',
    updated_at: '2026-03-01T08:01:00Z',
  });
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ event, payload }) => [event, payload])).toMatchObject([
    [
      'pull_request_review_comment',
      {
        action: 'edited',
        changes: { body: { from: 'Here' } },
        comment: { id: comment_id, pull_request_review_id: review_id, user: { login: 'wil' } },
        sender: { login: 'ada' },
      },
    ],
  ]);
  const editor = { __typename: 'User', login: 'ada', databaseId: expect.any(Number) };
  const { reviews } = await readIn(pull);
  expect(reviews.nodes[0].comments.nodes).toEqual([
    {
      fullDatabaseId: String(comment_id),
      body: '/approve',
      author: { login: 'wil' },
      editor,
      lastEditedAt: '2026-03-01T08:01:00Z',
      replyTo: null,
      userContentEdits: {
        totalCount: 2,
        nodes: [
          { editor, editedAt: '2026-03-01T08:01:00Z', diff: '/approve' },
          {
            editor: { ...editor, login: 'wil', databaseId: expect.any(Number) },
            editedAt: '2026-03-01T08:00:00Z',
            diff: 'Here',
          },
        ],
      },
    },
  ]);
});

test('the edit of a review is delivered with the old text', async () => {
  const pull = await openPull(fixture);
  const { review_id } = await reviewed(pull);
  await fixture.forgetDeliveries();
  await fixture.person('ada').pulls.updateReview({ ...pull.at, review_id, body: '/approve' });
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ payload }) => payload)).toMatchObject([
    {
      action: 'edited',
      changes: { body: { from: 'No' } },
      review: { body: '/approve', user: { login: 'wil' }, state: 'changes_requested' },
      sender: { login: 'ada' },
    },
  ]);
  const { reviews } = await readIn(pull);
  expect(reviews.nodes).toMatchObject([
    { state: 'CHANGES_REQUESTED', commit: { oid: pull.sha }, editor: { login: 'ada' } },
  ]);
});

test('a reply is a review of its own, by its own author', async () => {
  const pull = await openPull(fixture);
  const { comment_id, review_id } = await reviewed(pull);
  await fixture.forgetDeliveries();
  const { data: reply } = await fixture
    .person('ada')
    .pulls.createReplyForReviewComment({ ...pull.at, comment_id, body: 'Why?' });
  expect(reply).toMatchObject({ in_reply_to_id: comment_id, path: 'a.txt', user: { login: 'ada' } });
  expect(reply.pull_request_review_id).not.toBe(review_id);
  const answered = { ...pull.at, comment_id: reply.id, body: 'So' };
  const { data: second } = await fixture.person('wil').pulls.createReplyForReviewComment(answered);
  expect(second.in_reply_to_id).toBe(comment_id);
  await fixture.deliveriesDone();
  const once = ['pull_request_review.submitted', 'pull_request_review_comment.created'];
  expect(fixture.received.map(({ event, action }) => `${event}.${action}`)).toEqual([...once, ...once]);
  const { reviews } = await readIn(pull);
  expect(reviews).toMatchObject({
    totalCount: 3,
    nodes: [
      { state: 'CHANGES_REQUESTED', author: { login: 'wil' } },
      {
        state: 'COMMENTED',
        author: { login: 'ada' },
        comments: { nodes: [{ body: 'Why?', replyTo: { fullDatabaseId: String(comment_id) } }] },
      },
      { state: 'COMMENTED', author: { login: 'wil' } },
    ],
  });
});

test('comments on the diff are created, listed and deleted one by one', async () => {
  const pull = await openPull(fixture);
  const wil = fixture.person('wil');
  const asked = { ...pull.at, commit_id: pull.sha, path: 'a.txt', line: 1 };
  const { data: one } = await wil.pulls.createReviewComment({ ...asked, body: 'One' });
  time += 1000;
  await wil.pulls.createReviewComment({ ...asked, body: 'Two' });
  const list = async (more: object = {}) =>
    (await wil.pulls.listReviewCommentsForRepo({ ...pull.repository.at, ...more })).data.map(
      ({ body }) => body,
    );
  expect(await list()).toEqual(['One', 'Two']);
  expect(await list({ direction: 'desc' })).toEqual(['Two', 'One']);
  expect(await list({ since: new Date(time).toISOString() })).toEqual(['Two']);
  const first = { ...pull.at, comment_id: one.id };
  const refused = fixture.person('ren').pulls.updateReviewComment({ ...first, body: 'Mine' });
  expect((await httpErrorOf(refused)).status).toBe(403);
  await wil.pulls.deleteReviewComment(first);
  expect((await httpErrorOf(wil.pulls.getReviewComment(first))).status).toBe(404);
  expect(await list()).toEqual(['Two']);
});

test('a pending review and its comments are only for its author', async () => {
  const pull = await openPull(fixture);
  const comments = [{ path: 'a.txt', line: 1, body: 'Not yet' }];
  await fixture.person('wil').pulls.createReview({ ...pull.at, comments });
  const seenBy = async (login: string) =>
    (await fixture.person(login).pulls.listReviewCommentsForRepo(pull.repository.at)).data.length;
  expect([await seenBy('wil'), await seenBy('ada')]).toEqual([1, 0]);
  expect((await readIn(pull)).reviews.nodes).toEqual([]);
});

test("an App's comments, and their editors, are in the same answer", async () => {
  const pull = await openPull(fixture);
  const { bot, at } = pull.repository;
  const { data } = await bot.issues.createComment({ ...at, issue_number: pull.number, body: 'Hello' });
  await fixture.person('wil').issues.updateComment({ ...at, comment_id: data.id, body: 'Bye' });
  expect((await readIn(pull)).comments.nodes).toEqual([
    { body: 'Bye', author: { login: 'helm' }, editor: { login: 'wil' } },
  ]);
});
