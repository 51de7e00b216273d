import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, type Place, refusal, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  expect(stage.recorder.problems).toEqual([]);
  await stage.end();
});

interface Opened {
  place: Place;
  clone: Clone;
  at: Place['at'] & { pull_number: number };
  sha: string;
  node_id: string;
}

/** A draft by the App with one commit on branch `topic`. */
async function opened(): Promise<Opened> {
  const place = await stage.place();
  const clone = await stage.clone(place);
  await clone.git('checkout', '--quiet', '-b', 'topic');
  const sha = await clone.commit('Add a', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  const { data } = await place.bot.pulls.create({
    ...place.at,
    head: 'topic',
    base: 'main',
    title: 'T',
    draft: true,
  });
  return { place, clone, at: { ...place.at, pull_number: data.number }, sha, node_id: data.node_id };
}

const ready = (id: string) => ({
  query: `mutation Ready($id: ID!) {
    markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft state } }
  }`,
  variables: { id },
});

test('a pull request tells its head, base, size and whether it merges', async () => {
  const { at, sha, place } = await opened();
  const { data } = await place.bot.pulls.get(at);
  expect(data).toMatchObject({ draft: true, mergeable: true, commits: 1, changed_files: 1, additions: 1 });
  expect(data.head).toMatchObject({ sha, ref: 'topic', label: 'ada:topic', repo: { full_name: place.name } });
  const { data: files } = await place.bot.pulls.listFiles(at);
  expect(files.map(({ filename, status, patch }) => [filename, status, patch])).toEqual([
    ['a.txt', 'added', '@@ -0,0 +1 @@\n+a'],
  ]);
  const diff = await place.bot.pulls.get({ ...at, mediaType: { format: 'diff' } });
  expect(String(diff.data)).toContain('+++ b/a.txt');
  expect((await place.bot.pulls.listCommits(at)).data.map((commit) => commit.sha)).toEqual([sha]);
});

test('a second pull request for a branch, or one without commits, is refused', async () => {
  const { place } = await opened();
  const again = await refusal(
    place.bot.pulls.create({ ...place.at, head: 'topic', base: 'main', title: 'T' }),
  );
  expect(again.message).toContain('A pull request already exists for ada:topic.');
  const sha = (await place.bot.git.getRef({ ...place.at, ref: 'heads/main' })).data.object.sha;
  await place.bot.git.createRef({ ...place.at, ref: 'refs/heads/same', sha });
  const empty = await refusal(
    place.bot.pulls.create({ ...place.at, head: 'same', base: 'main', title: 'T' }),
  );
  expect(empty.message).toContain('No commits between main and same');
});

test('a repository whose plan has no drafts refuses them', async () => {
  const { place, clone } = await opened();
  stage.forge.seed.settings(place.name, { drafts_supported: false });
  await clone.commit('More');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/other');
  const draft = { ...place.at, head: 'other', base: 'main', title: 'T', draft: true };
  const refused = await refusal(place.bot.pulls.create(draft));
  expect(refused).toMatchObject({
    status: 422,
    message: expect.stringContaining('Draft pull requests are not'),
  });
  await place.bot.pulls.create({ ...draft, draft: false });
});

test('a push to the head is told with what it was and what it is', async () => {
  const { at, clone, place, sha } = await opened();
  await stage.settled();
  stage.received.length = 0;
  const after = await clone.commit('More', { 'a.txt': 'aa\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  await stage.settled();
  const told = stage.received.find(({ action }) => action === 'synchronize');
  expect(told?.payload).toMatchObject({ before: sha, after, number: at.pull_number });
  expect((await place.bot.pulls.get(at)).data.head.sha).toBe(after);
  expect(await clone.git('ls-remote', 'origin', `refs/pull/${at.pull_number}/head`)).toContain(after);
});

test('a draft becomes ready and a draft again by GraphQL', async () => {
  const { at, place, node_id } = await opened();
  await stage.settled();
  stage.received.length = 0;
  const { query, variables } = ready(node_id);
  expect(await place.bot.graphql(query, variables)).toEqual({
    markPullRequestReadyForReview: { pullRequest: { isDraft: false, state: 'OPEN' } },
  });
  expect((await place.bot.pulls.get(at)).data.draft).toBe(false);
  const back =
    'mutation ($input: ConvertPullRequestToDraftInput!) { convertPullRequestToDraft(input: $input)' +
    ' { pullRequest { ...p } } } fragment p on PullRequest { isDraft }';
  await place.bot.graphql(back, { input: { pullRequestId: node_id } });
  await stage.settled();
  expect(stage.heard('pull_request')).toEqual(['ready_for_review', 'converted_to_draft']);
});

test('GraphQL answers errors to what it does not know and to who may not', async () => {
  const { node_id, place } = await opened();
  await expect(place.bot.graphql('{ viewer { shoeSize } }')).rejects.toThrow(/doesn't exist on type 'User'/);
  await expect(place.bot.graphql('{ viewer {')).rejects.toThrow(/Parse error/);
  const { query, variables } = ready(node_id);
  await expect(stage.person('ren').graphql(query, variables)).rejects.toThrow(/correct permissions/);
  await expect(place.bot.graphql(query, { id: 'nonsense' })).rejects.toThrow(/Could not resolve to a node/);
});

test('a pull request is read and set to merge by itself by GraphQL', async () => {
  const { node_id, place, at } = await opened();
  const auto =
    'mutation ($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: SQUASH})' +
    ' { clientMutationId } }';
  await place.bot.graphql(auto, { id: node_id });
  const read =
    'query ($o: String!, $r: String!, $n: Int!) { repository(owner: $o, name: $r)' +
    ' { pullRequest(number: $n) { id autoMergeRequest { mergeMethod } } } }';
  expect(await place.bot.graphql(read, { o: place.at.owner, r: place.at.repo, n: at.pull_number })).toEqual({
    repository: { pullRequest: { id: node_id, autoMergeRequest: { mergeMethod: 'SQUASH' } } },
  });
});

test('auto-merge is refused to who may not write, for another head, and where nothing is waited for', async () => {
  const { node_id, place, sha } = await opened();
  const auto =
    'mutation ($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input)' +
    ' { clientMutationId } }';
  const refused = async (login: string, expectedHeadOid: string) => {
    const input = { pullRequestId: node_id, expectedHeadOid };
    const asked = stage.person(login).graphql(auto, { input });
    return asked.catch((error: { data: unknown; errors: unknown[] }) => [error.data, ...error.errors]);
  };
  const at = { path: ['enablePullRequestAutoMerge'], locations: [{ line: 1, column: 55 }] };
  const nothing = { enablePullRequestAutoMerge: null };
  expect(await refused('ren', sha)).toEqual([
    nothing,
    {
      type: 'FORBIDDEN',
      ...at,
      message: 'ren does not have the correct permissions to execute `EnablePullRequestAutoMerge`',
    },
  ]);
  expect(await refused('wil', '1'.repeat(40))).toEqual([
    nothing,
    {
      type: 'UNPROCESSABLE',
      ...at,
      message: 'Head branch was modified. Review and try the merge again.',
    },
  ]);
  await place.bot.graphql(ready(node_id).query, ready(node_id).variables);
  expect(await refused('wil', sha)).toEqual([
    nothing,
    { type: 'UNPROCESSABLE', ...at, message: 'Pull request is in clean status' },
  ]);
});

test.each(['merge', 'squash', 'rebase'] as const)(
  '%s puts real commits on the base',
  async (merge_method) => {
    const { at, place, clone, node_id, sha } = await opened();
    await clone.git('checkout', '--quiet', 'main');
    await clone.commit('Meanwhile', { 'b.txt': 'b\n' });
    await clone.git('push', '--quiet', 'origin', 'main');
    expect((await refusal(place.bot.pulls.merge({ ...at, merge_method }))).status).toBe(405);
    const { query, variables } = ready(node_id);
    await place.bot.graphql(query, variables);
    const stale = place.bot.pulls.merge({ ...at, merge_method, sha: '1'.repeat(40) });
    expect((await refusal(stale)).status).toBe(409);
    const { data } = await place.bot.pulls.merge({ ...at, merge_method, sha });
    await clone.git('pull', '--quiet', 'origin', 'main');
    expect(await clone.git('rev-parse', 'HEAD')).toBe(data.sha);
    const parents = (await clone.git('rev-list', '--parents', '-1', 'HEAD')).split(' ').length - 1;
    expect(parents).toBe(merge_method === 'merge' ? 2 : 1);
    expect(await clone.git('show', 'HEAD:a.txt', 'HEAD:b.txt')).toBe('a\nb');
    expect((await place.bot.pulls.get(at)).data).toMatchObject({ merged: true, state: 'closed' });
  },
);

test('what is to merge by itself waits for the required check, as everyone must', async () => {
  const { at, place, node_id, sha } = await opened();
  stage.forge.seed.protect(place.name, 'main', { required_checks: ['Coxswain'] });
  stage.forge.seed.settings(place.name, { delete_branch_on_merge: true });
  await place.bot.graphql(ready(node_id).query, ready(node_id).variables);
  expect((await refusal(place.bot.pulls.merge(at))).message).toContain('"Coxswain" is expected');
  const auto =
    'mutation ($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }';
  await place.bot.graphql(auto, { id: node_id });
  expect((await place.bot.pulls.get(at)).data).toMatchObject({ merged: false, mergeable_state: 'blocked' });
  await place.bot.checks.create({ ...place.at, name: 'Coxswain', head_sha: sha, conclusion: 'success' });
  expect((await place.bot.pulls.get(at)).data.merged).toBe(true);
  expect((await refusal(place.bot.repos.getBranch({ ...place.at, branch: 'topic' }))).status).toBe(404);
});

test('a conflict is not mergeable', async () => {
  const { at, place, clone } = await opened();
  await clone.git('checkout', '--quiet', 'main');
  await clone.commit('Meanwhile', { 'a.txt': 'other\n' });
  await clone.git('push', '--quiet', 'origin', 'main');
  expect((await place.bot.pulls.get(at)).data).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
});

test('a merge closes the issue its body names', async () => {
  const { at, place, node_id } = await opened();
  const { data: issue } = await stage.person('ada').issues.create({ ...place.at, title: 'Leak' });
  await place.bot.pulls.update({ ...at, body: `Fixes #${issue.number}` });
  await place.bot.graphql(ready(node_id).query, ready(node_id).variables);
  await place.bot.pulls.merge(at);
  const { data } = await place.bot.issues.get({ ...place.at, issue_number: issue.number });
  expect(data.state).toBe('closed');
});

test('an edited body tells what it was, a closed pull request can be opened again', async () => {
  const { at, place } = await opened();
  await stage.settled();
  stage.received.length = 0;
  await place.bot.pulls.update({ ...at, body: 'new' });
  await place.bot.pulls.update({ ...at, state: 'closed' });
  await place.bot.pulls.update({ ...at, state: 'open' });
  await stage.settled();
  expect(stage.heard('pull_request')).toEqual(['edited', 'closed', 'reopened']);
  expect(stage.received[0]?.payload).toMatchObject({ changes: { body: { from: '' } } });
  const long = place.bot.pulls.update({ ...at, body: 'x'.repeat(65_537) });
  expect((await refusal(long)).status).toBe(422);
});

test('a review is submitted for a commit, carries its comments and is dismissed', async () => {
  const { at, place, sha } = await opened();
  await place.bot.pulls.requestReviewers({ ...at, reviewers: ['wil'] });
  await stage.settled();
  stage.received.length = 0;
  const wil = stage.person('wil');
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
  expect((await wil.pulls.listRequestedReviewers(at)).data.users).toEqual([]);
  await wil.pulls.dismissReview({ ...at, review_id: review.id, message: 'Settled' });
  await stage.settled();
  expect(stage.heard('pull_request_review')).toEqual(['submitted', 'dismissed']);
  expect(stage.received[0]?.payload).toMatchObject({
    review: { state: 'changes_requested', commit_id: sha },
  });
});

test('nobody approves their own pull request', async () => {
  const { at, place } = await opened();
  const own = await refusal(place.bot.pulls.createReview({ ...at, event: 'APPROVE' }));
  expect(own).toMatchObject({ status: 422, message: expect.stringContaining('approve your own') });
});

test('pull requests are listed by head, base and state', async () => {
  const { place, at } = await opened();
  const list = async (filter: object) =>
    (await place.bot.pulls.list({ ...place.at, ...filter })).data.map((one) => one.number);
  expect(await list({ head: 'ada:topic', state: 'all' })).toEqual([at.pull_number]);
  expect(await list({ head: 'ada:other' })).toEqual([]);
  expect(await list({ base: 'other' })).toEqual([]);
  expect(await list({ state: 'closed' })).toEqual([]);
});

test('commits are compared with their files, and a file is read at a ref', async () => {
  const { place, sha } = await opened();
  const { data } = await place.bot.repos.compareCommitsWithBasehead({
    ...place.at,
    basehead: `main...${sha}`,
  });
  expect(data).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ filename: 'a.txt' }] });
  const { data: file } = await place.bot.repos.getContent({ ...place.at, path: 'a.txt', ref: 'topic' });
  expect(file).toMatchObject({ type: 'file', content: 'YQo=\n' });
  const missing = place.bot.repos.getContent({ ...place.at, path: '.github/coxswain.yml' });
  expect((await refusal(missing)).status).toBe(404);
});

test('refs are made, moved and deleted through the API', async () => {
  const { place, sha, clone } = await opened();
  const main = await clone.git('rev-parse', 'origin/main');
  const ref = 'coxswain/open/9';
  await place.bot.git.createRef({ ...place.at, ref: `refs/${ref}`, sha: main });
  expect((await refusal(place.bot.git.createRef({ ...place.at, ref: `refs/${ref}`, sha }))).status).toBe(422);
  await place.bot.git.updateRef({ ...place.at, ref, sha });
  expect((await refusal(place.bot.git.updateRef({ ...place.at, ref, sha: main }))).message).toContain(
    'fast forward',
  );
  await place.bot.git.updateRef({ ...place.at, ref, sha: main, force: true });
  const { data } = await place.bot.git.listMatchingRefs({ ...place.at, ref: 'coxswain/open/' });
  expect(data.map((one) => [one.ref, one.object.sha])).toEqual([[`refs/${ref}`, main]]);
  await place.bot.git.deleteRef({ ...place.at, ref });
  expect((await refusal(place.bot.git.getRef({ ...place.at, ref }))).status).toBe(404);
});
