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
  sha: string;
  node_id: string;
}

/** A draft by the App with one commit on branch `topic`. */
async function opened(): Promise<Opened> {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  await clone.git('checkout', '--quiet', '-b', 'topic');
  const sha = await clone.commit('Add a', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  const { data } = await repository.bot.pulls.create({
    ...repository.at,
    head: 'topic',
    base: 'main',
    title: 'T',
    draft: true,
  });
  return {
    repository,
    clone,
    at: { ...repository.at, pull_number: data.number },
    sha,
    node_id: data.node_id,
  };
}

const ready = (id: string) => ({
  query: `mutation Ready($id: ID!) {
    markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
  }`,
  variables: { id },
});

test('a pull request has its head, base, size and mergeability', async () => {
  const { at, sha, repository } = await opened();
  const { data } = await repository.bot.pulls.get(at);
  expect(data).toMatchObject({ draft: true, mergeable: true, commits: 1, changed_files: 1, additions: 1 });
  expect(data.head).toMatchObject({
    sha,
    ref: 'topic',
    label: 'ada:topic',
    repo: { full_name: repository.name },
  });
  const { data: files } = await repository.bot.pulls.listFiles(at);
  expect(files.map(({ filename, status, patch }) => [filename, status, patch])).toEqual([
    ['a.txt', 'added', '@@ -0,0 +1 @@\n+a'],
  ]);
  expect((await repository.bot.pulls.listCommits(at)).data.map((commit) => commit.sha)).toEqual([sha]);
});

test('a second pull request for a branch, or one without commits, is rejected', async () => {
  const { repository } = await opened();
  const again = await httpErrorOf(
    repository.bot.pulls.create({ ...repository.at, head: 'topic', base: 'main', title: 'T' }),
  );
  expect(again.message).toContain('A pull request already exists for ada:topic.');
  const sha = (await repository.bot.git.getRef({ ...repository.at, ref: 'heads/main' })).data.object.sha;
  await repository.bot.git.createRef({ ...repository.at, ref: 'refs/heads/same', sha });
  const empty = await httpErrorOf(
    repository.bot.pulls.create({ ...repository.at, head: 'same', base: 'main', title: 'T' }),
  );
  expect(empty.message).toContain('No commits between main and same');
});

test('a repository whose plan has no drafts rejects them', async () => {
  const { repository, clone } = await opened();
  fixture.forge.seed.settings(repository.name, { drafts_supported: false });
  await clone.commit('More');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/other');
  const draft = { ...repository.at, head: 'other', base: 'main', title: 'T', draft: true };
  const rejected = await httpErrorOf(repository.bot.pulls.create(draft));
  expect(rejected).toMatchObject({
    status: 422,
    message: expect.stringContaining('Draft pull requests are not'),
  });
  await repository.bot.pulls.create({ ...draft, draft: false });
});

test('a push to the head is delivered with its old and new commit', async () => {
  const { at, clone, repository, sha } = await opened();
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  const after = await clone.commit('More', { 'a.txt': 'aa\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  await fixture.deliveriesDone();
  const synchronized = fixture.received.find(({ action }) => action === 'synchronize');
  expect(synchronized?.payload).toMatchObject({ before: sha, after, number: at.pull_number });
  expect((await repository.bot.pulls.get(at)).data.head.sha).toBe(after);
  expect(await clone.git('ls-remote', 'origin', `refs/pull/${at.pull_number}/head`)).toContain(after);
});

test('GraphQL marks a draft as ready and converts it back', async () => {
  const { at, repository, node_id } = await opened();
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  const { query, variables } = ready(node_id);
  expect(await repository.bot.graphql(query, variables)).toEqual({
    markPullRequestReadyForReview: { pullRequest: { isDraft: false } },
  });
  expect((await repository.bot.pulls.get(at)).data.draft).toBe(false);
  const back =
    'mutation ($input: ConvertPullRequestToDraftInput!) { convertPullRequestToDraft(input: $input)' +
    ' { pullRequest { ...p } } } fragment p on PullRequest { isDraft }';
  await repository.bot.graphql(back, { input: { pullRequestId: node_id } });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('pull_request')).toEqual(['ready_for_review', 'converted_to_draft']);
});

test('GraphQL returns errors for unknown fields and missing permissions', async () => {
  const { node_id, repository } = await opened();
  await expect(repository.bot.graphql('{ viewer { shoeSize } }')).rejects.toThrow(
    /Cannot query field "shoeSize" on type "User"/,
  );
  await expect(repository.bot.graphql('{ viewer {')).rejects.toThrow(/Syntax Error/);
  const { query, variables } = ready(node_id);
  await expect(fixture.person('ren').graphql(query, variables)).rejects.toThrow(/correct permissions/);
  await expect(repository.bot.graphql(query, { id: 'nonsense' })).rejects.toThrow(
    /Could not resolve to a node/,
  );
});

test('GraphQL finds a pull request by its number', async () => {
  const { node_id, repository, at } = await opened();
  const read =
    'query ($o: String!, $r: String!, $n: Int!) { repository(owner: $o, name: $r)' +
    ' { pullRequest(number: $n) { id } } }';
  expect(
    await repository.bot.graphql(read, { o: repository.at.owner, r: repository.at.repo, n: at.pull_number }),
  ).toEqual({ repository: { pullRequest: { id: node_id } } });
});

test('auto-merge is rejected without write access, for another head, and if it could merge now', async () => {
  const { node_id, repository, sha } = await opened();
  await repository.bot.graphql(ready(node_id).query, ready(node_id).variables);
  const auto =
    'mutation ($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input)' +
    ' { clientMutationId } }';
  const rejected = async (login: string, expectedHeadOid: string) => {
    const input = { pullRequestId: node_id, expectedHeadOid };
    const request = fixture.person(login).graphql(auto, { input });
    return request.catch((error: { data: unknown; errors: unknown[] }) => [error.data, ...error.errors]);
  };
  const at = { path: ['enablePullRequestAutoMerge'], locations: [{ line: 1, column: 55 }] };
  const nothing = { enablePullRequestAutoMerge: null };
  expect(await rejected('ren', sha)).toEqual([
    nothing,
    {
      type: 'FORBIDDEN',
      ...at,
      message: 'ren does not have the correct permissions to execute `EnablePullRequestAutoMerge`',
    },
  ]);
  expect(await rejected('wil', '1'.repeat(40))).toEqual([
    nothing,
    {
      type: 'UNPROCESSABLE',
      ...at,
      message: 'Head branch was modified. Review and try the merge again.',
    },
  ]);
  expect(await rejected('wil', sha)).toEqual([
    nothing,
    { type: 'UNPROCESSABLE', ...at, message: 'Pull request Pull request is in clean status' },
  ]);
});

test.each(['merge', 'squash', 'rebase'] as const)(
  '%s puts real commits on the base',
  async (merge_method) => {
    const { at, repository, clone, node_id, sha } = await opened();
    await clone.git('checkout', '--quiet', 'main');
    await clone.commit('Meanwhile', { 'b.txt': 'b\n' });
    await clone.git('push', '--quiet', 'origin', 'main');
    expect((await httpErrorOf(repository.bot.pulls.merge({ ...at, merge_method }))).status).toBe(405);
    const { query, variables } = ready(node_id);
    await repository.bot.graphql(query, variables);
    const stale = repository.bot.pulls.merge({ ...at, merge_method, sha: '1'.repeat(40) });
    expect((await httpErrorOf(stale)).status).toBe(409);
    const { data } = await repository.bot.pulls.merge({ ...at, merge_method, sha });
    await clone.git('pull', '--quiet', 'origin', 'main');
    expect(await clone.git('rev-parse', 'HEAD')).toBe(data.sha);
    const parents = (await clone.git('rev-list', '--parents', '-1', 'HEAD')).split(' ').length - 1;
    expect(parents).toBe(merge_method === 'merge' ? 2 : 1);
    const subjects = { merge: 'Merge pull request #1 from ada/topic', squash: 'Add a (#1)', rebase: 'Add a' };
    expect(await clone.git('log', '-1', '--format=%s')).toBe(subjects[merge_method]);
    expect(await clone.git('show', 'HEAD:a.txt', 'HEAD:b.txt')).toBe('a\nb');
    expect((await repository.bot.pulls.get(at)).data).toMatchObject({ merged: true, state: 'closed' });
  },
);

test('auto-merge waits for the required check, as any merge must', async () => {
  const { at, repository, node_id, sha } = await opened();
  fixture.forge.seed.protect(repository.name, 'main', { required_checks: ['Coxswain'] });
  await repository.bot.graphql(ready(node_id).query, ready(node_id).variables);
  expect((await httpErrorOf(repository.bot.pulls.merge(at))).message).toContain('"Coxswain" is expected');
  const auto =
    'mutation ($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }';
  await repository.bot.graphql(auto, { id: node_id });
  expect((await repository.bot.pulls.get(at)).data).toMatchObject({
    merged: false,
    mergeable_state: 'blocked',
  });
  await repository.bot.checks.create({
    ...repository.at,
    name: 'Coxswain',
    head_sha: sha,
    conclusion: 'success',
  });
  expect((await repository.bot.pulls.get(at)).data.merged).toBe(true);
});

test('a conflict is not mergeable', async () => {
  const { at, repository, clone } = await opened();
  await clone.git('checkout', '--quiet', 'main');
  await clone.commit('Meanwhile', { 'a.txt': 'other\n' });
  await clone.git('push', '--quiet', 'origin', 'main');
  expect((await repository.bot.pulls.get(at)).data).toMatchObject({
    mergeable: false,
    mergeable_state: 'dirty',
  });
});

test('a merge closes the issue that its body names', async () => {
  const { at, repository, node_id } = await opened();
  const { data: issue } = await fixture.person('ada').issues.create({ ...repository.at, title: 'Leak' });
  await repository.bot.pulls.update({ ...at, body: `Fixes #${issue.number}` });
  await repository.bot.graphql(ready(node_id).query, ready(node_id).variables);
  await repository.bot.pulls.merge(at);
  const { data } = await repository.bot.issues.get({ ...repository.at, issue_number: issue.number });
  expect(data.state).toBe('closed');
});

test('an edit is delivered with the old body, and a closed pull request can be reopened', async () => {
  const { at, repository } = await opened();
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  await repository.bot.pulls.update({ ...at, body: 'new' });
  await repository.bot.pulls.update({ ...at, state: 'closed' });
  await repository.bot.pulls.update({ ...at, state: 'open' });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('pull_request')).toEqual(['edited', 'closed', 'reopened']);
  expect(fixture.received[0]?.payload).toMatchObject({ changes: { body: { from: '' } } });
  const long = repository.bot.pulls.update({ ...at, body: 'x'.repeat(65_537) });
  expect((await httpErrorOf(long)).status).toBe(422);
});

test('a review is submitted for a commit, carries its comments and is dismissed', async () => {
  const { at, repository, sha } = await opened();
  await repository.bot.pulls.requestReviewers({ ...at, reviewers: ['wil'] });
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  const wil = fixture.person('wil');
  const { data: review } = await wil.pulls.createReview({
    ...at,
    commit_id: sha,
    event: 'REQUEST_CHANGES',
    body: 'Not so',
    comments: [{ path: 'a.txt', line: 1, body: 'Here' }],
  });
  expect(review).toMatchObject({ state: 'CHANGES_REQUESTED', commit_id: sha });
  const { data: comments } = await wil.pulls.listCommentsForReview({ ...at, review_id: review.id });
  expect(comments.map(({ path, body }) => [path, body])).toEqual([['a.txt', 'Here']]);
  expect((await wil.pulls.get(at)).data.requested_reviewers).toEqual([]);
  await wil.pulls.dismissReview({ ...at, review_id: review.id, message: 'Settled' });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('pull_request_review')).toEqual(['submitted', 'dismissed']);
  expect(fixture.received[0]?.payload).toMatchObject({
    review: { state: 'changes_requested', commit_id: sha },
  });
});

