import { expect, test } from 'vitest';
import { Identity } from '../../src/doors/callers/identity.ts';
import { type Readable, RepositoryLists } from '../../src/doors/callers/visible-repositories.ts';
import { impatient } from '../../src/github/octokit/rate-limiter.ts';
import { baseUrl, client, expectOnlyStubbedRequests, github } from '../github/octokit/github.ts';

expectOnlyStubbedRequests();

const noApp = { message: 'You must authenticate with an access token authorized to a GitHub App' };

const ofApp = { digest: 'of-app', octokit: client({ pace: impatient() }) };

function repository(id: number, name: string, permissions: object = { pull: true }) {
  const [owner = '', repo = ''] = name.split('/');
  const clone_url = `https://github.com/${name}.git`;
  return {
    id,
    name: repo,
    owner: { login: owner },
    default_branch: 'main',
    clone_url,
    private: true,
    permissions,
  };
}

function installation(id: number, suspended_at: string | null = null) {
  return { id, suspended_at };
}

function stubInstallations(...installations: readonly object[]) {
  return github()
    .get('/user/installations?per_page=100')
    .reply(200, { total_count: installations.length, installations });
}

/** One page; `last` is the number of the last one. */
function stubRepositories(
  id: number,
  repositories: readonly object[],
  { page = 1, last = 1, headers = {} }: { page?: number; last?: number; headers?: object } = {},
) {
  const path = `/user/installations/${id}/repositories`;
  const link = last > page && { link: `<${baseUrl}${path}?per_page=100&page=${last}>; rel="last"` };
  return github()
    .get(`${path}?per_page=100&page=${page}`)
    .reply(200, { total_count: 0, repositories }, { ...link, ...headers });
}

function rolesOf(byId: ReadonlyMap<number, Readable>) {
  return [...byId].map(
    ([
      id,
      {
        repository: { owner, name },
        role,
      },
    ]) => `${id} ${owner}/${name} ${role}`,
  );
}

test('a person sees what the App is installed on and they may read, page by page, with their role', async () => {
  stubInstallations(installation(1), installation(2, '2026-01-01T00:00:00Z'), installation(3));
  stubRepositories(1, [repository(11, 'acme/One', { admin: true, pull: true })], { last: 3 });
  stubRepositories(1, [repository(12, 'acme/two', { push: true, pull: true })], { page: 2, last: 3 });
  stubRepositories(1, [repository(13, 'acme/three')], { page: 3, last: 3 });
  stubRepositories(3, [repository(31, 'ada/own', { maintain: true, pull: true })]);
  const lists = new RepositoryLists(() => Date.parse('2026-01-01T00:00:00Z'));
  const visible = await lists.of(ofApp);
  expect(rolesOf(visible.byId)).toMatchInlineSnapshot(`
    [
      "11 acme/One admin",
      "31 ada/own maintain",
      "12 acme/two write",
      "13 acme/three read",
    ]
  `);
  expect(visible).toMatchObject({ complete: true, as_of: '2026-01-01T00:00:00.000Z', blocked_by_sso: [] });
  expect(lists.named(ofApp, 'Acme', 'one')?.repository.id).toBe(11);
  expect(lists.named(ofApp, 'acme', 'four')).toBe(undefined);
});

test('a token that is not of an App sees what its person has to do with, and perhaps more', async () => {
  github().get('/user/installations?per_page=100').reply(403, noApp);
  github()
    .get('/user/repos?sort=pushed&per_page=100&page=1')
    .reply(200, [repository(1, 'acme/one')], {
      link: `<${baseUrl}/user/repos?page=30>; rel="last"`,
    });
  const further = Array.from({ length: 9 }, (_, nth) =>
    github()
      .get(`/user/repos?sort=pushed&per_page=100&page=${nth + 2}`)
      .reply(200, [repository(nth + 2, `acme/number-${nth + 2}`)]),
  );
  const visible = await new RepositoryLists().of({ ...ofApp, digest: 'pat' });
  expect(visible.byId.size).toBe(1 + further.length);
  expect(visible.complete).toBe(false);
});

test('one that may list nothing is asked about each repository', async () => {
  github().get('/user/installations?per_page=100').reply(404, { message: 'Not Found' });
  github().get('/user/repos?sort=pushed&per_page=100&page=1').reply(403, { message: 'Forbidden' });
  const visible = await new RepositoryLists().of(ofApp);
  expect(visible).toMatchObject({ complete: false, byId: new Map() });
});

test('an App that was uninstalled meanwhile takes nothing from what others show', async () => {
  stubInstallations(installation(1), installation(2));
  github().get('/user/installations/1/repositories?per_page=100&page=1').reply(404, { message: 'Not Found' });
  stubRepositories(2, [repository(21, 'acme/two')]);
  expect(rolesOf((await new RepositoryLists().of(ofApp)).byId)).toEqual(['21 acme/two read']);
});

test('where a single sign-on is missing, the link to it is said once', async () => {
  stubInstallations(installation(1), installation(2), installation(3));
  const partial = { headers: { 'x-github-sso': 'partial-results; organizations=7,8' } };
  stubRepositories(1, [repository(11, 'acme/one')], partial);
  stubRepositories(2, [], partial);
  github()
    .get('/user/installations/3/repositories?per_page=100&page=1')
    .reply(
      403,
      { message: 'SAML' },
      { 'x-github-sso': 'required; url=https://github.com/orgs/third/sso?a=b' },
    );
  github().get('/user/7').reply(200, { login: 'first', html_url: 'https://github.com/first' });
  github().get('/user/8').reply(404, { message: 'Not Found' });
  expect((await new RepositoryLists().of(ofApp)).blocked_by_sso).toEqual([
    'https://github.com/orgs/third/sso?a=b',
    'https://github.com/orgs/first/sso',
  ]);
});

