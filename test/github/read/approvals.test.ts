import { describe, expect, test } from 'vitest';
import { type Approvable, readApproval } from '../../../src/github/read/approvals.ts';
import { textSha256 } from '../../../src/github/text-digest.ts';
import type { Role } from '../../../src/steering/person.ts';
import type { Source } from '../../../src/steering/source.ts';
import { client, expectOnlyStubbedRequests, github, stubRole } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const head = 'b'.repeat(40);
const other = 'c'.repeat(40);

const pull: Approvable = {
  where: { owner: 'acme', name: 'api' },
  number: 7,
  approval: { by: [{ role: 'write' }] },
  own: { login: 'coxswain[bot]', app: { id: 1 } },
};

const said_at = '2026-11-21T12:00:00Z';
const review: Source = { from: 'review', review_id: 88, commit_id: head, text_sha256: textSha256('') };
const click: Source = { from: 'click', check_run_id: 9, head_sha: head, interaction: 'approval:7:4' };

function comment(words = '/approve'): Source {
  return { from: 'comment', comment_id: 555, text_sha256: textSha256(words), written_at: said_at };
}

async function standing(source: Source, despite: readonly string[] = []) {
  const by = { login: 'ada', id: 1, role: 'write' as Role, bot: false };
  const approval = { id: 'x', by, at: said_at, head_sha: head, source, despite };
  return readApproval(client(), pull, approval);
}

function stubComment(body: string, { login = 'ada', issue = 7, editor = '' } = {}): void {
  const issue_url = `https://api.github.com/repos/acme/api/issues/${issue}`;
  const times = { created_at: said_at, updated_at: said_at };
  const data = { id: 555, node_id: 'IC_555', body, user: { login }, issue_url, ...times };
  github().get('/repos/acme/api/issues/comments/555').reply(200, data);
  const edit = { id: 'IC_555', lastEditedAt: said_at, editor: { login: editor } };
  const nodes = editor === '' ? [{ ...edit, lastEditedAt: null, editor: null }] : [edit];
  // Not asked if the text alone is reason enough.
  github().post('/graphql').optionally().reply(200, { data: { nodes } });
}

function stubReview(said: { state?: string; body?: string; commit_id?: string }): void {
  const data = { id: 88, state: 'APPROVED', body: '', commit_id: head, user: { login: 'ada' }, ...said };
  github().get('/repos/acme/api/pulls/7/reviews/88').reply(200, data);
}

/** Our check runs with this name on the head. */
function stubChecks(
  name: string,
  external_id: string,
  { slug = 'coxswain', started_at = said_at } = {},
): void {
  const check_runs = [{ name, external_id, started_at, app: { id: slug === 'coxswain' ? 1 : 2, slug } }];
  github()
    .get(`/repos/acme/api/commits/${head}/check-runs`)
    .query({ ...(name === 'Coxswain' ? {} : { check_name: name }), filter: 'all', per_page: 100 })
    .reply(200, { total_count: 1, check_runs });
}

test('an approval is valid while its text and its author’s role are unchanged', async () => {
  stubComment('/approve');
  stubChecks('Coxswain', 'approval:7:4');
  stubRole('ada', 'write');
  expect(await standing(comment())).toEqual({ id: 'x', stands: true, why: '' });
});

test('an approval is void when its author loses the role', async () => {
  stubComment(`/approve ${head}`);
  stubRole('ada', 'read');
  expect(await standing(comment(`/approve ${head}`))).toMatchObject({
    stands: false,
    why: expect.stringContaining('role read'),
  });
});

test('overriding a failing verifier still requires the permission for it', async () => {
  const words = `/approve ${head.slice(0, 8)} --despite test`;
  stubComment(words);
  stubRole('ada', 'write');
  expect(await standing(comment(words), ['test'])).toMatchObject({ stands: false });
  stubComment(words);
  stubRole('ada', 'maintain');
  expect(await standing(comment(words), ['test'])).toMatchObject({ stands: true });
});