test('a pending review is only for its author', async () => {
  const { at } = await opened();
  await fixture.person('wil').pulls.createReview({ ...at, body: 'Not yet' });
  const seenBy = async (login: string) => (await fixture.person(login).pulls.listReviews(at)).data.length;
  expect([await seenBy('wil'), await seenBy('ada')]).toEqual([1, 0]);
});

test('the edit of a review is delivered with the old text', async () => {
  const { at } = await opened();
  const review = { event: 'REQUEST_CHANGES', body: 'No' } as const;
  const { data } = await fixture.person('wil').pulls.createReview({ ...at, ...review });
  await fixture.forgetDeliveries();
  await fixture.person('ada').pulls.updateReview({ ...at, review_id: data.id, body: '/approve' });
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ payload }) => payload)).toMatchObject([
    {
      action: 'edited',
      changes: { body: { from: 'No' } },
      review: { body: '/approve', user: { login: 'wil' }, state: 'changes_requested' },
      sender: { login: 'ada' },
    },
  ]);
});

test('a person cannot approve their own pull request', async () => {
  const { at, repository } = await opened();
  const own = await httpErrorOf(repository.bot.pulls.createReview({ ...at, event: 'APPROVE' }));
  expect(own).toMatchObject({ status: 422, message: expect.stringContaining('approve your own') });
});

