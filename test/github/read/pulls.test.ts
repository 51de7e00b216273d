import { describe, expect, test } from 'vitest';
import { GitHubFault, MissingPermission } from '../../../src/github/octokit/fault.ts';
import { findPullByHead, readPull } from '../../../src/github/read/pulls.ts';
import { enableAutoMerge, mergePull } from '../../../src/github/write/merge-pull.ts';
import { openDraftPull } from '../../../src/github/write/open-pull.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const where = { owner: 'acme', name: 'api' };
const sha = 'b'.repeat(40);
const list = '/repos/acme/api/pulls?head=acme%3Acoxswain%2Ffix-1&state=all&per_page=100';
const own = { login: 'coxswain[bot]' };
const wish = { where, branch: 'coxswain/fix-1', base: 'main', title: 'Fix', body: 'Body', own };

function pull(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    number: 7,
    node_id: 'PR_7',
    html_url: 'https://github.com/acme/api/pull/7',
    title: 'Fix',
    body: null,
    user: { login: 'ada' },
    draft: true,
    state: 'open',
    merged_at: null,
    head: { ref: 'coxswain/fix-1', sha, repo: { id: 1 } },
    base: { ref: 'main', sha: 'a'.repeat(40), repo: { id: 1 } },
    labels: [{ name: 'coxswain' }],
    updated_at: '2026-11-21T12:00:00Z',
    closed_at: null,
    ...changes,
  };
}

function validationFailed(message: string) {
  return { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message }] };
}

test('a pull request from another repository, or from a deleted one, is recognized', async () => {
  github().get('/repos/acme/api/pulls/7').reply(200, pull());
  expect(await readPull(client(), where, 7)).toMatchObject({ from_fork: false, open: true, body: '' });
  for (const repo of [{ id: 2 }, null]) {
    github()
      .get('/repos/acme/api/pulls/7')
      .reply(200, pull({ head: { ref: 'x', sha, repo } }));
    expect(await readPull(client(), where, 7)).toMatchObject({ from_fork: true });
  }
});

test('of several pull requests for a branch the open one counts, else the newest', async () => {
  const closed = { state: 'closed' };
  github()
    .get(list)
    .reply(200, [pull({ number: 9, ...closed }), pull({ number: 8 }), pull({ number: 4, ...closed })]);
  expect((await findPullByHead(client(), where, 'coxswain/fix-1'))?.number).toBe(8);
  github()
    .get(list)
    .reply(200, [pull({ number: 4, ...closed }), pull({ number: 9, ...closed })]);
  expect((await findPullByHead(client(), where, 'coxswain/fix-1'))?.number).toBe(9);
  github().get(list).reply(200, []);
  expect(await findPullByHead(client(), where, 'coxswain/fix-1')).toBeUndefined();
});

describe('opening a draft', () => {
  test('opens a draft', async () => {
    github()
      .post('/repos/acme/api/pulls', {
        head: 'coxswain/fix-1',
        base: 'main',
        title: 'Fix',
        body: 'Body',
        draft: true,
      })
      .reply(201, pull());
    expect(await openDraftPull(client(), wish)).toMatchObject({
      created: true,
      pull: { number: 7 },
    });
  });

  test('opens an ordinary pull request if there are no drafts', async () => {
    const message = 'Draft pull requests are not supported in this repository.';
    github()
      .post('/repos/acme/api/pulls', (body) => body.draft === true)
      .reply(422, { message });
    github()
      .post('/repos/acme/api/pulls', (body) => body.draft === false)
      .reply(201, pull({ draft: false }));
    expect(await openDraftPull(client(), wish)).toMatchObject({ created: true });
  });

  test('finds what an earlier try opened', async () => {
    const refusal = validationFailed('A pull request already exists for acme:coxswain/fix-1.');
    github().post('/repos/acme/api/pulls').reply(422, refusal);
    github()
      .get(list)
      .reply(200, [pull({ user: { login: 'coxswain[bot]' } })]);
    expect(await openDraftPull(client(), wish)).toMatchObject({ created: false, pull: { number: 7 } });
  });

  test('looks again for what GitHub does not list yet', async () => {
    const refusal = validationFailed('A pull request already exists for acme:coxswain/fix-1.');
    github().post('/repos/acme/api/pulls').reply(422, refusal);
    github()
      .get(list)
      .reply(200, [pull({ state: 'closed', number: 4 })]);
    github()
      .get(list)
      .reply(200, [pull({ user: { login: 'coxswain[bot]' } })]);
    expect(await openDraftPull(client(), wish)).toMatchObject({ created: false, pull: { number: 7 } });
  });

  test('can be tried later if GitHub goes on not listing it', async () => {
    const refusal = validationFailed('A pull request already exists for acme:coxswain/fix-1.');
    github().post('/repos/acme/api/pulls').reply(422, refusal);
    github().get(list).times(4).reply(200, []);
    await expect(openDraftPull(client(), wish)).rejects.toMatchObject({
      retriable: true,
      message: expect.stringMatching(/already exists .*, but GitHub does not list it yet$/),
    });
  });

  test('does not take what someone else opened for the same branch', async () => {
    const refusal = validationFailed('A pull request already exists for acme:coxswain/fix-1.');
    github().post('/repos/acme/api/pulls').reply(422, refusal);
    github()
      .get(list)
      .reply(200, [pull({ user: { login: 'bob' } })]);
    await expect(openDraftPull(client(), wish)).rejects.toThrow(/already exists/);
  });

  test('fails with GitHub’s message if it is refused for another reason', async () => {
    github()
      .post('/repos/acme/api/pulls')
      .reply(422, validationFailed('No commits between main and coxswain/fix-1'));
    await expect(openDraftPull(client(), wish)).rejects.toThrow('No commits between main and coxswain/fix-1');
  });
});

