import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectAsApp } from '../../../src/github/octokit/connect-as-app.ts';
import { GitHubFault, MissingPermission } from '../../../src/github/octokit/fault.ts';
import { createRateLimiter } from '../../../src/github/octokit/rate-limiter.ts';
import { fakeClock } from './fake-clock.ts';
import { baseUrl, client, expectOnlyStubbedRequests, github } from './github.ts';

expectOnlyStubbedRequests();

const repository = { owner: 'acme', repo: 'api' };
const pull = { ...repository, pull_number: 7 };

async function faultOf(asked: Promise<unknown>): Promise<GitHubFault> {
  const fault: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (fault instanceof GitHubFault) return fault;
  throw new Error(`expected a GitHubFault, got ${String(fault)}`);
}

test('a read that fails with a server error is tried three times in total', async () => {
  github().get('/repos/acme/api/pulls/7').times(2).reply(502, 'Bad Gateway');
  github().get('/repos/acme/api/pulls/7').reply(200, { number: 7 });
  const octokit = client();
  await octokit.rest.pulls.get(pull);
  expect(octokit.requests).toEqual({
    total: 3,
    writes: 0,
    by_route: { 'GET /repos/{owner}/{repo}/pulls/{pull_number}': 3 },
  });
});

test.each(['[{"number": 7', ''])('an answer that was cut off (%j) is no answer', async (half) => {
  const json = { 'content-type': 'application/json; charset=utf-8' };
  github().get('/repos/acme/api/pulls').times(3).reply(200, half, json);
  const fault = await faultOf(client().rest.pulls.list(repository));
  expect([fault.reason, fault.retriable]).toEqual(['the answer was not complete', true]);
});

test('the error of a server that stays down can be retried and names the request', async () => {
  github().get('/repos/acme/api/pulls/7').times(3).reply(500, { message: 'Server Error' });
  const fault = await faultOf(client().rest.pulls.get(pull));
  expect(fault).toMatchObject({ status: 500, retriable: true, doing: 'GET /repos/acme/api/pulls/7' });
  expect(fault.message).toBe('GET /repos/acme/api/pulls/7 failed: 500, Server Error');
});

test('a comment that failed with a server error is not posted twice', async () => {
  github().post('/repos/acme/api/issues/7/comments').reply(502);
  const writing = client().rest.issues.createComment({ ...repository, issue_number: 7, body: 'hi' });
  expect(await faultOf(writing)).toMatchObject({ status: 502, retriable: true });
});

test('a reaction is repeated, because it can exist only once', async () => {
  github().post('/repos/acme/api/issues/comments/5/reactions').reply(502);
  github().post('/repos/acme/api/issues/comments/5/reactions').reply(201, {});
  await client().rest.reactions.createForIssueComment({ ...repository, comment_id: 5, content: 'eyes' });
});

test('a request that GitHub refuses is not retried, and the details are kept', async () => {
  github()
    .post('/repos/acme/api/pulls')
    .reply(422, { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] });
  const fault = await faultOf(
    client().rest.pulls.create({ ...repository, title: 't', head: 'a', base: 'main' }),
  );
  expect(fault).toMatchObject({
    status: 422,
    retriable: false,
    reason: 'Validation Failed; A pull request already exists',
  });
});

test('after a secondary limit the write waits as long as GitHub asks, then it is sent', async () => {
  const clock = fakeClock();
  const limited = { message: 'You have exceeded a secondary rate limit' };
  github().post('/repos/acme/api/issues/7/comments').reply(403, limited, { 'retry-after': '30' });
  github().post('/repos/acme/api/issues/7/comments').reply(201, { id: 1 });
  const octokit = client({ clock });
  const writing = octokit.rest.issues.createComment({ ...repository, issue_number: 7, body: 'hi' });
  await waitUntil(() => clock.alarms() === 1);
  expect(octokit.requests.total).toBe(1);
  await clock.pass(30_000);
  expect((await writing).status).toBe(201);
});

test('an hourly limit that ends in half an hour is an error that can be retried later', async () => {
  const clock = fakeClock();
  const reset = String(clock.now() / 1000 + 1800);
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
  github().get('/repos/acme/api/pulls/7').reply(403, { message: 'API rate limit exceeded' }, headers);
  expect(await faultOf(client({ clock }).rest.pulls.get(pull))).toMatchObject({
    status: 403,
    retriable: true,
  });
});

