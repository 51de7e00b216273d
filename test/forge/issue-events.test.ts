import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startForge } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

interface Opened {
  repository: TestRepository;
  clone: Clone;
  at: TestRepository['at'] & { pull_number: number };
  node_id: string;
}

/** A pull request by the App with one commit on branch `topic`. */
async function opened(options: { private?: boolean } = {}): Promise<Opened> {
  const repository = await fixture.repository(options);
  const clone = await fixture.clone(repository);
  await clone.git('checkout', '--quiet', '-b', 'topic');
  await clone.commit('Add a', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  const { data } = await repository.bot.pulls.create({
    ...repository.at,
    head: 'topic',
    base: 'main',
    title: 'T',
  });
  return { repository, clone, at: { ...repository.at, pull_number: data.number }, node_id: data.node_id };
}

async function eventsOf({ repository }: Pick<Opened, 'repository'>, issue_number: number) {
  const { bot, at } = repository;
  return bot.paginate(bot.issues.listEvents, { ...at, issue_number, per_page: 100 });
}

async function typesOf(pull: Opened): Promise<string[]> {
  return (await eventsOf(pull, pull.at.pull_number)).map(({ event }) => event);
}

test('the dismissal of a review is listed with its actor and the state of the review', async () => {
  const pull = await opened();
  const { data: review } = await fixture
    .person('wil')
    .pulls.createReview({ ...pull.at, event: 'REQUEST_CHANGES', body: 'No' });
  const ada = fixture.person('ada');
  await ada.pulls.dismissReview({ ...pull.at, review_id: review.id, message: 'Out of date' });
  const [event, ...others] = await eventsOf(pull, pull.at.pull_number);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    event: 'review_dismissed',
    actor: { login: 'ada' },
    commit_id: null,
    commit_url: null,
    performed_via_github_app: null,
    dismissed_review: {
      state: 'changes_requested',
      review_id: review.id,
      dismissal_message: 'Out of date',
    },
  });
  expect(Date.parse(event?.created_at ?? '')).not.toBeNaN();
});

test('events are listed in pages, oldest first', async () => {
  const { at, bot } = await fixture.repository();
  const { data: issue } = await bot.issues.create({ ...at, title: 'Leak' });
  const on = { ...at, issue_number: issue.number };
  await bot.issues.addLabels({ ...on, labels: ['one', 'two'] });
  await bot.issues.removeLabel({ ...on, name: 'one' });
  const first = await bot.issues.listEvents({ ...on, per_page: 2 });
  expect(first.data).toMatchObject([
    { event: 'labeled', label: { name: 'one', color: 'ededed' } },
    { event: 'labeled', label: { name: 'two', color: 'ededed' } },
  ]);
  expect(first.headers.link).toContain('rel="next"');
  const second = await bot.issues.listEvents({ ...on, per_page: 2, page: 2 });
  expect(second.data).toMatchObject([{ event: 'unlabeled', label: { name: 'one' } }]);
  expect(second.headers.link).not.toContain('rel="next"');
});

test("the actor of an App's event is its bot, and the event names the App", async () => {
  const { at, bot } = await fixture.repository();
  const { data: issue } = await bot.issues.create({ ...at, title: 'Leak' });
  await bot.issues.update({ ...at, issue_number: issue.number, title: 'Big leak' });
  const { data } = await bot.issues.listEvents({ ...at, issue_number: issue.number });
  expect(data).toMatchObject([
    {
      event: 'renamed',
      rename: { from: 'Leak', to: 'Big leak' },
      actor: { login: 'helm[bot]' },
      performed_via_github_app: { slug: 'helm' },
    },
  ]);
});

test('an issue that is closed and reopened lists both, with the reason', async () => {
  const repository = await fixture.repository();
  const ada = fixture.person('ada');
  const { data: issue } = await ada.issues.create({ ...repository.at, title: 'Leak' });
  const on = { ...repository.at, issue_number: issue.number };
  await ada.issues.update({ ...on, state: 'closed', state_reason: 'not_planned' });
  await ada.issues.update({ ...on, state: 'open' });
  expect(await eventsOf({ repository }, issue.number)).toMatchObject([
    { event: 'closed', state_reason: 'not_planned', actor: { login: 'ada' } },
    { event: 'reopened', state_reason: null },
  ]);
});

test('review requests, drafts and force pushes are listed', async () => {
  const pull = await opened();
  const { repository, clone, at, node_id } = pull;
  await repository.bot.pulls.requestReviewers({ ...at, reviewers: ['wil'] });
  await repository.bot.pulls.removeRequestedReviewers({ ...at, reviewers: ['wil'] });
  const mutation = (name: string) =>
    `mutation ($id: ID!) { ${name}(input: { pullRequestId: $id }) { clientMutationId } }`;
  await repository.bot.graphql(mutation('convertPullRequestToDraft'), { id: node_id });
  await repository.bot.graphql(mutation('markPullRequestReadyForReview'), { id: node_id });
  await clone.commit('More');
  await clone.git('push', '--quiet', 'origin', 'topic');
  await clone.git('reset', '--quiet', '--hard', 'origin/main');
  const sha = await clone.commit('Add b', { 'b.txt': 'b\n' });
  await clone.git('push', '--quiet', '--force', 'origin', 'topic');
  const reviewer = { requested_reviewer: { login: 'wil' }, review_requester: { login: 'helm[bot]' } };
  expect(await eventsOf(pull, at.pull_number)).toMatchObject([
    { event: 'review_requested', ...reviewer },
    { event: 'review_request_removed', ...reviewer },
    { event: 'convert_to_draft' },
    { event: 'ready_for_review' },
    { event: 'head_ref_force_pushed', commit_id: sha, commit_url: expect.stringContaining(sha) },
  ]);
});

