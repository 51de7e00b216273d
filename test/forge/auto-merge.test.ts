import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';
import { type OpenedPull, openPull } from './open-pull.ts';

let fixture: Fixture;
let pull: OpenedPull;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});
beforeEach(async () => {
  pull = await openPull(fixture);
});

/** The default branch requires the check `ci` of the App. */
function requireCheck(): void {
  const parameters = { required_status_checks: [{ context: 'ci', integration_id: fixture.app.id }] };
  fixture.forge.seed.addRuleset(pull.repository.name, {
    rules: [{ type: 'required_status_checks', parameters }],
  });
}

const pass = (name = 'ci', head_sha = pull.sha) =>
  pull.repository.bot.checks.create({ ...pull.repository.at, name, head_sha, conclusion: 'success' });

const mutation = (name: string, more = '') =>
  `mutation($id: ID!) { ${name}(input: { pullRequestId: $id ${more} }) { pullRequest { number } } }`;

/** GitHub's refusal; undefined if the mutation succeeds. */
async function run(name: string, login = 'wil', more = ''): Promise<string | undefined> {
  const response = await fetch(`${fixture.forge.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `bearer ${fixture.token(login)}` },
    body: JSON.stringify({ query: mutation(name, more), variables: { id: pull.node_id } }),
  });
  const { errors } = (await response.json()) as { errors?: { message: string }[] };
  return errors?.[0]?.message;
}

const enable = (login?: string, more?: string) => run('enablePullRequestAutoMerge', login, more);
const shown = async () => (await pull.repository.bot.pulls.get(pull.at)).data;

async function eventsOfPull() {
  const { at, bot } = pull.repository;
  const { data } = await bot.issues.listEvents({ ...at, issue_number: pull.number });
  return data.map(({ event, actor }) => `${event} by ${actor?.login}`);
}

test('it merges as the person who enabled it, as soon as the check passes', async () => {
  requireCheck();
  await fixture.forgetDeliveries();
  expect(await enable('wil', 'mergeMethod: SQUASH')).toBeUndefined();
  expect((await shown()).auto_merge).toMatchObject({ enabled_by: { login: 'wil' }, merge_method: 'squash' });
  await pass();
  expect(await shown()).toMatchObject({ merged: true, merged_by: { login: 'wil' }, auto_merge: null });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('pull_request')).toEqual(['auto_merge_enabled', 'closed']);
  expect(await eventsOfPull()).toEqual(['auto_squash_enabled by wil', 'merged by wil', 'closed by wil']);
});

test('checks that are not required do not hold it up', async () => {
  requireCheck();
  await enable();
  const { at, bot } = pull.repository;
  await bot.checks.create({ ...at, name: 'docs', head_sha: pull.sha, conclusion: 'failure' });
  await pass();
  expect((await shown()).merged).toBe(true);
});

test('the check of the new head counts when somebody pushes, and auto-merge stays on', async () => {
  requireCheck();
  await enable();
  const head = await pull.clone.commit('More');
  await pull.clone.git('push', '--quiet', 'origin', 'topic');
  await pass();
  expect(await shown()).toMatchObject({ merged: false, auto_merge: { merge_method: 'merge' } });
  await pass('ci', head);
  expect((await shown()).merged).toBe(true);
});

test('a push of a commit that has passed elsewhere merges at once', async () => {
  requireCheck();
  await enable();
  const head = await pull.clone.commit('More');
  await pull.clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/elsewhere');
  await pass('ci', head);
  expect((await shown()).merged).toBe(false);
  await pull.clone.git('push', '--quiet', 'origin', 'topic');
  expect((await shown()).merged).toBe(true);
});

test('it waits for an approval, too', async () => {
  const parameters = { required_approving_review_count: 1 };
  fixture.forge.seed.addRuleset(pull.repository.name, { rules: [{ type: 'pull_request', parameters }] });
  await enable();
  await fixture.person('ada').pulls.createReview({ ...pull.at, event: 'APPROVE' });
  expect((await shown()).merged).toBe(true);
});

test('somebody with write access may move it to a base without rules, where it merges at once', async () => {
  requireCheck();
  await enable();
  await pull.clone.git('push', '--quiet', 'origin', 'origin/main:refs/heads/easy');
  await fixture.person('wil').pulls.update({ ...pull.at, base: 'easy' });
  expect(await shown()).toMatchObject({ merged: true, base: { ref: 'easy' }, merged_by: { login: 'wil' } });
});

test('an author without write access who moves it to another base ends it', async () => {
  pull = await openPull(fixture, { by: 'ren' });
  requireCheck();
  await enable();
  await pull.clone.git('push', '--quiet', 'origin', 'origin/main:refs/heads/easy');
  await fixture.forgetDeliveries();
  await fixture.person('ren').pulls.update({ ...pull.at, base: 'easy' });
  expect(await shown()).toMatchObject({ merged: false, auto_merge: null });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('pull_request')).toEqual(['edited', 'auto_merge_disabled']);
});

test('people with write access and the author disable it; a draft and a closed one lose it', async () => {
  pull = await openPull(fixture, { by: 'ren' });
  requireCheck();
  const end = (login: string) => run('disablePullRequestAutoMerge', login);
  expect(await end('wil')).toBe("Can't disable auto-merge for this pull request.");
  await enable();
  expect(await end('tri')).toContain('does not have the correct permissions');
  expect(await end('ren')).toBeUndefined();
  await enable();
  expect(await end('ada')).toBeUndefined();
  await enable();
  await run('convertPullRequestToDraft');
  await run('markPullRequestReadyForReview');
  await enable();
  await fixture.person('ada').pulls.update({ ...pull.at, state: 'closed' });
  const enabled = 'auto_merge_enabled by wil';
  expect(await eventsOfPull()).toEqual([
    ...[enabled, 'auto_merge_disabled by ren'],
    ...[enabled, 'auto_merge_disabled by ada'],
    ...[enabled, 'auto_merge_disabled by wil', 'convert_to_draft by wil', 'ready_for_review by wil'],
    ...[enabled, 'auto_merge_disabled by ada', 'closed by ada'],
  ]);
});

test('it can be enabled only while rules hinder a merge', async () => {
  expect(await enable()).toBe('Pull request Pull request is in clean status');
  await pull.repository.bot.checks.create({ ...pull.repository.at, name: 'docs', head_sha: pull.sha });
  expect(await enable()).toBe('Pull request Pull request is in unstable status');
  await fixture.forge.seed.commit(pull.repository.name, { 'a.txt': 'other\n' });
  expect(await enable()).toBe('Pull request Protected branch rules not configured for this branch');
  requireCheck();
  expect(await enable('tri')).toContain('does not have the correct permissions');
  await run('convertPullRequestToDraft');
  expect(await enable()).toBe('Pull request Pull request is a draft');
  await run('markPullRequestReadyForReview');
  fixture.forge.seed.settings(pull.repository.name, { allow_auto_merge: false });
  expect(await enable()).toBe('Pull request Auto merge is not allowed for this repository');
  fixture.forge.seed.settings(pull.repository.name, { allow_auto_merge: true });
  await fixture.person('ada').pulls.update({ ...pull.at, state: 'closed' });
  expect(await enable()).toBe('Pull request Pull request is closed');
});

test('an App needs contents: write for it, too', async () => {
  requireCheck();
  const { installation, bot } = pull.repository;
  fixture.forge.seed.setInstallationPermissions(installation, { pull_requests: 'write' });
  await expect(
    bot.graphql(mutation('enablePullRequestAutoMerge'), { id: pull.node_id }),
  ).rejects.toMatchObject({ errors: [{ message: 'Resource not accessible by integration' }] });
});
