import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const seed = () => fixture.forge.seed;
const zeroReviews = { type: 'pull_request', parameters: {} } as const;

/** The output of a push by `wil`, who may write; empty if it succeeds. */
async function pushed({ name }: TestRepository, clone: Clone, ...args: string[]): Promise<string> {
  const address = fixture.forge.url.replace('//', `//x:${fixture.token('wil')}@`);
  const { code, stderr } = await clone.attempt('push', '--quiet', `${address}/${name}.git`, ...args);
  return code === 0 ? '' : stderr;
}

async function rulesOf({ at, bot }: TestRepository, branch: string) {
  return (await bot.repos.getBranchRules({ ...at, branch })).data;
}

test('the rules of a branch are listed with their rulesets, also if it does not exist', async () => {
  const repository = await fixture.repository();
  const checks = [{ context: 'Coxswain', integration_id: fixture.app.id }, { context: 'ci' }];
  const first = seed().addRuleset(repository.name, {
    rules: [
      { type: 'required_status_checks', parameters: { required_status_checks: checks } },
      zeroReviews,
      { type: 'deletion' },
      { type: 'non_fast_forward' },
    ],
    bypass_actors: [{ actor_type: 'Integration', actor_id: fixture.app.id }],
  });
  const second = seed().addRuleset(repository.name, {
    include: ['release/**/*', 'refs/heads/v?'],
    rules: [{ type: 'update' }, { type: 'creation' }, { type: 'merge_queue' }],
  });
  const from = { ruleset_source_type: 'Repository', ruleset_source: repository.name };
  expect(await rulesOf(repository, 'main')).toMatchObject([
    {
      type: 'required_status_checks',
      ruleset_id: first,
      ...from,
      parameters: { strict_required_status_checks_policy: false, required_status_checks: checks },
    },
    { type: 'pull_request', parameters: { required_approving_review_count: 0 } },
    { type: 'deletion' },
    { type: 'non_fast_forward' },
  ]);
  const typesOn = async (branch: string) =>
    (await rulesOf(repository, branch)).map(
      (rule) => `${rule.type} ${'ruleset_id' in rule && rule.ruleset_id}`,
    );
  const three = ['update', 'creation', 'merge_queue'].map((type) => `${type} ${second}`);
  expect(await typesOn('release/2/3')).toEqual(three);
  expect(await typesOn('v1')).toEqual(three);
  expect(await typesOn('topic')).toEqual([]);
});

test('the bypass list of a ruleset is for administrators; each caller sees whether they may', async () => {
  const repository = await fixture.repository();
  const ruleset_id = seed().addRuleset(repository.name, {
    name: 'main',
    rules: [{ type: 'update' }],
    bypass_actors: [{ actor_type: 'Integration', actor_id: fixture.app.id }],
  });
  const shown = async (client: TestRepository['bot']) =>
    (await client.repos.getRepoRuleset({ ...repository.at, ruleset_id })).data;
  expect(await shown(fixture.person('ada'))).toMatchObject({
    name: 'main',
    target: 'branch',
    enforcement: 'active',
    source_type: 'Repository',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'update', parameters: { update_allows_fetch_and_merge: false } }],
    bypass_actors: [{ actor_type: 'Integration', actor_id: fixture.app.id, bypass_mode: 'always' }],
    current_user_can_bypass: 'never',
  });
  for (const [client, may] of [
    [repository.bot, 'always'],
    [fixture.person('ren'), 'never'],
  ] as const) {
    const ruleset = await shown(client);
    expect(ruleset.current_user_can_bypass).toBe(may);
    expect(ruleset).not.toHaveProperty('bypass_actors');
  }
  const missing = repository.bot.repos.getRepoRuleset({ ...repository.at, ruleset_id: 7 });
  expect((await httpErrorOf(missing)).status).toBe(404);
});

test('a push must go through a pull request, unless it is the head of one', async () => {
  const { repository, clone, at } = await openPull(fixture);
  seed().addRuleset(repository.name, { rules: [zeroReviews] });
  const own = await clone.commit('Own');
  const output = await pushed(repository, clone, `${own}:refs/heads/main`);
  expect(output).toContain('remote: error: GH013: Repository rule violations found for refs/heads/main.');
  expect(output).toContain('- Changes must be made through a pull request.');
  expect(output).toContain('(push declined due to repository rule violations)');
  await clone.git('push', '--quiet', 'origin', 'topic');
  expect(await pushed(repository, clone, `${own}:refs/heads/main`)).toBe('');
  expect((await repository.bot.pulls.get(at)).data.merged).toBe(true);
});

test('a branch that requires checks takes only commits that passed them, also when it is created', async () => {
  const { repository, clone, sha } = await openPull(fixture);
  const parameters = { required_status_checks: [{ context: 'ci', integration_id: fixture.app.id }] };
  const rules = [{ type: 'required_status_checks' as const, parameters }];
  seed().addRuleset(repository.name, { include: ['~DEFAULT_BRANCH', 'release/*'], rules });
  const expected = '- Required status check "ci" is expected.';
  expect(await pushed(repository, clone, 'topic:main')).toContain(expected);
  expect(await pushed(repository, clone, 'topic:release/1')).toContain(expected);
  const asked = { ...repository.at, sha, context: 'ci', state: 'success' as const };
  await fixture.person('wil').repos.createCommitStatus(asked);
  expect(await pushed(repository, clone, 'topic:main')).toContain('was not set by the expected GitHub app');
  const done = { name: 'ci', head_sha: sha, conclusion: 'success' as const };
  await repository.bot.checks.create({ ...repository.at, ...done });
  expect(await pushed(repository, clone, 'topic:main', 'topic:release/1')).toBe('');
});

