import type { Dispatch } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';

let fixture: Fixture;
const dispatches: Dispatch[] = [];

beforeAll(async () => {
  fixture = await startFixture({ onDispatch: (dispatch) => dispatches.push(dispatch) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const buttons = [
  { label: 'Approve', description: 'Finish with this', identifier: 'approve' },
  { label: 'Reject', description: 'Close', identifier: 'reject' },
];

async function headOf(repository: TestRepository): Promise<string> {
  return (await repository.bot.git.getRef({ ...repository.at, ref: 'heads/main' })).data.object.sha;
}

async function checked(repository: TestRepository, more: object = {}) {
  const head_sha = await headOf(repository);
  const { data } = await repository.bot.checks.create({
    ...repository.at,
    name: 'Coxswain',
    head_sha,
    ...more,
  });
  return { ...repository.at, check_run_id: data.id, head_sha };
}

test('a check run is created, completed and found by its commit', async () => {
  const repository = await fixture.repository();
  const at = await checked(repository, { external_id: 'i-1', status: 'in_progress' });
  const { data } = await repository.bot.checks.update({ ...at, conclusion: 'action_required' });
  expect(data).toMatchObject({ status: 'completed', conclusion: 'action_required', external_id: 'i-1' });
  const { data: found } = await repository.bot.checks.listForRef({
    ...repository.at,
    ref: 'main',
    check_name: 'Coxswain',
  });
  expect(found.check_runs.map(({ id }) => id)).toEqual([at.check_run_id]);
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('check_run')).toEqual(['created', 'completed']);
});

test('of runs with the same name only the latest is listed, unless all are requested', async () => {
  const repository = await fixture.repository();
  const first = await checked(repository);
  const second = await checked(repository);
  const ids = async (filter: 'latest' | 'all') =>
    (
      await repository.bot.checks.listForRef({ ...repository.at, ref: first.head_sha, filter })
    ).data.check_runs.map(({ id }) => id);
  expect(await ids('latest')).toEqual([second.check_run_id]);
  expect(await ids('all')).toEqual([second.check_run_id, first.check_run_id]);
});

test('people cannot create check runs, and an App can change only its own', async () => {
  const repository = await fixture.repository();
  const at = await checked(repository);
  const person = fixture.person('ada').checks.create({ ...repository.at, name: 'x', head_sha: at.head_sha });
  expect(await httpErrorOf(person)).toMatchObject({
    status: 403,
    message: expect.stringContaining('GitHub App'),
  });
  const actions = fixture.client(fixture.forge.seed.actionsToken(repository.name, { checks: 'write' }));
  expect((await httpErrorOf(actions.checks.update({ ...at, conclusion: 'success' }))).status).toBe(403);
});

test('a click on a button is delivered to the App of the run, with the person as sender', async () => {
  const repository = await fixture.repository();
  const at = await checked(repository, { actions: buttons, external_id: 'i-2' });
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  fixture.forge.seed.clickCheckRunAction(repository.name, at.check_run_id, {
    identifier: 'approve',
    login: 'wil',
  });
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ payload }) => payload)).toEqual([
    expect.objectContaining({
      action: 'requested_action',
      requested_action: { identifier: 'approve' },
      check_run: expect.objectContaining({ external_id: 'i-2' }),
      sender: expect.objectContaining({ login: 'wil' }),
    }),
  ]);
  const click = (identifier: string, login: string) => () =>
    fixture.forge.seed.clickCheckRunAction(repository.name, at.check_run_id, { identifier, login });
  expect(click('approve', 'tri')).toThrow(/no write access/);
  expect(click('merge', 'wil')).toThrow(/no such button/);
});

test("buttons and annotations have GitHub's limits", async () => {
  const repository = await fixture.repository();
  const wrong = async (more: object) => (await httpErrorOf(checked(repository, more))).status;
  const [approve] = buttons;
  expect(await wrong({ actions: [...buttons, ...buttons] })).toBe(422);
  expect(await wrong({ actions: [{ ...approve, label: 'x'.repeat(21) }] })).toBe(422);
  expect(await wrong({ actions: [{ ...approve, description: 'x'.repeat(41) }] })).toBe(422);
  expect(await wrong({ actions: [{ ...approve, identifier: 'x'.repeat(21) }] })).toBe(422);
  expect(await wrong({ output: { title: 't', summary: 's', annotations: notes(51) } })).toBe(422);
  expect(await wrong({ output: { title: 't', summary: 'x'.repeat(65_536) } })).toBe(422);
});

test('annotations of later requests are added to the earlier ones', async () => {
  const repository = await fixture.repository();
  const output = { title: 't', summary: 's', annotations: notes(50) };
  const at = await checked(repository, { output });
  const { data } = await repository.bot.checks.update({
    ...at,
    output: { ...output, annotations: notes(7) },
  });
  expect(data.output.annotations_count).toBe(57);
  const { data: page } = await repository.bot.checks.listAnnotations({ ...at, per_page: 100 });
  expect(page).toHaveLength(57);
});

test.each([
  ['\n\n\nskip-checks: true', false],
  ['\n\nRun: 7\nskip-checks:true', false],
  ['\n\nskip-checks: true\nRun: 7', true],
  ['\n\nSet skip-checks: true', true],
])('a push whose message ends with %j requests checks: %s', async (end, isRequested) => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  await clone.git('commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--message', `More${end}`);
  await fixture.forgetDeliveries();
  await clone.git('push', '--quiet', 'origin', 'main');
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('check_suite')).toEqual(isRequested ? ['requested'] : []);
});

test('a push requests checks from the App, and a run can be re-requested', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository);
  await clone.commit('More');
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  await clone.git('push', '--quiet', 'origin', 'main');
  const at = await checked(repository);
  await repository.bot.checks.rerequestRun(at);
  await expect.poll(() => fixture.actionsOf('check_run')).toEqual(['created', 'rerequested']);
  expect(fixture.actionsOf('check_suite')).toEqual(['requested']);
});

test('a workflow can be dispatched only if it has the trigger', async () => {
  const files = {
    '.github/workflows/coxswain.yml': 'on:\n  workflow_dispatch:\n    inputs: {}\njobs: {}\n',
    '.github/workflows/ci.yml': 'on: push\njobs: {}\n',
  };
  const repository = await fixture.repository({ files });
  const dispatch = (workflow_id: string) =>
    repository.bot.actions.createWorkflowDispatch({
      ...repository.at,
      workflow_id,
      ref: 'main',
      inputs: { run: '1' },
    });
  await dispatch('coxswain.yml');
  expect(dispatches.at(-1)).toMatchObject({
    workflow: 'coxswain.yml',
    inputs: { run: '1' },
  });
  expect((await httpErrorOf(dispatch('ci.yml'))).status).toBe(422);
  expect((await httpErrorOf(dispatch('none.yml'))).status).toBe(404);
});

function notes(count: number) {
  const note = { path: 'a.txt', start_line: 1, end_line: 1, annotation_level: 'warning' as const };
  return Array.from({ length: count }, (_, index) => ({ ...note, message: `note ${index}` }));
}