test('a missing permission is named, with the place where to grant it', async () => {
  github()
    .post('/repos/acme/api/check-runs')
    .reply(
      403,
      { message: 'Resource not accessible by integration' },
      { 'x-accepted-github-permissions': 'checks=write' },
    );
  const fault = await faultOf(
    client().rest.checks.create({ ...repository, name: 'Coxswain', head_sha: 'a'.repeat(40) }),
  );
  expect(fault).toBeInstanceOf(MissingPermission);
  expect(fault.retriable).toBe(false);
  expect(fault.message).toContain('checks=write');
  expect(fault.message).toContain('Permissions & events');
});

test('a token that may never write check runs is named, not a permission', async () => {
  const message = 'You must authenticate via a GitHub App.';
  github().post('/repos/acme/api/check-runs').reply(403, { message });
  const fault = await faultOf(
    client().rest.checks.create({ ...repository, name: 'Coxswain', head_sha: 'a'.repeat(40) }),
  );
  expect(fault).toBeInstanceOf(MissingPermission);
  expect(fault.message).toBe(
    'POST /repos/acme/api/check-runs needs the token of an App or of a workflow: ' +
      'GitHub does not accept a personal token for it',
  );
});

test.each([
  ['checks=read', 'checks=write'],
  ['issues=read; pull_requests=read', 'issues=write; pull_requests=write'],
  ['statuses=read', 'statuses=read'],
])('where %s is missing, %s is asked for: nobody is to grant the same twice', async (missing, asked) => {
  github()
    .get('/repos/acme/api/pulls/7')
    .reply(
      403,
      { message: 'Resource not accessible by integration' },
      { 'x-accepted-github-permissions': missing },
    );
  expect(await faultOf(client().rest.pulls.get(pull))).toMatchObject({ permission: asked });
});

test('a request without an answer times out', async () => {
  github().get('/repos/acme/api/pulls/7').times(3).delayConnection(50).reply(200, {});
  const fault = await faultOf(client({ timeoutMs: 15 }).rest.pulls.get(pull));
  expect(fault).toMatchObject({ status: 0, retriable: true });
});

test('an aborted answer is not mistaken for an empty one', async () => {
  github().get('/repos/acme/api/pulls/7').times(3).delay({ head: 0, body: 50 }).reply(200, { number: 7 });
  const fault = await faultOf(client({ timeoutMs: 15 }).rest.pulls.get(pull));
  expect(fault).toMatchObject({ status: 0, retriable: true });
});

test('GraphQL is counted by operation, and only mutations are writes', async () => {
  github().post('/graphql').times(2).reply(200, { data: {} });
  const octokit = client();
  await octokit.graphql('query { viewer { login } }');
  await octokit.graphql(
    'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { a } }',
    {
      id: 'PR_1',
    },
  );
  expect(octokit.requests).toEqual({
    total: 2,
    writes: 1,
    by_route: { 'query viewer': 1, 'mutation markPullRequestReadyForReview': 1 },
  });
});

test('a GraphQL error is an error although its status is 200', async () => {
  github()
    .post('/graphql')
    .reply(200, {
      data: null,
      errors: [{ type: 'UNPROCESSABLE', message: 'Pull request is in clean status' }],
    });
  const fault = await faultOf(client().graphql('mutation { enablePullRequestAutoMerge(input: {}) { a } }'));
  expect(fault.message).toBe(
    'GraphQL mutation enablePullRequestAutoMerge failed: 200, Pull request is in clean status',
  );
});

