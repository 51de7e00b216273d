import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture } from './fixture.ts';
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

/** The default branch requires these checks of this App (or of anybody). */
function requireChecks(names: string[], integration_id?: number, strict = false): number {
  const checks = names.map((context) => ({
    context,
    ...(integration_id === undefined ? {} : { integration_id }),
  }));
  const parameters = { required_status_checks: checks, strict_required_status_checks_policy: strict };
  return fixture.forge.seed.addRuleset(pull.repository.name, {
    rules: [{ type: 'required_status_checks', parameters }],
  });
}

const check = (name: string, more: object = { conclusion: 'success' }, client = pull.repository.bot) =>
  client.checks.create({ ...pull.repository.at, name, head_sha: pull.sha, ...more });

const status = (context: string, state: 'success' | 'failure' | 'pending', login = 'wil') =>
  fixture.person(login).repos.createCommitStatus({ ...pull.repository.at, sha: pull.sha, context, state });

/** Why a merge is refused, without GitHub's introduction; undefined if it is merged. */
async function refusal(): Promise<string | undefined> {
  const { merged } = (await pull.repository.bot.pulls.get(pull.at)).data;
  expect(merged).toBe(false);
  const { status: code, message } = await httpErrorOf(pull.repository.bot.pulls.merge(pull.at));
  expect(code).toBe(405);
  return /^Repository rule violations found\n\n(.*)\n\n/s.exec(message)?.[1];
}

const merges = async () => (await pull.repository.bot.pulls.merge(pull.at)).data.merged;
const stateOf = async () => (await pull.repository.bot.pulls.get(pull.at)).data.mergeable_state;

/** A job of GitHub Actions, whose App any writer's workflow acts as. */
function workflowJob() {
  return fixture.client(fixture.forge.seed.actionsToken(pull.repository.name, { checks: 'write' }));
}

test('a required check is missing, in progress, failing, and then passed', async () => {
  requireChecks(['ci']);
  expect(await refusal()).toBe('Required status check "ci" is expected.');
  expect(await stateOf()).toBe('blocked');
  const { data } = await check('ci', { status: 'in_progress' });
  expect(await refusal()).toBe('Required status check "ci" is in progress.');
  const run = { ...pull.repository.at, check_run_id: data.id };
  await pull.repository.bot.checks.update({ ...run, conclusion: 'cancelled' });
  expect(await refusal()).toBe('Required status check "ci" is failing.');
  await check('ci', { conclusion: 'neutral' });
  expect(await stateOf()).toBe('clean');
  expect(await merges()).toBe(true);
});

test.each(['success', 'neutral', 'skipped'])(
  'a required check that ends as %s is passed',
  async (conclusion) => {
    requireChecks(['ci']);
    await check('ci', { conclusion });
    expect(await merges()).toBe(true);
  },
);

test('only the newest run of a name counts', async () => {
  requireChecks(['ci'], fixture.app.id);
  await check('ci');
  await check('ci', { status: 'queued' });
  expect(await refusal()).toBe('Required status check "ci" is pending.');
  await check('ci', { conclusion: 'failure' });
  expect(await refusal()).toBe('Required status check "ci" is failing.');
  await check('ci');
  expect(await merges()).toBe(true);
});

test("a check of an App is not passed by another's run or by a status of the same name", async () => {
  requireChecks(['Coxswain'], fixture.app.id);
  const actions = workflowJob();
  await check('Coxswain', { conclusion: 'success' }, actions);
  await status('Coxswain', 'success');
  expect(await refusal()).toBe('Required status check "Coxswain" was not set by the expected GitHub app.');
  await check('Coxswain', { conclusion: 'failure' });
  await check('Coxswain', { conclusion: 'success' }, actions);
  await status('Coxswain', 'success');
  expect(await refusal()).toBe('Required status check "Coxswain" is failing.');
  await check('Coxswain');
  await status('Coxswain', 'failure');
  expect(await merges()).toBe(true);
});

test('what a person sets through the App is not set by the App', async () => {
  requireChecks(['Coxswain'], fixture.app.id);
  const client = fixture.client(fixture.forge.seed.userToken(fixture.app, 'wil'));
  const asked = { ...pull.repository.at, sha: pull.sha, context: 'Coxswain', state: 'success' as const };
  await client.repos.createCommitStatus(asked);
  expect(await refusal()).toContain('was not set by the expected GitHub app');
  await pull.repository.bot.repos.createCommitStatus(asked);
  expect(await merges()).toBe(true);
});

test('without an expected source, the status of any writer passes', async () => {
  requireChecks(['Coxswain']);
  await status('Coxswain', 'success');
  expect(await merges()).toBe(true);
});

test('a check and a status of the same name must both pass', async () => {
  requireChecks(['ci']);
  await check('ci');
  await status('ci', 'pending');
  expect(await refusal()).toBe('Required status check "ci" is pending.');
  await status('ci', 'success');
  expect(await merges()).toBe(true);
});

test('several checks that are missing are counted', async () => {
  requireChecks(['build', 'lint', 'test']);
  expect(await refusal()).toBe('3 of 3 required status checks are expected.');
  await check('lint');
  await check('test', { conclusion: 'failure' });
  expect(await refusal()).toBe('2 of 3 required status checks have not succeeded: 1 expected and 1 failing.');
});

test('a check that is not required makes the state unstable, and does not hinder a merge', async () => {
  requireChecks(['ci']);
  await check('ci');
  await check('docs', { status: 'in_progress' });
  expect(await stateOf()).toBe('unstable');
  expect(await merges()).toBe(true);
});

test('checks of an earlier head do not count', async () => {
  requireChecks(['ci']);
  await check('ci');
  await pull.clone.commit('More');
  await pull.clone.git('push', '--quiet', 'origin', 'topic');
  expect(await refusal()).toBe('Required status check "ci" is expected.');
});

test('a strict policy wants the newest base in the head', async () => {
  requireChecks(['ci'], undefined, true);
  await check('ci');
  await fixture.forge.seed.commit(pull.repository.name, { 'new.txt': 'new\n' });
  expect(await stateOf()).toBe('behind');
  expect(await refusal()).toContain('Head branch is out of date');
  await pull.clone.git('fetch', '--quiet', 'origin');
  await pull.clone.git('merge', '--quiet', 'origin/main');
  await pull.clone.git('push', '--quiet', 'origin', 'topic');
  pull.sha = await pull.clone.git('rev-parse', 'HEAD');
  await check('ci');
  expect(await merges()).toBe(true);
});

test('an App on the bypass list merges despite the rules', async () => {
  const parameters = { required_status_checks: [{ context: 'ci' }] };
  fixture.forge.seed.addRuleset(pull.repository.name, {
    rules: [{ type: 'required_status_checks', parameters }, { type: 'update' }],
    bypass_actors: [{ actor_type: 'Integration', actor_id: fixture.app.id }],
  });
  const wil = fixture.person('wil');
  const push = { ...pull.repository.at, ref: 'heads/main', sha: pull.sha };
  expect((await httpErrorOf(wil.git.updateRef(push))).message).toContain('ci');
  expect((await httpErrorOf(wil.pulls.merge(pull.at))).message).toContain('Cannot update this protected ref');
  expect(await stateOf()).toBe('blocked');
  expect(await merges()).toBe(true);
});