describe('merging', () => {
  const merge = { number: 7, sha, method: 'squash' } as const;
  const date = 'Sat, 21 Nov 2026 12:00:00 GMT';

  test('merges only the approved commit, at the time of the answer', async () => {
    github()
      .put('/repos/acme/api/pulls/7/merge', { sha, merge_method: 'squash' })
      .reply(200, { merged: true }, { date });
    expect(await mergePull(client(), where, merge)).toEqual({ at: '2026-11-21T12:00:00Z', before: false });
  });

  test.each([405, 409, 422])('is not mistaken for refused with %d after a lost answer', async (status) => {
    github().put('/repos/acme/api/pulls/7/merge').reply(502);
    github().put('/repos/acme/api/pulls/7/merge').reply(status, { message: 'Not mergeable' }, { date });
    github()
      .get('/repos/acme/api/pulls/7')
      .reply(200, pull({ merged_at: '2026-11-21T11:59:00Z' }), { date });
    expect(await mergePull(client(), where, merge)).toEqual({ at: '2026-11-21T12:00:00Z', before: true });
  });

  test.each([405, 409, 422])('is refused with GitHub’s message if it answers %d', async (status) => {
    const message = 'Head branch was modified.';
    github().put('/repos/acme/api/pulls/7/merge').reply(status, { message });
    github().get('/repos/acme/api/pulls/7').reply(200, pull({}));
    const refused = mergePull(client(), where, merge);
    await expect(refused).rejects.toMatchObject({ status, reason: message });
    await expect(refused).rejects.toBeInstanceOf(GitHubFault);
  });

  test('needs no further request where it lacks a permission', async () => {
    github()
      .put('/repos/acme/api/pulls/7/merge')
      .reply(403, { message: 'Resource not accessible by integration' });
    await expect(mergePull(client(), where, merge)).rejects.toBeInstanceOf(MissingPermission);
  });
});

describe('auto-merge', () => {
  const wanted = { node_id: 'PR_7', sha, method: 'squash' } as const;

  test('is enabled for exactly the approved commit', async () => {
    github()
      .post(
        '/graphql',
        ({ variables }) =>
          variables.input.mergeMethod === 'SQUASH' && variables.input.expectedHeadOid === sha,
      )
      .reply(200, { data: { enablePullRequestAutoMerge: { clientMutationId: null } } });
    expect(await enableAutoMerge(client(), wanted)).toEqual({ outcome: 'enabled' });
  });

  test.each([
    ['Pull request Pull request is in clean status', { outcome: 'clean' }],
    ['Auto merge is not allowed for this repository', { outcome: 'refused' }],
  ])('says why it is not: %s', async (message, outcome) => {
    const errors = [{ type: 'UNPROCESSABLE', message }];
    github().post('/graphql').reply(200, { data: null, errors });
    expect(await enableAutoMerge(client(), wanted)).toMatchObject(outcome);
  });
});