describe('a GraphQL error without a known reason is an outage', () => {
  const message = 'Something went wrong while executing your query.';

  test('which the next try may not meet', async () => {
    github()
      .post('/graphql')
      .reply(200, { data: null, errors: [{ message }] });
    github()
      .post('/graphql')
      .reply(200, { data: { viewer: { login: 'ada' } } });
    expect(await client().graphql('query { viewer { login } }')).toEqual({ viewer: { login: 'ada' } });
  });

  test.each([
    ['when GitHub failed', { data: null, errors: [{ message }] }],
    ['when GitHub sent no data at all', { errors: [{ message }] }],
    [
      'of a type that we do not know',
      { data: null, errors: [{ type: 'SERVICE_UNAVAILABLE', message: 'x' }] },
    ],
  ])('%s', async (_, answer) => {
    github().post('/graphql').times(3).reply(200, answer);
    expect(await faultOf(client().graphql('query { viewer { login } }'))).toMatchObject({ retriable: true });
  });

  test('when too much was asked, which is not asked again at once', async () => {
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
    github().post('/graphql').reply(200, { data: null, errors });
    expect(await faultOf(client().graphql('query { viewer { login } }'))).toMatchObject({ retriable: true });
  });

  test.each([
    ['that names its reason', { data: null, errors: [{ type: 'NOT_FOUND', message: 'no such node' }] }],
    [
      'about a field that an old server lacks',
      { errors: [{ message: "Field 'x' doesn't exist on type 'Y'" }] },
    ],
  ])('but not one %s', async (_, answer) => {
    github().post('/graphql').reply(200, answer);
    expect(await faultOf(client().graphql('query { viewer { login } }'))).toMatchObject({ retriable: false });
  });
});

describe('an App', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const signsIn = (token: string) =>
    github()
      .post('/app/installations/42/access_tokens')
      .reply(201, { token, expires_at, permissions: {}, repository_selection: 'all' });
  const asks = (token: string) =>
    github().get('/repos/acme/api/pulls/7').matchHeader('authorization', `token ${token}`);
  const installed = (maxInFlight = 10) =>
    connectAsApp({
      auth: { appId: 1, privateKey, installationId: 42 },
      baseUrl,
      pace: createRateLimiter({ maxInFlight }),
      retryUnitMs: 0,
    });

  test('signs in to its installation once, even when no slot is free', async () => {
    signsIn('ghs_test');
    asks('ghs_test').times(2).reply(200, {});
    const octokit = installed(1);
    await octokit.rest.pulls.get(pull);
    await octokit.rest.pulls.get(pull);
    expect(octokit.requests.total).toBe(3);
  });

  /** A client whose token is older than the seconds for which GitHub may not know a new one yet. */
  async function signedIn() {
    signsIn('ghs_leaked');
    asks('ghs_leaked').reply(200, {});
    const octokit = installed();
    await octokit.rest.pulls.get(pull);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
    onTestFinished(() => void vi.useRealTimers());
    return octokit;
  }

  test('gets a new token when one is refused, once for all that were refused with it', async () => {
    const octokit = await signedIn();
    asks('ghs_leaked').times(3).reply(401, { message: 'Bad credentials' });
    signsIn('ghs_new');
    asks('ghs_new').times(3).reply(200, {});
    await Promise.all([1, 2, 3].map(() => octokit.rest.pulls.get(pull)));
  });

  test('gets a new token also after another request had to be repeated', async () => {
    const octokit = await signedIn();
    asks('ghs_leaked').reply(502);
    asks('ghs_leaked').reply(200, {});
    await octokit.rest.pulls.get(pull);
    asks('ghs_leaked').reply(401, { message: 'Bad credentials' });
    signsIn('ghs_new');
    asks('ghs_new').reply(200, {});
    await octokit.rest.pulls.get(pull);
  });

  test('gets a new token also when only the repetition of a request is refused', async () => {
    const octokit = await signedIn();
    asks('ghs_leaked').reply(502);
    asks('ghs_leaked').reply(401, { message: 'Bad credentials' });
    signsIn('ghs_new');
    asks('ghs_new').reply(200, {});
    await octokit.rest.pulls.get(pull);
  });

  test('is told what is wrong if there is no new one', async () => {
    const octokit = await signedIn();
    asks('ghs_leaked').reply(401, { message: 'Bad credentials' });
    const refusal = { message: 'This installation has been suspended' };
    github().post('/app/installations/42/access_tokens').reply(403, refusal);
    const fault = await faultOf(octokit.rest.pulls.get(pull));
    expect(fault).toMatchObject({ status: 401, retriable: false, reason: 'Bad credentials' });
  });

  test('asks again for a new token after it got none', async () => {
    const octokit = await signedIn();
    asks('ghs_leaked').times(2).reply(401, { message: 'Bad credentials' });
    github().post('/app/installations/42/access_tokens').times(3).reply(502);
    await faultOf(octokit.rest.pulls.get(pull));
    signsIn('ghs_new');
    asks('ghs_new').reply(200, {});
    await octokit.rest.pulls.get(pull);
  });
});

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !condition(); n += 1) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(condition()).toBe(true);
}
