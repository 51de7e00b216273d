import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture, type TestRepository } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T08:00:00Z');
const later = (seconds: number) => {
  time += seconds * 1000;
};

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

/** The raw response, whose status is always 200. */
async function ask(login: string, query: string, variables: object = {}): Promise<GraphQLResult> {
  const response = await fetch(`${fixture.forge.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `bearer ${fixture.token(login)}` },
    body: JSON.stringify({ query, variables }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as GraphQLResult;
}

// Each test knows the shape of its query's result.
// biome-ignore lint/suspicious/noExplicitAny: see above
type GraphQLResult = { data?: any; errors?: unknown[] };

interface Said {
  repository: TestRepository;
  id: number;
  node_id: string;
  issue_number: number;
}

async function comment(login = 'ren', body = 'Mine'): Promise<Said> {
  const repository = await fixture.repository();
  const { data: issue } = await fixture
    .person('ada')
    .issues.create({ ...repository.at, title: 'T', body: 'Old' });
  const at = { ...repository.at, issue_number: issue.number };
  const { data } = await fixture.person(login).issues.createComment({ ...at, body });
  return { repository, id: data.id, node_id: data.node_id, issue_number: issue.number };
}

const edit = ({ repository, id }: Said, login: string, body: string) =>
  fixture.person(login).issues.updateComment({ ...repository.at, comment_id: id, body });

const edits = `query($ids: [ID!]!) {
  nodes(ids: $ids) { ... on IssueComment { id lastEditedAt editor { login } } }
}`;

const history = `query($id: ID!) {
  node(id: $id) { ... on Comment { body userContentEdits(first: 10) {
    nodes { diff editedAt editor { login } }
  } } }
}`;

test('nodes return for each comment whether it was edited, when last and by whom', async () => {
  const untouched = await comment();
  const edited = await comment();
  later(60);
  await edit(edited, 'wil', 'Yours');
  const ids = [untouched.node_id, edited.node_id];
  expect(await ask('ada', edits, { ids })).toEqual({
    data: {
      nodes: [
        { id: untouched.node_id, lastEditedAt: null, editor: null },
        { id: edited.node_id, lastEditedAt: '2026-03-01T08:01:00Z', editor: { login: 'wil' } },
      ],
    },
  });
});

test('a missing node is null in its place, and the others are returned', async () => {
  const { node_id } = await comment();
  const { data, errors } = await ask('ada', edits, { ids: ['nonsense', node_id] });
  expect(data.nodes).toEqual([null, { id: node_id, lastEditedAt: null, editor: null }]);
  expect(errors).toEqual([
    {
      type: 'NOT_FOUND',
      path: ['nodes', 0],
      locations: [{ line: 2, column: 3 }],
      message: "Could not resolve to a node with the global id of 'nonsense'",
    },
  ]);
});

test('deleted nodes and those of private repositories are missing, too', async () => {
  const gone = await comment();
  await fixture.person('ren').issues.deleteComment({ ...gone.repository.at, comment_id: gone.id });
  const hidden = await fixture.repository({ private: true });
  const { data: repository } = await fixture.person('ada').repos.get(hidden.at);
  const ids = [gone.node_id, repository.node_id];
  const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  const { data, errors } = await ask('out', query, { ids });
  expect(data).toEqual({ nodes: [null, null] });
  expect(errors).toMatchObject([{ path: ['nodes', 0] }, { path: ['nodes', 1], type: 'NOT_FOUND' }]);
  expect(await ask('ren', query, { ids: [repository.node_id] })).toEqual({
    data: { nodes: [{ id: repository.node_id }] },
  });
});

test('the history includes the original text, and is newest first', async () => {
  const written = await comment('ren', 'One');
  later(10);
  await edit(written, 'wil', 'Two');
  later(10);
  await edit(written, 'ren', 'Three');
  const { data } = await ask('ada', history, { id: written.node_id });
  const { nodes } = data.node.userContentEdits;
  const versions = nodes.map((one: { diff: string; editor: { login: string } }) => [
    one.diff,
    one.editor.login,
  ]);
  expect(versions).toEqual([
    ['Three', 'ren'],
    ['Two', 'wil'],
    ['One', 'ren'],
  ]);
});

test('a text has no history if it was never changed or saved unchanged', async () => {
  const written = await comment('ren', 'One');
  await edit(written, 'ren', 'One');
  const { data } = await ask('ada', history, { id: written.node_id });
  expect(data.node.userContentEdits).toEqual({ nodes: [] });
});

test('issues, pull requests, reviews and comments on a diff have a history, too', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  await clone.commit('Work', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/topic');
  const { ada, wil } = { ada: fixture.person('ada'), wil: fixture.person('wil') };
  const { data: issue } = await ada.issues.create({ ...repository.at, title: 'T', body: 'Old' });
  await wil.issues.update({ ...repository.at, issue_number: issue.number, body: 'New', title: 'Other' });
  const asked = { ...repository.at, head: 'topic', base: 'main', title: 'T', body: 'Old' };
  const { data: pull } = await ada.pulls.create(asked);
  const at = { ...repository.at, pull_number: pull.number };
  await wil.pulls.update({ ...at, body: 'New' });
  const comments = [{ path: 'a.txt', position: 1, body: 'Old' }];
  const { data: review } = await ada.pulls.createReview({ ...at, event: 'COMMENT', body: 'Old', comments });
  await wil.pulls.updateReview({ ...at, review_id: review.id, body: 'New' });
  const { data: remarks } = await ada.pulls.listCommentsForReview({ ...at, review_id: review.id });
  const remark = await ask('ada', history, { id: remarks[0]?.node_id ?? '' });
  expect(remark.data.node).toEqual({ body: 'Old', userContentEdits: { nodes: [] } });
  for (const id of [issue.node_id, pull.node_id, review.node_id]) {
    const { data } = await ask('ada', history, { id });
    expect(data.node).toMatchObject({
      body: 'New',
      userContentEdits: {
        nodes: [
          { diff: 'New', editor: { login: 'wil' } },
          { diff: 'Old', editor: { login: 'ada' } },
        ],
      },
    });
  }
});

test('a list needs a page size, and has pages', async () => {
  const written = await comment('ren', '0');
  for (const body of ['1', '2', '3']) await edit(written, 'ren', body);
  const page = async (given: string) => {
    const fields = 'nodes { diff } pageInfo { endCursor hasNextPage hasPreviousPage }';
    const query = `query($id: ID!) {
      node(id: $id) { ... on IssueComment { userContentEdits${given} { ${fields} } } }
    }`;
    const { data, errors } = await ask('ada', query, { id: written.node_id });
    return { found: data.node.userContentEdits, errors };
  };
  const { found: first } = await page('(first: 2)');
  expect(first).toMatchObject({
    nodes: [{ diff: '3' }, { diff: '2' }],
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  });
  const { found: second } = await page(`(first: 2, after: "${first.pageInfo.endCursor}")`);
  expect(second).toMatchObject({ nodes: [{ diff: '1' }, { diff: '0' }], pageInfo: { hasNextPage: false } });
  expect((await page('(last: 1)')).found).toMatchObject({ nodes: [{ diff: '0' }] });
  expect(await page('')).toMatchObject({
    found: null,
    errors: [{ type: 'MISSING_PAGINATION_BOUNDARIES', path: ['node', 'userContentEdits'] }],
  });
  expect(await page('(first: 101)')).toMatchObject({
    errors: [
      {
        type: 'EXCESSIVE_PAGINATION',
        message:
          'Requesting 101 records on the `userContentEdits` connection exceeds the `first` limit of 100 records.',
      },
    ],
  });
});

test('an unknown field is rejected, and nothing is executed', async () => {
  const { node_id } = await comment();
  const query = `query Look($id: ID!) {
    viewer { login }
    node(id: $id) { id ... on IssueComment { body by: editor { databaseId } } }
  }`;
  const answer = await ask('ada', query, { id: node_id });
  expect(answer.errors).toMatchObject([{ message: expect.stringContaining('databaseId') }]);
  expect(answer.data).toBeUndefined();
});

test("a bot's login ends with [bot] as the viewer, and without it as an actor", async () => {
  const { repository, issue_number } = await comment();
  const at = { ...repository.at, issue_number };
  const { data } = await repository.bot.issues.createComment({ ...at, body: 'Hello' });
  const query = `query($id: ID!) { viewer { login } node(id: $id) { ... on IssueComment {
    author { __typename login ... on Bot { databaseId } }
  } } }`;
  expect(await repository.bot.graphql(query, { id: data.node_id })).toEqual({
    viewer: { login: 'helm[bot]' },
    node: {
      author: { __typename: 'Bot', login: 'helm', databaseId: data.user?.id },
    },
  });
});

test('what an App has no permission to read is forbidden, and the rest is returned', async () => {
  const repository = await fixture.repository({ private: true, permissions: { contents: 'read' } });
  const { data: issue } = await fixture.person('ada').issues.create({ ...repository.at, title: 'T' });
  const query = `query($o: String!, $r: String!, $n: Int!) {
    repository(owner: $o, name: $r) { nameWithOwner issue(number: $n) { title } }
  }`;
  const variables = { o: repository.at.owner, r: repository.at.repo, n: issue.number };
  await expect(repository.bot.graphql(query, variables)).rejects.toMatchObject({
    data: { repository: { nameWithOwner: repository.name, issue: null } },
    errors: [
      {
        type: 'FORBIDDEN',
        path: ['repository', 'issue'],
        message: 'Resource not accessible by integration',
      },
    ],
  });
});

test('a mutation that REST refuses is refused with its message, and people without the role by its name', async () => {
  const { repository, node_id, number } = await openPull(fixture, { by: 'ada' });
  const merge =
    'mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { pullRequest { state } } }';
  expect(await ask('ren', merge, { id: node_id })).toMatchObject({
    data: { mergePullRequest: null },
    errors: [
      {
        type: 'FORBIDDEN',
        message: 'ren does not have the correct permissions to execute `MergePullRequest`',
      },
    ],
  });
  expect(await ask('wil', merge, { id: node_id })).toEqual({
    data: { mergePullRequest: { pullRequest: { state: 'MERGED' } } },
  });
  const refused = { type: 'UNPROCESSABLE', message: 'Pull Request is not mergeable' };
  expect(await ask('wil', merge, { id: node_id })).toMatchObject({ errors: [refused] });
  await fixture.person('wil').issues.lock({ ...repository.at, issue_number: number });
  const comment = 'mutation($id: ID!) { addComment(input: {subjectId: $id, body: "No"}) { subject { id } } }';
  const locked = { type: 'FORBIDDEN', message: 'Unable to create comment because issue is locked.' };
  expect(await ask('ren', comment, { id: node_id })).toMatchObject({ errors: [locked] });
});

test('a pull request names the issues that its merge closes, and its repository', async () => {
  const { at, node_id, repository } = await openPull(fixture, { by: 'ada' });
  const { data: leak } = await fixture.person('ada').issues.create({ ...repository.at, title: 'Leak' });
  await fixture.person('ada').pulls.update({ ...at, body: `Fixes #${leak.number}, see #${at.pull_number}` });
  const query = `query($id: ID!) { node(id: $id) { ... on PullRequest {
    headRepository { nameWithOwner viewerDefaultMergeMethod }
    closingIssuesReferences(first: 9) { totalCount edges { node { number state } } } } } }`;
  expect((await ask('ren', query, { id: node_id })).data.node).toEqual({
    headRepository: { nameWithOwner: repository.name, viewerDefaultMergeMethod: 'MERGE' },
    closingIssuesReferences: { totalCount: 1, edges: [{ node: { number: leak.number, state: 'OPEN' } }] },
  });
});

