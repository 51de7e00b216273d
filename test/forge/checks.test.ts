import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Place, refusal, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  expect(stage.recorder.problems).toEqual([]);
  await stage.end();
});

const buttons = [
  { label: 'Approve', description: 'Finish with this', identifier: 'approve' },
  { label: 'Reject', description: 'Close', identifier: 'reject' },
];

async function headOf(place: Place): Promise<string> {
  return (await place.bot.git.getRef({ ...place.at, ref: 'heads/main' })).data.object.sha;
}

async function checked(place: Place, more: object = {}) {
  const head_sha = await headOf(place);
  const { data } = await place.bot.checks.create({ ...place.at, name: 'Coxswain', head_sha, ...more });
  return { ...place.at, check_run_id: data.id, head_sha };
}

test('a check run is created, completed and found by its commit', async () => {
  const place = await stage.place();
  const at = await checked(place, { external_id: 'i-1', status: 'in_progress' });
  const { data } = await place.bot.checks.update({ ...at, conclusion: 'action_required' });
  expect(data).toMatchObject({ status: 'completed', conclusion: 'action_required', external_id: 'i-1' });
  const { data: found } = await place.bot.checks.listForRef({
    ...place.at,
    ref: 'main',
    check_name: 'Coxswain',
  });
  expect(found.check_runs.map(({ id }) => id)).toEqual([at.check_run_id]);
  await stage.settled();
  expect(stage.heard('check_run')).toEqual(['created', 'completed']);
});

test('of runs with one name the latest is shown, and all on demand', async () => {
  const place = await stage.place();
  const first = await checked(place);
  const second = await checked(place);
  const ids = async (filter: 'latest' | 'all') =>
    (await place.bot.checks.listForRef({ ...place.at, ref: first.head_sha, filter })).data.check_runs.map(
      ({ id }) => id,
    );
  expect(await ids('latest')).toEqual([second.check_run_id]);
  expect(await ids('all')).toEqual([second.check_run_id, first.check_run_id]);
});

test('people make no check runs, and an App changes only its own', async () => {
  const place = await stage.place();
  const at = await checked(place);
  const person = stage.person('ada').checks.create({ ...place.at, name: 'x', head_sha: at.head_sha });
  expect(await refusal(person)).toMatchObject({
    status: 403,
    message: expect.stringContaining('GitHub App'),
  });
  const actions = stage.client(stage.forge.seed.actionsToken(place.name, { checks: 'write' }));
  expect((await refusal(actions.checks.update({ ...at, conclusion: 'success' }))).status).toBe(403);
});

test('a click on a button reaches the App that made the run, with who clicked', async () => {
  const place = await stage.place();
  const at = await checked(place, { actions: buttons, external_id: 'i-2' });
  await stage.settled();
  stage.received.length = 0;
  stage.forge.seed.clickCheckRunAction(place.name, at.check_run_id, { identifier: 'approve', login: 'wil' });
  await stage.settled();
  expect(stage.received.map(({ payload }) => payload)).toEqual([
    expect.objectContaining({
      action: 'requested_action',
      requested_action: { identifier: 'approve' },
      check_run: expect.objectContaining({ external_id: 'i-2' }),
      sender: expect.objectContaining({ login: 'wil' }),
    }),
  ]);
  const click = (identifier: string, login: string) => () =>
    stage.forge.seed.clickCheckRunAction(place.name, at.check_run_id, { identifier, login });
  expect(click('approve', 'tri')).toThrow(/no write access/);
  expect(click('merge', 'wil')).toThrow(/no such button/);
});

test('buttons and annotations keep within the limits of GitHub', async () => {
  const place = await stage.place();
  const wrong = async (more: object) => (await refusal(checked(place, more))).status;
  const [approve] = buttons;
  expect(await wrong({ actions: [...buttons, ...buttons] })).toBe(422);
  expect(await wrong({ actions: [{ ...approve, label: 'x'.repeat(21) }] })).toBe(422);
  expect(await wrong({ actions: [{ ...approve, description: 'x'.repeat(41) }] })).toBe(422);
  expect(await wrong({ actions: [{ ...approve, identifier: 'x'.repeat(21) }] })).toBe(422);
  expect(await wrong({ output: { title: 't', summary: 's', annotations: notes(51) } })).toBe(422);
  expect(await wrong({ output: { title: 't', summary: 'x'.repeat(65_536) } })).toBe(422);
});

test('annotations of later requests are added to those before', async () => {
  const place = await stage.place();
  const output = { title: 't', summary: 's', annotations: notes(50) };
  const at = await checked(place, { output });
  const { data } = await place.bot.checks.update({ ...at, output: { ...output, annotations: notes(7) } });
  expect(data.output.annotations_count).toBe(57);
  const { data: page } = await place.bot.checks.listAnnotations({ ...at, per_page: 100 });
  expect(page).toHaveLength(57);
});

test('a push asks the App for checks, and a run can be asked for again', async () => {
  const place = await stage.place();
  const clone = await stage.clone(place);
  await clone.commit('More');
  await stage.settled();
  stage.received.length = 0;
  await clone.git('push', '--quiet', 'origin', 'main');
  const at = await checked(place);
  await place.bot.checks.rerequestRun(at);
  const { data } = await place.bot.checks.listSuitesForRef({ ...place.at, ref: 'main' });
  await place.bot.checks.rerequestSuite({ ...place.at, check_suite_id: data.check_suites[0]?.id ?? 0 });
  await expect.poll(() => stage.heard('check_suite')).toEqual(['requested', 'rerequested']);
  expect(stage.heard('check_run')).toEqual(['created', 'rerequested']);
});

test('a workflow is dispatched only where it waits for that', async () => {
  const files = {
    '.github/workflows/coxswain.yml': 'on:\n  workflow_dispatch:\n    inputs: {}\njobs: {}\n',
    '.github/workflows/ci.yml': 'on: push\njobs: {}\n',
  };
  const place = await stage.place({ files });
  const dispatch = (workflow_id: string) =>
    place.bot.actions.createWorkflowDispatch({ ...place.at, workflow_id, ref: 'main', inputs: { run: '1' } });
  await dispatch('coxswain.yml');
  expect(stage.forge.seed.dispatches().at(-1)).toMatchObject({
    workflow: 'coxswain.yml',
    inputs: { run: '1' },
  });
  expect((await refusal(dispatch('ci.yml'))).status).toBe(422);
  expect((await refusal(dispatch('none.yml'))).status).toBe(404);
});

function notes(count: number) {
  const note = { path: 'a.txt', start_line: 1, end_line: 1, annotation_level: 'warning' as const };
  return Array.from({ length: count }, (_, index) => ({ ...note, message: `note ${index}` }));
}