test('nobody is asked more than a hundred pages, and what is beyond is told apart', async () => {
  stubInstallations(installation(1));
  stubRepositories(1, [], { last: 102 });
  for (let page = 2; page <= 100; page++) stubRepositories(1, [repository(page, `acme/n${page}`)], { page });
  const clock = { now: 1e12 };
  const lists = new RepositoryLists(() => clock.now);
  const visible = await lists.of(ofApp);
  expect(visible).toMatchObject({ complete: false });
  expect(visible.byId.size).toBe(99);
  // So much is not read every minute: GitHub counts the person's requests.
  clock.now += 299_000;
  expect(await lists.of(ofApp)).toBe(visible);
});

/** A person who sees one repository, and a clock that is turned by hand. */
async function seenAt(time: number) {
  const clock = { now: time };
  const lists = new RepositoryLists(() => clock.now);
  const stub = (id: number) => {
    stubInstallations(installation(1));
    stubRepositories(1, [repository(id, 'acme/one')]);
  };
  const ids = async () => [...(await lists.of(ofApp)).byId.keys()];
  stub(1);
  expect(await ids()).toEqual([1]);
  return { clock, lists, stub, ids };
}

test('GitHub is asked once however many ask, and again while nobody waits', async () => {
  const { clock, stub, ids } = await seenAt(1e12);
  clock.now += 44_000;
  expect(await Promise.all([ids(), ids()])).toEqual([[1], [1]]);
  clock.now += 2000;
  stub(2);
  expect(await Promise.all([ids(), ids()])).toEqual([[1], [1]]);
  await expect.poll(ids).toEqual([2]);
  clock.now += 60_000;
  stub(3);
  expect(await Promise.all([ids(), ids()])).toEqual([[3], [3]]);
});

test('while GitHub is down, its last answer counts for five minutes and says of when it is', async () => {
  const { clock, lists, stub, ids } = await seenAt(1e12);
  const down = () =>
    github().get('/user/installations?per_page=100').times(3).reply(503, { message: 'Down' });
  const { as_of } = await lists.of(ofApp);
  clock.now += 4 * 60_000;
  down();
  expect(await lists.of(ofApp)).toMatchObject({ as_of, byId: new Map([[1, expect.anything()]]) });
  // GitHub is not asked again at once.
  expect(await ids()).toEqual([1]);
  expect(lists.named(ofApp, 'acme', 'one')).toBe(undefined);
  clock.now += 60_000;
  down();
  await expect(ids()).rejects.toMatchObject({ status: 503 });
  await expect(ids()).rejects.toMatchObject({ status: 503 });
  clock.now += 6000;
  stub(2);
  expect(await ids()).toEqual([2]);
});

test('while GitHub is down, a repository that it listed in the last five minutes is read', async () => {
  const { clock, lists } = await seenAt(1e12);
  const identity = new Identity(baseUrl, lists);
  const ada = { ...ofApp, login: 'ada', id: 1 };
  const down = (name: string) => github().get(`/repos/${name}`).times(3).reply(503, { message: 'Down' });
  clock.now += 4 * 60_000;
  down('acme/one');
  expect(await identity.readable(ada, 'acme', 'one')).toMatchObject({ repository: { id: 1 } });
  down('acme/other');
  await expect(identity.readable(ada, 'acme', 'other')).rejects.toMatchObject({ status: 502 });
  clock.now += 60_000;
  down('acme/one');
  await expect(identity.readable(ada, 'acme', 'one')).rejects.toMatchObject({ status: 502 });
  github().get('/repos/acme/one').reply(404, { message: 'Not Found' });
  await expect(identity.readable(ada, 'acme', 'one')).rejects.toMatchObject({ status: 404 });
});

test('a token that was revoked sees nothing any more', async () => {
  const { clock, lists, ids } = await seenAt(1e12);
  clock.now += 46_000;
  github().get('/user/installations?per_page=100').reply(401, { message: 'Bad credentials' });
  expect(await ids()).toEqual([1]);
  await expect.poll(() => lists.named(ofApp, 'acme', 'one')).toBe(undefined);
  github().get('/user/installations?per_page=100').reply(401, { message: 'Bad credentials' });
  await expect(ids()).rejects.toMatchObject({ status: 401 });
});

test('a repository on the list is not asked about, but a former name, and whether it is still so, are', async () => {
  const identity = new Identity(baseUrl);
  github().get('/user').reply(200, { login: 'ada', id: 1, type: 'User' });
  const ada = await identity.callerOf('ghu_of_ada');
  expect(await identity.callerOf('ghu_of_ada', { login: 'ada', id: 1 })).toMatchObject({
    digest: ada.digest,
  });
  stubInstallations(installation(1));
  stubRepositories(1, [repository(11, 'acme/one', { push: true })]);
  await identity.lists.of(ada);
  const one = await identity.readable(ada, 'acme', 'One');
  expect(one).toMatchObject({ repository: { id: 11 }, role: 'write' });
  github()
    .get('/repos/acme/former')
    .reply(200, repository(11, 'acme/one', { push: true }));
  expect(await identity.readable(ada, 'acme', 'former')).toEqual(one);
  github().get('/repos/acme/one').reply(404, { message: 'Not Found' });
  expect(await identity.mayStillRead(ada, one)).toBe(false);
});
