import { expect, test } from 'vitest';
import { hasCommitOfRun, hasSucceeded } from '../../../src/github/read/commit-checks.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const head = 'b'.repeat(40);
const place = {
  where: { owner: 'acme', name: 'api' },
  number: 7,
  own: { login: 'coxswain[bot]', app: { id: 1 } },
};

interface Check {
  readonly id: number;
  readonly conclusion: string;
  readonly external_id?: string;
  readonly slug?: string;
}

function stubChecks(checks: readonly Check[]): void {
  const check_runs = checks.map(({ slug = 'coxswain', external_id = 'work:7:0', ...check }) => {
    return { ...check, external_id, app: { id: slug === 'coxswain' ? 1 : 2, slug } };
  });
  github()
    .get(`/repos/acme/api/commits/${head}/check-runs`)
    .query({ check_name: 'Coxswain', app_id: 1, filter: 'all', per_page: 100 })
    .reply(200, { total_count: check_runs.length, check_runs });
}

const success = { id: 1, conclusion: 'success' };

test.each<[string, readonly Check[], boolean]>([
  ['our check succeeded', [success], true],
  [
    'it was replaced after the approval was revoked',
    [success, { id: 2, conclusion: 'action_required' }],
    false,
  ],
  ['another App made it', [{ ...success, slug: 'github-actions' }], false],
  ['it belongs to another pull request', [{ ...success, external_id: 'work:8:0' }], false],
  ['there is none', [], false],
])('whether a run was finished, when %s', async (_, checks, expected) => {
  stubChecks(checks);
  expect(await hasSucceeded(client(), place, { head, name: 'Coxswain' })).toBe(expected);
});

test.each<[string, string, boolean]>([
  ['a merge group', 'merge-group', true],
  ['a run', 'work:8:0', true],
  ['another pull request', 'other:8', false],
])('a commit with a check of %s counts as a commit of a run, or not', async (_, external_id, expected) => {
  github()
    .get(/compare/)
    .query(true)
    .reply(200, { total_commits: 1, commits: [{ sha: head, commit: { message: 'Squashed' } }] });
  github()
    .get(`/repos/acme/api/commits/${head}/check-runs`)
    .query({ app_id: 1, filter: 'all', per_page: 100 })
    .reply(200, {
      total_count: 1,
      check_runs: [{ ...success, external_id, app: { id: 1, slug: 'coxswain' } }],
    });
  expect(await hasCommitOfRun(client(), place, { base: 'main', head })).toBe(expected);
});