test('a merge is listed with its commit, and then the deletion of the branch', async () => {
  const pull = await opened();
  const { data } = await pull.repository.bot.pulls.merge(pull.at);
  await pull.clone.git('push', '--quiet', 'origin', ':topic');
  expect(await typesOf(pull)).toEqual(['merged', 'closed', 'head_ref_deleted']);
  const [merged] = await eventsOf(pull, pull.at.pull_number);
  expect(merged).toMatchObject({ commit_id: data.sha, commit_url: expect.stringContaining(data.sha) });
});

test('deleting the branch of an open pull request closes it and is listed', async () => {
  const pull = await opened();
  await pull.clone.git('push', '--quiet', 'origin', ':topic');
  expect(await typesOf(pull)).toEqual(['closed', 'head_ref_deleted']);
});

test('a pull request that moves to another base lists it', async () => {
  const pull = await opened();
  await pull.clone.git('push', '--quiet', 'origin', 'origin/main:refs/heads/next');
  await pull.repository.bot.pulls.update({ ...pull.at, base: 'next' });
  expect(await typesOf(pull)).toEqual(['base_ref_changed']);
});

test('an App lists events with permission to read the issue or pull request, and not otherwise', async () => {
  const { repository, at } = await opened({ private: true });
  const ada = fixture.person('ada');
  const { data: issue } = await ada.issues.create({ ...repository.at, title: 'Leak' });
  const list = (client: Octokit, issue_number: number) =>
    client.issues.listEvents({ ...repository.at, issue_number });
  fixture.forge.seed.setInstallationPermissions(repository.installation, { pull_requests: 'read' });
  expect((await list(repository.bot, at.pull_number)).status).toBe(200);
  expect((await httpErrorOf(list(repository.bot, issue.number))).status).toBe(403);
  fixture.forge.seed.setInstallationPermissions(repository.installation, { contents: 'read' });
  expect((await httpErrorOf(list(repository.bot, at.pull_number))).status).toBe(403);
  expect((await httpErrorOf(list(fixture.person('out'), at.pull_number))).status).toBe(404);
  expect((await httpErrorOf(list(ada, 99))).status).toBe(404);
});

test('a folder that an older forge saved, without issue events, still opens', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'forge-state-'));
  try {
    const before = await startForge({ dir });
    const auth = before.seed.addUser('ada');
    await before.seed.addRepository({ owner: 'ada', name: 'widgets', files: { 'a.txt': 'a\n' } });
    const at = { owner: 'ada', repo: 'widgets', issue_number: 1 };
    await new Octokit({ auth, baseUrl: before.apiUrl }).issues.create({ ...at, title: 'Leak' });
    await before.stop();

    const file = join(dir, 'forge.json');
    const { issue_events: _, ...older } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(older));
    const after = await startForge({ dir });
    const ada = new Octokit({ auth, baseUrl: after.apiUrl });
    expect((await ada.issues.listEvents(at)).data).toEqual([]);
    await ada.issues.update({ ...at, state: 'closed' });
    expect((await ada.issues.listEvents(at)).data.map(({ event }) => event)).toEqual(['closed']);
    await after.stop();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

const deletions = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    timelineItems(last: 5, itemTypes: [COMMENT_DELETED_EVENT]) {
      nodes { ... on CommentDeletedEvent { actor { login } deletedCommentAuthor { login } } }
    }
  } }
}`;

test('a deleted comment leaves who deleted it and who wrote it, the former for those who may write', async () => {
  const pull = await opened();
  const { at } = pull.repository;
  const issue = { ...at, issue_number: pull.at.pull_number };
  const { data: comment } = await fixture.person('tri').issues.createComment({ ...issue, body: 'Wait.' });
  await fixture.person('wil').issues.deleteComment({ ...at, comment_id: comment.id });
  expect(await typesOf(pull)).toEqual(['comment_deleted']);
  const seenBy = async (client: typeof pull.repository.bot) => {
    const found = await client.graphql(deletions, { ...at, number: pull.at.pull_number });
    return JSON.stringify(found);
  };
  const author = '"deletedCommentAuthor":{"login":"tri"}';
  expect(await seenBy(pull.repository.bot)).toContain(`{"actor":{"login":"wil"},${author}}`);
  expect(await seenBy(fixture.person('ren'))).toContain(`{"actor":null,${author}}`);
});
