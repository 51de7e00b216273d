import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, type Fixture, startFixture, type TestRepository } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

async function repositoryWithClone(
  options?: Parameters<Fixture['repository']>[0],
): Promise<{ repository: TestRepository; clone: Clone }> {
  const repository = await fixture.repository(options);
  return { repository, clone: await fixture.clone(repository) };
}

test('a pushed branch can be read by Git and by the API', async () => {
  const { repository, clone } = await repositoryWithClone();
  const sha = await clone.commit('Add a file', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/topic');
  const { data } = await fixture.person('ren').repos.getBranch({ ...repository.at, branch: 'topic' });
  expect(data.commit.sha).toBe(sha);
  const again = await fixture.clone(repository);
  expect(await again.git('rev-parse', 'origin/topic')).toBe(sha);
});

test('a public repository can be read anonymously, and a push needs authentication', async () => {
  const { repository, clone } = await repositoryWithClone();
  await clone.git('remote', 'set-url', 'origin', `${fixture.forge.url}/${repository.name}.git`);
  await clone.git('fetch', '--quiet', 'origin');
  const pushed = await clone.attempt('push', 'origin', 'HEAD:refs/heads/x');
  expect(pushed.code).not.toBe(0);
});

test('a private repository does not exist for people without a role', async () => {
  const repository = await fixture.repository({ private: true });
  await expect(fixture.clone(repository, fixture.token('out'))).rejects.toThrow(/not found/i);
  await fixture.clone(repository, fixture.token('ren'));
});

test('a reader cannot push', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository, fixture.token('ren'));
  const { stderr } = await clone.attempt('push', 'origin', 'HEAD:refs/heads/x');
  expect(stderr).toMatch(/403/);
});

test('refs outside branches and tags are kept, and a lease protects them', async () => {
  const { clone } = await repositoryWithClone();
  const ref = 'refs/coxswain/open/1';
  const first = await clone.git('rev-parse', 'HEAD');
  await clone.git('push', '--quiet', `--force-with-lease=${ref}:`, 'origin', `HEAD:${ref}`);
  await clone.commit('Next');
  const stale = await clone.attempt('push', `--force-with-lease=${ref}:`, 'origin', `HEAD:${ref}`);
  expect(stale.stderr).toContain('stale info');
  await clone.git('push', '--quiet', `--force-with-lease=${ref}:${first}`, 'origin', `HEAD:${ref}`);
  expect(await clone.git('ls-remote', 'origin', ref)).toContain(await clone.git('rev-parse', 'HEAD'));
});

test('of two pushes based on the same ref only one succeeds', async () => {
  const { repository, clone } = await repositoryWithClone();
  const rival = await fixture.clone(repository);
  const ref = 'refs/coxswain/open/2';
  await clone.git('push', '--quiet', 'origin', `HEAD:${ref}`);
  const seen = await clone.git('rev-parse', 'HEAD');
  await clone.commit('Mine');
  await rival.commit('Theirs');
  const push = (one: Clone) =>
    one.attempt('push', `--force-with-lease=${ref}:${seen}`, 'origin', `HEAD:${ref}`);
  const results = await Promise.all([push(clone), push(rival)]);
  expect(results.filter(({ code }) => code === 0)).toHaveLength(1);
});

test('only the forge writes refs/pull', async () => {
  const { clone } = await repositoryWithClone();
  const { stderr } = await clone.attempt('push', 'origin', 'HEAD:refs/pull/1/head');
  expect(stderr).toContain('deny updating a hidden ref');
});

test("a rule against creation rejects the push with GitHub's message", async () => {
  const { repository, clone } = await repositoryWithClone();
  fixture.forge.seed.protect(repository.name, 'coxswain/*', { forbid_create: true });
  const { stderr } = await clone.attempt('push', 'origin', 'HEAD:refs/heads/coxswain/a');
  expect(stderr).toContain(
    'remote: error: GH013: Repository rule violations found for refs/heads/coxswain/a.',
  );
  expect(stderr).toContain('Cannot create ref due to creations being restricted.');
  expect(stderr).toContain('(push declined due to repository rule violations)');
});

test.each([
  ['release/*', ['release/1'], ['release/1/fix', 'releases/1']],
  ['release/**/*', ['release/1', 'release/1/fix'], ['release-1']],
  // As in fnmatch, two stars that no slash follows count as one.
  ['release/**', ['release/1'], ['release/1/fix']],
  ['v[0-9].?', ['v1.x'], ['vx.1', 'v1.10']],
  ['{a,b}', ['{a,b}'], ['a', 'b']],
])('the pattern %s covers %j and not %j', async (pattern, covered, others) => {
  const { repository, clone } = await repositoryWithClone();
  fixture.forge.seed.protect(repository.name, pattern, { forbid_create: true });
  // One at a time: `release/1` and `release/1/fix` cannot both exist.
  const pushed = async (name: string) => {
    const { code } = await clone.attempt('push', 'origin', `HEAD:refs/heads/${name}`);
    if (code === 0) await clone.git('push', '--quiet', 'origin', `:refs/heads/${name}`);
    return code === 0;
  };
  const taken: string[] = [];
  for (const name of [...covered, ...others]) if (await pushed(name)) taken.push(name);
  expect(taken).toEqual(others);
});

