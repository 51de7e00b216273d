import { expect, test } from 'vitest';
import { sealedText } from '../../../src/github/marks.ts';
import { readIssueComments } from '../../../src/github/read/issue-comments.ts';
import { newSealKey, parseSealKeys } from '../../../src/seal/seal-keys.ts';
import { openSeals } from '../../../src/seal/seals.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const repository = '/repos/acme/api';
const ada = { login: 'ada', id: 1, type: 'User' };
const bot = { login: 'helper[bot]', id: 2, type: 'Bot' };

function issue(changed: object) {
  const repository_url = `https://api.github.com${repository}`;
  return { number: 7, repository_url, user: ada, body_html: '<p>It</p>', comments: 0, ...changed };
}

function comment(body: string, changed: object = {}) {
  const created_at = '2026-11-21T12:00:00Z';
  return { node_id: `id-${body}`, user: ada, body, body_html: `<p>${body}</p>`, created_at, ...changed };
}

function page(number: number, comments: readonly object[]) {
  github().get(`${repository}/issues/7/comments?per_page=100&page=${number}`).reply(200, comments);
}

const seals = openSeals(parseSealKeys(newSealKey()));
const own = { login: 'coxswain[bot]', app: { id: 9 }, seals };
const read = () => readIssueComments(client(), { owner: 'acme', name: 'api', id: 4711, own }, 7);

test('of 10,000 comments only the last are read', async () => {
  github()
    .get(`${repository}/issues/7`)
    .reply(200, issue({ comments: 9_950 }));
  page(99, [comment('old')]);
  page(100, [comment('new')]);
  const found = await read();
  expect(found?.has_earlier).toBe(true);
  expect(found?.comments.map(({ body }) => body)).toEqual(['old', 'new']);
});

test('bots are left out, and whoever wrote through an App is known by it', async () => {
  github()
    .get(`${repository}/issues/7`)
    .reply(200, issue({ comments: 3 }));
  const app = { id: 5, slug: 'editor' };
  page(1, [
    comment('one', { user: bot }),
    comment('two', { performed_via_github_app: app }),
    comment('three'),
  ]);
  const found = await read();
  expect(found).toMatchObject({ author: { login: 'ada' }, html: '<p>It</p>', has_earlier: false });
  expect(found?.comments.map(({ body, via_app }) => [body, via_app])).toEqual([
    ['two', 'editor'],
    ['three', undefined],
  ]);
});

test('a comment through a door of ours has no App, and no seal in its text', async () => {
  github()
    .get(`${repository}/issues/7`)
    .reply(200, issue({ comments: 2 }));
  const ours = { performed_via_github_app: { id: 9, slug: 'coxswain' } };
  const there = { repository_id: 4711, number: 7, user_id: 1 };
  const sealed = sealedText('Said', there, { at: '2026-11-21T12:00:00Z', door: 'page' }, seals);
  page(1, [comment(sealed, ours), comment(`${sealed}, and more`, ours)]);
  expect((await read())?.comments).toMatchObject([
    { body: 'Said', via_app: undefined },
    { body: 'Said, and more', via_app: 'coxswain' },
  ]);
});

test('whoever deleted their account is nobody', async () => {
  github()
    .get(`${repository}/issues/7`)
    .reply(200, issue({ comments: 1, user: null }));
  page(1, [comment('one', { user: null })]);
  expect(await read()).toMatchObject({ author: { id: 0 }, comments: [{ author: { id: 0 } }] });
});

test.each([404, 410])('an issue that GitHub answers for with %d is gone', async (status) => {
  github().get(`${repository}/issues/7`).reply(status, { message: 'Not here' });
  expect(await read()).toBeUndefined();
});

test.each([
  ['in another repository', { repository_url: 'https://api.github.com/repos/acme/other' }],
  ['under another number', { number: 8 }],
])('an issue that is now %s is gone', async (_, changed) => {
  github().get(`${repository}/issues/7`).reply(200, issue(changed));
  expect(await read()).toBeUndefined();
});