test('a merge queue takes neither pushes nor merges', async () => {
  const { repository, clone, at } = await openPull(fixture);
  seed().addRuleset(repository.name, { rules: [{ type: 'merge_queue' }] });
  const queue = 'Changes must be made through the merge queue';
  expect(await pushed(repository, clone, 'topic:main')).toContain(queue);
  expect(await httpErrorOf(repository.bot.pulls.merge(at))).toMatchObject({
    status: 405,
    message: expect.stringContaining(queue),
  });
});

test('required reviews count the newest verdict of each person who may write', async () => {
  const { repository, at, clone } = await openPull(fixture);
  const parameters = { required_approving_review_count: 1, dismiss_stale_reviews_on_push: true };
  seed().addRuleset(repository.name, { rules: [{ type: 'pull_request', parameters }] });
  const review = (login: string, event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT') =>
    fixture.person(login).pulls.createReview({ ...at, event, body: 'So' });
  const refusal = async () => (await httpErrorOf(repository.bot.pulls.merge(at))).message;
  const tooFew = 'At least 1 approving review is required by reviewers with write access.';
  await review('ren', 'APPROVE');
  expect(await refusal()).toContain(tooFew);
  await review('ada', 'REQUEST_CHANGES');
  await review('wil', 'APPROVE');
  expect(await refusal()).toContain('Changes have been requested.');
  await review('ada', 'APPROVE');
  await clone.commit('More');
  await clone.git('push', '--quiet', 'origin', 'topic');
  expect(await refusal()).toContain(tooFew);
  await review('wil', 'APPROVE');
  await review('wil', 'COMMENT');
  expect((await repository.bot.pulls.merge(at)).data.merged).toBe(true);
});

test('the last pusher is not enough where somebody else must approve', async () => {
  const { repository, at } = await openPull(fixture, { by: 'wil' });
  const parameters = { required_approving_review_count: 1, require_last_push_approval: true };
  seed().addRuleset(repository.name, { rules: [{ type: 'pull_request', parameters }] });
  await fixture.person('ada').pulls.createReview({ ...at, event: 'APPROVE' });
  const { message } = await httpErrorOf(fixture.person('wil').pulls.merge(at));
  expect(message).toContain('New changes require approval from someone other than the last pusher.');
});

test('classic protection is summed up for readers and shown to administrators', async () => {
  const repository = await fixture.repository();
  const checks = [
    { context: 'Coxswain', app_id: fixture.app.id },
    { context: 'ci', app_id: null },
  ];
  seed().addProtection(repository.name, 'm*', {
    enforce_admins: true,
    required_status_checks: { strict: true, checks },
  });
  const at = { ...repository.at, branch: 'main' };
  const { data } = await fixture.person('ren').repos.getBranch(at);
  expect(data).toMatchObject({
    protected: true,
    protection: {
      enabled: true,
      required_status_checks: { enforcement_level: 'everyone', contexts: ['Coxswain', 'ci'], checks },
    },
  });
  const { data: all } = await fixture.person('ada').repos.getBranchProtection(at);
  expect(all).toMatchObject({
    enforce_admins: { enabled: true },
    required_status_checks: { strict: true, checks },
    allow_force_pushes: { enabled: false },
  });
  const refused = fixture.person('wil').repos.getBranchProtection(at);
  expect((await httpErrorOf(refused)).status).toBe(404);
  await expect(repository.bot.repos.getBranchProtection(at)).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'x-accepted-github-permissions': 'administration=read' } },
  });
});

test('a ruleset makes a branch protected, and the classic protection does not tell of it', async () => {
  const repository = await fixture.repository();
  const ada = fixture.person('ada');
  const at = { ...repository.at, branch: 'main' };
  const none = { enforcement_level: 'off', contexts: [], checks: [] };
  const unprotected = { enabled: false, required_status_checks: none };
  expect((await ada.repos.getBranch(at)).data).toMatchObject({ protected: false, protection: unprotected });
  seed().addRuleset(repository.name, { rules: [{ type: 'deletion' }] });
  expect((await ada.repos.getBranch(at)).data).toMatchObject({ protected: true, protection: unprotected });
  expect((await ada.repos.listBranches({ ...repository.at, protected: true })).data).toHaveLength(1);
  expect((await ada.repos.listBranches({ ...repository.at, protected: false })).data).toEqual([]);
  expect((await httpErrorOf(ada.repos.getBranchProtection(at))).message).toContain('Branch not protected');
});

test('classic protection stops pushes and merges, but not administrators unless it says so', async () => {
  const { repository, clone, at } = await openPull(fixture);
  seed().addProtection(repository.name, 'main', {
    required_status_checks: { strict: false, checks: [{ context: 'ci', app_id: fixture.app.id }] },
  });
  const output = await pushed(repository, clone, 'topic:main');
  expect(output).toContain('remote: error: GH006: Protected branch update failed for refs/heads/main.');
  expect(output).toContain('- Required status check "ci" is expected.');
  expect(output).toContain('(protected branch hook declined)');
  expect(await pushed(repository, clone, ':main')).toContain('- Cannot delete this branch');
  const refused = await httpErrorOf(fixture.person('wil').pulls.merge(at));
  expect(refused).toMatchObject({
    status: 405,
    message: expect.stringMatching(/^Required status check "ci"/),
  });
  expect((await fixture.person('ada').pulls.merge(at)).data.merged).toBe(true);
});