test('a rejected ref does not stop the others, unless the push is atomic', async () => {
  const { repository, clone } = await repositoryWithClone();
  fixture.forge.seed.protect(repository.name, 'closed', { forbid_create: true });
  const refs = (name: string) => ['HEAD:refs/heads/closed', `HEAD:refs/heads/${name}`];
  await clone.attempt('push', 'origin', ...refs('one'));
  const atomic = await clone.attempt('push', '--atomic', 'origin', ...refs('two'));
  expect(atomic.stderr).toContain('GH013');
  expect(await clone.git('ls-remote', 'origin', 'refs/heads/*')).toMatch(/heads\/one$/);
});

test('a rule prevents force pushes, except of an App that may bypass it', async () => {
  const { repository, clone } = await repositoryWithClone();
  fixture.forge.seed.addRuleset(repository.name, {
    rules: [{ type: 'non_fast_forward' }],
    bypass_actors: [{ actor_type: 'Integration', actor_id: fixture.app.id }],
  });
  await clone.git('checkout', '--quiet', '--orphan', 'other');
  await clone.commit('Another beginning', { 'b.txt': 'b\n' });
  const rejected = await clone.attempt('push', '--force', 'origin', 'HEAD:main');
  expect(rejected.stderr).toContain('Cannot force-push to this branch');
  const { token } = await installationToken(repository);
  const address = `http://x:${token}@${new URL(fixture.forge.url).host}/${repository.name}.git`;
  await clone.git('push', '--quiet', '--force', address, 'HEAD:main');
});

test('an App without the permission for workflows cannot push one, a person can', async () => {
  const { repository } = await repositoryWithClone();
  const { token } = await installationToken(repository);
  const clone = await fixture.clone(repository, token);
  await clone.git('config', 'core.safecrlf', 'false');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(`${clone.dir}/.github/workflows`, { recursive: true });
  await clone.commit('Add a workflow', { '.github/workflows/ci.yml': 'on: push\n' });
  const { stderr } = await clone.attempt(
    'push',
    'origin',
    'HEAD:refs/heads/ci',
    'origin/main:refs/heads/fine',
  );
  expect(stderr).toContain(
    'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml`' +
      ' without `workflows` permission',
  );
  expect(await clone.git('ls-remote', 'origin', 'refs/heads/fine')).not.toBe('');
  const address = `http://x:${fixture.token('wil')}@${new URL(fixture.forge.url).host}/${repository.name}.git`;
  await clone.git('push', '--quiet', address, 'HEAD:refs/heads/ci');
});

test('a partial clone has no blobs', async () => {
  const { clone } = await repositoryWithClone();
  const result = await clone.attempt(
    'clone',
    '--filter=blob:none',
    '--no-checkout',
    await clone.git('remote', 'get-url', 'origin'),
    'p',
  );
  expect(result.code).toBe(0);
  expect(result.stderr).not.toContain('filtering not recognized');
});

test('deleting a branch by push closes its pull request', async () => {
  const { repository, clone } = await repositoryWithClone();
  await clone.commit('Work');
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/gone');
  const { data: pull } = await repository.bot.pulls.create({
    ...repository.at,
    head: 'gone',
    base: 'main',
    title: 'Gone',
  });
  await clone.git('push', '--quiet', 'origin', ':refs/heads/gone');
  const { data } = await repository.bot.pulls.get({ ...repository.at, pull_number: pull.number });
  expect(data.state).toBe('closed');
});

async function installationToken(repository: TestRepository): Promise<{ token: string }> {
  const { data } = await fixture
    .asApp()
    .apps.createInstallationAccessToken({ installation_id: repository.installation });
  return data;
}

test('a repository can begin with the history of another on this machine', async () => {
  const { repository, clone } = await repositoryWithClone();
  const sha = await clone.commit('Add a file', { 'a.txt': 'a\n' });
  const name = `${repository.at.repo}-copy`;
  await fixture.forge.seed.addRepository({
    owner: 'ada',
    name,
    default_branch: 'trunk',
    history: await clone.git('rev-parse', '--show-toplevel'),
  });
  const { data } = await fixture.person('ada').repos.listCommits({ owner: 'ada', repo: name });
  expect(data.map(({ commit }) => commit.message)).toEqual(['Add a file', 'Initial commit']);
  const branch = await fixture.person('ada').repos.getBranch({ owner: 'ada', repo: name, branch: 'trunk' });
  expect(branch.data.commit.sha).toBe(sha);
});