test('a pull request says what its reviews come to, and which checks its base requires', async () => {
  const { repository, node_id, at, sha } = await openPull(fixture, { by: 'ada' });
  fixture.forge.seed.addRuleset(repository.name, {
    rules: [
      { type: 'pull_request', parameters: { required_approving_review_count: 1 } },
      {
        type: 'required_status_checks',
        parameters: { required_status_checks: [{ context: 'lint' }, { context: 'unit' }] },
      },
    ],
  });
  const status = { ...repository.at, sha, state: 'pending', context: 'lint' } as const;
  await fixture.person('ada').repos.createCommitStatus(status);
  const run = { ...repository.at, head_sha: sha, name: 'docs', conclusion: 'failure' } as const;
  await repository.bot.checks.create(run);
  const query = `query($id: ID!) { node(id: $id) { ... on PullRequest { reviewDecision mergeStateStatus
    statusCheckRollup { state contexts(first: 9) { nodes { __typename
      ... on CheckRun { conclusion isRequired(pullRequestId: $id) }
      ... on StatusContext { state isRequired(pullRequestId: $id) } } } } } } }`;
  const read = async () => (await ask('ren', query, { id: node_id })).data.node;
  expect(await read()).toEqual({
    reviewDecision: 'REVIEW_REQUIRED',
    mergeStateStatus: 'BLOCKED',
    statusCheckRollup: {
      state: 'FAILURE',
      contexts: {
        nodes: [
          { __typename: 'CheckRun', conclusion: 'FAILURE', isRequired: false },
          { __typename: 'StatusContext', state: 'PENDING', isRequired: true },
        ],
      },
    },
  });
  const review = (event: 'APPROVE' | 'REQUEST_CHANGES') =>
    fixture.person('wil').pulls.createReview({ ...at, event, body: 'So be it' });
  await review('REQUEST_CHANGES');
  expect(await read()).toMatchObject({ reviewDecision: 'CHANGES_REQUESTED' });
  await review('APPROVE');
  expect(await read()).toMatchObject({ reviewDecision: 'APPROVED' });
});