test('pull requests are listed by head, base and state', async () => {
  const { repository, at } = await opened();
  const list = async (filter: object) =>
    (await repository.bot.pulls.list({ ...repository.at, ...filter })).data.map((one) => one.number);
  expect(await list({ head: 'ada:topic', state: 'all' })).toEqual([at.pull_number]);
  expect(await list({ head: 'ada:other' })).toEqual([]);
  expect(await list({ base: 'other' })).toEqual([]);
  expect(await list({ state: 'closed' })).toEqual([]);
});

test('commits are compared with their files, and a file is read at a ref', async () => {
  const { repository, sha } = await opened();
  const { data } = await repository.bot.repos.compareCommitsWithBasehead({
    ...repository.at,
    basehead: `main...${sha}`,
  });
  expect(data).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ filename: 'a.txt' }] });
  const { data: file } = await repository.bot.repos.getContent({
    ...repository.at,
    path: 'a.txt',
    ref: 'topic',
  });
  expect(file).toMatchObject({ type: 'file', content: 'YQo=\n' });
  const missing = repository.bot.repos.getContent({ ...repository.at, path: '.github/coxswain.yml' });
  expect((await httpErrorOf(missing)).status).toBe(404);
});

test('the changes of a pull request are also text: a diff, or mails with its commits', async () => {
  const { at, clone } = await opened();
  const text = async (format: string) =>
    String((await fixture.person('ren').pulls.get({ ...at, mediaType: { format } })).data);
  expect((await text('diff')).trimEnd()).toBe(await clone.git('diff', 'main', 'topic'));
  expect(await text('patch')).toContain('Subject: [PATCH] Add a\n');
});

test('refs are created, updated and deleted through the API', async () => {
  const { repository, sha, clone } = await opened();
  const main = await clone.git('rev-parse', 'origin/main');
  const ref = 'coxswain/open/9';
  await repository.bot.git.createRef({ ...repository.at, ref: `refs/${ref}`, sha: main });
  expect(
    (await httpErrorOf(repository.bot.git.createRef({ ...repository.at, ref: `refs/${ref}`, sha }))).status,
  ).toBe(422);
  await repository.bot.git.updateRef({ ...repository.at, ref, sha });
  expect(
    (await httpErrorOf(repository.bot.git.updateRef({ ...repository.at, ref, sha: main }))).message,
  ).toContain('fast forward');
  await repository.bot.git.updateRef({ ...repository.at, ref, sha: main, force: true });
  const { data } = await repository.bot.git.listMatchingRefs({ ...repository.at, ref: 'coxswain/open/' });
  expect(data.map((one) => [one.ref, one.object.sha])).toEqual([[`refs/${ref}`, main]]);
  await repository.bot.git.deleteRef({ ...repository.at, ref });
  expect((await httpErrorOf(repository.bot.git.getRef({ ...repository.at, ref }))).status).toBe(404);
});
