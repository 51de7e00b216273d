import { expect, test } from 'vitest';
import { commitAuthors } from '../../../src/github/read/commit-authors.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const ada = { login: 'ada', id: 1, type: 'User' };
const bob = { login: 'bob', id: 2, type: 'User' };

interface Wish {
  readonly author?: object | null;
  readonly committer?: object | null;
  readonly email?: string;
  readonly trailers?: readonly string[];
}

function commit({ author = null, committer = null, email = 'x@example.org', trailers = [] }: Wish = {}) {
  const message = ['Fix it', ...trailers.map((who) => `Co-authored-by: ${who}`)].join('\n\n');
  const sha = 'a'.repeat(40);
  return { sha, author, committer, commit: { message, author: { email }, committer: { email: 'y@z' } } };
}

async function authorsOf(...commits: readonly object[]) {
  github().get('/repos/acme/api/pulls/7/commits?per_page=100').reply(200, commits);
  return commitAuthors(client(), { owner: 'acme', name: 'api' }, 7);
}

test('authors and committers with an account are named once', async () => {
  const named = await authorsOf(commit({ author: ada, committer: bob }), commit({ author: bob }), commit());
  const people = [
    { login: 'ada', id: 1 },
    { login: 'bob', id: 2 },
  ];
  expect(named).toEqual({ people, complete: true });
});

test.each([
  ['Eve <9+eve@users.noreply.github.com>', { login: 'eve', id: 9 }],
  ['Eve <eve@users.noreply.github.com>', { login: 'eve', id: 0 }],
  ['Bob <BOB@example.org>', { login: 'bob', id: 2 }],
])('a co-author is named by an address that GitHub knows: %s', async (trailer, account) => {
  const named = await authorsOf(
    commit({ author: bob, email: 'bob@example.org' }),
    commit({ trailers: [trailer] }),
  );
  expect(named.people).toContainEqual(account);
});

test('a co-author with another address is nobody', async () => {
  const trailers = ['Somebody <who@example.org>', 'Nobody'];
  expect(await authorsOf(commit({ trailers }))).toEqual({ people: [], complete: true });
});

test('a deleted account, which GitHub shows as an empty object, is nobody', async () => {
  expect(await authorsOf(commit({ author: {} }))).toEqual({ people: [], complete: true });
});

test('where there may be more commits than GitHub lists, there may be more people', async () => {
  const commits = Array.from({ length: 250 }, () => commit({ author: ada }));
  expect(await authorsOf(...commits)).toMatchObject({ complete: false });
});
