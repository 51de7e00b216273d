import { expect, test } from 'vitest';
import { readOwnChecks } from '../../../src/github/show/check-runs.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const head = 'b'.repeat(40);
const target = {
  octokit: client(),
  own: { login: 'coxswain[bot]', app: { id: 1 } },
  secrets: [],
  log: { info: () => undefined, warn: () => undefined },
  clock: { now: () => new Date() },
  run: {
    ...{ id: 'acme/api#12', owner: 'acme', repo: 'api', number: 12, repository_id: 77 },
    presenter: 'app' as const,
  },
};

function checkRun(id: number, name: string, external_id: string) {
  const output = { title: null, summary: null, text: null };
  const app = { id: 1, slug: 'coxswain' };
  return { id, name, head_sha: head, status: 'completed', conclusion: 'success', external_id, output, app };
}

test('our decision is found among more than a page of check runs', async () => {
  const place = `/repos/acme/api/commits/${head}/check-runs?filter=latest&per_page=100&app_id=1`;
  const verifiers = Array.from({ length: 100 }, (_, at) =>
    checkRun(200 + at, `Coxswain / ${at}`, 'verifier:12:0'),
  );
  const next = { link: `<https://api.github.com${place}&page=2>; rel="next"` };
  github().get(place).reply(200, { total_count: 101, check_runs: verifiers }, next);
  const check_runs = [checkRun(7, 'Coxswain', 'approval:12:6')];
  github().get(`${place}&page=2`).reply(200, { total_count: 101, check_runs });
  const found = await readOwnChecks(target, head);
  expect(found).toHaveLength(101);
  expect(found[0]).toMatchObject({ id: 7, isDecision: true });
});
