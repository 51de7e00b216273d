import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '../../src/git/git.ts';
import type { Repository } from '../../src/repository/repository.ts';
import { letPass, type OtherPull } from '../../src/runs/queue/other-pulls.ts';
import type { RepositoryRuns } from '../../src/runs/run/live-runs.ts';
import type { Services } from '../../src/runs/run/services.ts';
import { openRuns } from '../../src/runs/wiring.ts';
import { client, expectOnlyStubbedRequests, github } from '../github/octokit/github.ts';

expectOnlyStubbedRequests();

const config = 'version: 1\nagent: { use: command, command: [agent] }\n';
const passing = `${config}others: pass\nother_bots: ['dependabot[bot]']\n`;
const path = '/repos/acme/api/contents/.github%2Fcoxswain.yml';

const where = {
  ...{ id: 4711, owner: 'acme', name: 'api', default_branch: 'main' },
  ...{ clone_url: 'file:///nowhere', private: false },
};

/** Only what is used before Git is asked: any further step would fail. */
function aRepository(): Repository {
  const own = { login: 'coxswain[bot]', app: { id: 1 } };
  return { ...where, octokit: client(), own, remote: { url: 'file:///nowhere' } } as unknown as Repository;
}

let now = Date.parse('2026-11-21T12:00:00Z');

const services = {
  presenter: 'app',
  operator: {},
  configPath: '.github/coxswain.yml',
  clock: { now: () => new Date(now) },
} as unknown as Services;

function runsOf(repository: Repository, given = services): RepositoryRuns {
  return openRuns(given).in(repository);
}

function pullBy(login: string, changed: Partial<OtherPull> = {}): OtherPull {
  const opener = { login, id: 9, bot: login.endsWith('[bot]') };
  const about = { number: 7, head_sha: 'b'.repeat(40), base_ref: 'main', commits: 1 };
  return { default_branch: 'main', opener, ...about, ...changed };
}

test('without `others: pass`, pull requests cost one request a minute, however many there are', async () => {
  const runs = runsOf(aRepository());
  github().get(path).reply(200, config);
  for (const login of ['ada', 'bob', 'ada']) await letPass(pullBy(login), runs);
  now += 61_000;
  github().get(path).reply(404, { message: 'Not Found' });
  for (const login of ['ada', 'bob']) await letPass(pullBy(login), runs);
});

test('a configuration that could not be read is read again', async () => {
  const runs = runsOf(aRepository());
  github().get(path).reply(403, { message: 'Forbidden' });
  await expect(letPass(pullBy('ada'), runs)).rejects.toThrow('Forbidden');
  github().get(path).reply(200, config);
  await letPass(pullBy('ada'), runs);
});

test('bots that are not listed, we ourselves and very many commits do not pass', async () => {
  const runs = runsOf(aRepository());
  github().get(path).reply(200, passing);
  await letPass(pullBy('renovate[bot]'), runs);
  await letPass(pullBy('coxswain[bot]'), runs);
  await letPass(pullBy('ada', { commits: 251 }), runs);
  // Those who may pass come to the next step, which fails here.
  await expect(letPass(pullBy('Dependabot[bot]'), runs)).rejects.toThrow('git ls-remote');
  await expect(letPass(pullBy('ada'), runs)).rejects.toThrow('git ls-remote');
});

test('the Action lets nothing pass', async () => {
  await letPass(pullBy('ada'), runsOf(aRepository(), { ...services, presenter: 'action' }));
});

test('a commit of a run does not pass, to whatever head or base its pull request has moved meanwhile', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-empty-'));
  await git(['init', '--quiet', '--bare', dir]);
  const repository: Repository = { ...aRepository(), remote: { url: `file://${dir}` } };
  const runs = runsOf(repository);
  const { head_sha: sha } = pullBy('ada');
  const decision = { id: 5, external_id: 'approval:8:12', app: { id: 1 } };
  github().get(path).reply(200, passing);
  // Nothing is asked about the pull request itself, and no check run is created.
  github()
    .get(`/repos/acme/api/compare/main...${sha}`)
    .reply(200, { total_commits: 1, commits: [{ sha, commit: { message: 'Mine' } }] });
  github()
    .get(`/repos/acme/api/commits/${sha}/check-runs`)
    .query(true)
    .twice()
    .reply(200, { total_count: 1, check_runs: [decision] });
  await letPass(pullBy('ada'), runs);
  await rm(dir, { recursive: true });
});