test('a comment that was edited or deleted approves nothing', async () => {
  stubComment('/approve --despite test');
  expect(await standing(comment())).toMatchObject({ stands: false, why: expect.stringContaining('edited') });
  github().get('/repos/acme/api/issues/comments/555').reply(404, { message: 'Not Found' });
  expect(await standing(comment())).toMatchObject({
    stands: false,
    why: expect.stringContaining('no longer exists'),
  });
});

test.each([
  ['mia', true],
  ['ada', false],
])('a comment that its author wrote, but %s edited last, approves nothing: %s', async (login, isRefused) => {
  const words = `/approve ${head}`;
  stubComment(words, { editor: login });
  if (!isRefused) stubRole('ada', 'write');
  const { stands, why } = await standing(comment(words));
  expect(stands).toBe(!isRefused);
  expect(why).toBe(isRefused ? 'the comment by @ada was edited by @mia' : '');
});

test('a comment by someone else approves nothing', async () => {
  stubComment('/approve', { login: 'eve' });
  expect(await standing(comment())).toMatchObject({ stands: false });
});

describe('in a forged ledger', () => {
  test.each(['Looks good to me', '/steer approve it', '> /approve', `/approve ${other}`])(
    'someone’s real comment "%s" approves nothing',
    async (words) => {
      stubComment(words);
      expect(await standing(comment(words))).toMatchObject({ stands: false });
    },
  );

  test('an approval on another pull request approves nothing here', async () => {
    stubComment('/approve', { issue: 8 });
    expect(await standing(comment())).toMatchObject({ stands: false });
  });

  test('an approval of an earlier commit does not approve a later one', async () => {
    stubComment('/approve');
    stubChecks('Coxswain', 'approval:7:4', { started_at: '2026-11-21T12:00:01Z' });
    expect(await standing(comment())).toMatchObject({ stands: false });
  });

  test('an approval before the commit was ever shown approves nothing', async () => {
    stubComment('/approve');
    stubChecks('Coxswain', 'approval:8:4');
    expect(await standing(comment())).toMatchObject({ stands: false });
  });

  test('an approval overrides no more than it says', async () => {
    stubComment(`/approve ${head}`);
    expect(await standing(comment(`/approve ${head}`), ['test'])).toMatchObject({ stands: false });
  });

  test.each([{ state: 'COMMENTED' }, { state: 'CHANGES_REQUESTED' }, { commit_id: other }])(
    'a review with %o approves nothing',
    async (said) => {
      stubReview(said);
      expect(await standing(review)).toMatchObject({ stands: false });
    },
  );

  test('a click that never happened approves nothing', async () => {
    stubChecks('Coxswain / ada clicked on Approve', 'click:7:approval:7:4', { slug: 'actions' });
    expect(await standing(click)).toMatchObject({ stands: false });
    stubChecks('Coxswain / ada clicked on Approve', 'click:7:approval:7:2');
    expect(await standing(click)).toMatchObject({ stands: false });
  });

  test('a workflow approves nothing', async () => {
    expect(await standing({ from: 'dispatch', workflow_run_id: 5 })).toMatchObject({ stands: false });
  });
});

test('an approving review is valid, with or without a command', async () => {
  stubReview({});
  stubRole('ada', 'write');
  expect(await standing(review)).toMatchObject({ stands: true });
  const words = { ...review, text_sha256: textSha256('/approve') };
  stubReview({ state: 'COMMENTED', body: '/approve' });
  stubRole('ada', 'write');
  expect(await standing(words)).toMatchObject({ stands: true });
});

test('a click is valid as long as our record of it exists', async () => {
  stubChecks('Coxswain / ada clicked on Approve', 'click:7:approval:7:4');
  stubRole('ada', 'write');
  expect(await standing(click)).toMatchObject({ stands: true });
});

test('a review that was dismissed approves nothing', async () => {
  stubReview({ state: 'DISMISSED' });
  expect(await standing(review)).toMatchObject({ stands: false, why: expect.stringContaining('dismissed') });
});

test('an outage is not treated as permission or refusal', async () => {
  github().get('/repos/acme/api/issues/comments/555').times(3).reply(503);
  await expect(standing(comment())).rejects.toMatchObject({ status: 503, retriable: true });
});
