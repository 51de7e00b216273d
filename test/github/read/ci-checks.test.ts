import { expect, test } from 'vitest';
import { readCiChecks } from '../../../src/github/read/commit-checks.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const ref = 'b'.repeat(40);
const spec = {
  ...{ name: 'ci', check: 'build / test', app: 'github-actions' },
  ...{ timeout_s: 1800, required: true, after: 0 },
};
const place = { where: { owner: 'acme', name: 'api' }, ref, specs: [spec], secrets: ['hunter2hunter2'] };

interface Run {
  readonly id: number;
  readonly name?: string;
  readonly slug?: string;
  readonly conclusion?: string | null;
  readonly summary?: string | null;
  readonly notes?: number;
}

function stub(...runs: readonly Run[]): void {
  const check_runs = runs.map(
    ({
      id,
      name = 'build / test',
      slug = 'github-actions',
      conclusion = 'success',
      summary = null,
      notes = 0,
    }) => ({
      ...{ id, name, conclusion, status: conclusion === null ? 'queued' : 'completed' },
      ...{ started_at: '2026-11-21T11:50:00Z', completed_at: conclusion && '2026-11-21T11:55:00Z' },
      ...{ html_url: `https://github.com/acme/api/runs/${id}`, details_url: 'javascript:alert(1)' },
      output: { title: null, summary, text: null, annotations_count: notes },
      app: { id: slug === 'github-actions' ? 15368 : 2, slug },
    }),
  );
  github()
    .get(`/repos/acme/api/commits/${ref}/check-runs`)
    .query({ check_name: 'build / test', filter: 'latest', per_page: 100 })
    .reply(200, { total_count: check_runs.length, check_runs });
}

const ids = async () => (await readCiChecks(client(), place)).map(({ id }) => id);

test('of two suites the newest check run counts', async () => {
  stub({ id: 7, conclusion: 'failure' }, { id: 9, conclusion: null });
  expect(await readCiChecks(client(), place)).toMatchObject([
    { name: 'ci', id: 9, status: 'queued', text: '' },
  ]);
});

test('one by another App, however it is named, does not count', async () => {
  stub({ id: 9, slug: 'other-ci' });
  expect(await ids()).toEqual([]);
});

test('GitHub compares names more loosely than we do', async () => {
  stub({ id: 9, name: 'Build / Test' });
  expect(await ids()).toEqual([]);
});

test('what it says is bounded and redacted, and leads to GitHub alone', async () => {
  stub({ id: 9, summary: `password hunter2hunter2 ${'x'.repeat(20_000)}` });
  const [report] = await readCiChecks(client(), place);
  expect(report?.text).toMatch(/^password \[REDACTED\] x+$/);
  expect(report?.text.length).toBe(10_000);
  expect(report?.url).toBe('https://github.com/acme/api/runs/9');
});

test('what a red job of GitHub Actions says is in its annotations', async () => {
  stub({ id: 9, conclusion: 'failure', notes: 2 });
  const failure = { path: 'src/sum.ts', start_line: 3, annotation_level: 'failure', message: 'expected 3' };
  github()
    .get('/repos/acme/api/check-runs/9/annotations')
    .query({ per_page: 50 })
    .reply(200, [{ ...failure, annotation_level: 'notice', message: 'cached' }, failure]);
  const [report] = await readCiChecks(client(), place);
  expect(report?.text).toBe('src/sum.ts:3: expected 3');
});

test('a commit that GitHub does not know has none', async () => {
  github()
    .get(`/repos/acme/api/commits/${ref}/check-runs`)
    .query(true)
    .reply(422, { message: 'No commit found for SHA' });
  expect(await ids()).toEqual([]);
});
