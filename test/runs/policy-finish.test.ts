import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { State } from '../../src/steering/state/state.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Whoever may go on without people is decided by the configuration, and proven by GitHub at the finish. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

const config = (approval: string, lint = 'true') => `version: 1
agent: { use: command, command: [sh, agent.sh] }
verifiers:
  - { name: test, run: "true" }
  - { name: lint, run: "${lint}", required: false }
sandbox: off
approval: { mode: auto, new_history: 0, ${approval} }
`;

/** One of two verifiers fails, but not a required one. */
const medium = 'false';

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function starts(approval: string, lint = 'true'): Promise<void> {
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': config(approval, lint) });
  await fixture.says('ada', 1, '/run');
}

async function state(): Promise<State> {
  const snapshot = await fixture.run(number).run.readLedger();
  if (snapshot === undefined) throw new Error('there is no run');
  return snapshot.state;
}

async function check(name = 'Coxswain') {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: pull.head.sha, check_name: name });
  return { pull, ...data.check_runs[0] };
}

const comments = async () => (await fixture.appComments(number)).join('\n');

test('work of high confidence is approved by policy, and merged where the configuration says so', async () => {
  await starts('finish: merge');
  expect((await check()).pull.merged).toBe(true);
  await fixture.sweep();
  const { conclusion, output } = await check();
  expect((await state()).standing).toMatchObject({ phase: 'done', merged: true, ground: { rule: 'auto' } });
  expect(conclusion).toBe('success');
  expect(output?.summary).toContain('approved by policy: `auto`');
});

test('what was approved by policy stays so in every sweep and in another process', async () => {
  await starts('finish: ready');
  await fixture.sweep();
  await fixture.restart();
  await fixture.sweep();
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'finished' });
  expect(await check()).toMatchObject({ pull: { draft: false }, conclusion: 'success' });
});

test.each([403, 404])('a GitHub that answers %i about activities has people decide', async (status) => {
  fixture.forge.seed.fault({ path: /\/activity\?/, times: 1_000, status });
  await starts('finish: merge');
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect(await check()).toMatchObject({
    pull: { draft: true, merged: false },
    conclusion: 'action_required',
  });
  expect(await comments()).toContain('GitHub does not say who else pushed to the branch');
});

test('a check before it takes effect that fails for too long leaves it to people, who are told', async () => {
  fixture.forge.seed.fault({ path: /\/activity\?/, times: 1_000, status: 500 });
  const starting = starts('finish: merge');
  await expect.poll(() => fixture.warnings.join('\n')).toContain('activity');
  expect((await state()).standing).toMatchObject({ phase: 'approved', finish: 'checking' });
  fixture.waitInApp(11 * 60);
  await starting;
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect(await check()).toMatchObject({
    pull: { draft: true, merged: false },
    conclusion: 'action_required',
  });
  expect(await comments()).toContain('could not be read');
});

test('somebody who steered or asked, and may no longer write, takes it back', async () => {
  await starts('finish: ready');
  fixture.forge.seed.setCollaborator('acme/api', 'ada', 'read');
  await fixture.sweep();
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect((await state()).shown?.proceeding).toMatchObject({
    how: 'wait',
    because: [{ why: 'finish_refused', reasons: ['no write access: ada'] }],
  });
  expect(await check()).toMatchObject({ pull: { draft: true }, conclusion: 'action_required' });
  expect(await comments()).toContain('no write access: ada');
});

test('a configuration that is manual by now takes it back', async () => {
  await starts('finish: ready');
  const text = config('finish: ready').replace('auto', 'manual');
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.sweep();
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect((await state()).shown?.proceeding).toEqual({ how: 'wait', because: [{ why: 'manual' }] });
});

test('a commit of somebody else on the branch needs people, whatever its confidence', async () => {
  await starts('finish: ready');
  const branch = (await check()).pull.head.ref;
  await fixture.pushes('bob', { from: branch, files: { 'more.txt': 'more\n' } });
  await fixture.sweep();
  expect((await state()).standing.phase).toBe('awaiting_approval');
  expect((await state()).shown?.proceeding).toMatchObject({ because: [{ why: 'others_pushed' }] });
});

test('a run on new ground waits for people unless the configuration has it written out', async () => {
  const text = config('finish: ready').replace('new_history: 0, ', '');
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.says('ada', 1, '/run');
  expect((await state()).standing).not.toHaveProperty('proceeds');
  expect((await state()).shown?.proceeding).toMatchObject({
    because: [{ why: 'on_timeout_unwritten', where: 'new_ground' }],
    new_ground: { merged_runs: 0, needed: 3 },
  });
});

const timed = 'finish: ready, auto_proceed_after: 1h, on_timeout: proceed';

async function startsTimed(approval = timed): Promise<void> {
  const text = config(approval).replace('new_history: 0', 'new_history: 3');
  await fixture.forge.seed.commit('acme/api', { '.github/coxswain.yml': text });
  await fixture.says('ada', 1, '/run');
}

test('a run says until when people have time, and goes on if nobody says anything', async () => {
  await startsTimed();
  expect(await comments()).toContain('It proceeds without an approval at');
  fixture.waitInApp(3601);
  await fixture.sweep();
  expect((await state()).standing.phase).toBe('approved');
  await fixture.sweep();
  expect((await state()).standing).toMatchObject({
    ...{ phase: 'approved', finish: 'finished' },
    ground: { by: 'policy', rule: 'auto_proceed_after' },
  });
});

test('a plain comment stops it, which nobody has told the App', async () => {
  await startsTimed();
  await fixture.bob.rest.issues.createComment({
    ...at,
    issue_number: number,
    body: 'Hold on, I am reading.',
  });
  fixture.waitInApp(3601);
  await fixture.sweep();
  expect((await state()).left_to_people?.because).toMatchObject({ why: 'stopped', by: 'bob' });
  expect((await state()).standing).not.toHaveProperty('proceeds');
});

test('what a stranger says stops nothing', async () => {
  await startsTimed();
  await fixture.rea.rest.issues.createComment({ ...at, issue_number: number, body: 'Stop!' });
  fixture.waitInApp(3601);
  await fixture.sweep();
  expect((await state()).standing.phase).toBe('approved');
});

test('it goes on in another process after a restart in the middle', async () => {
  await startsTimed();
  await fixture.restart();
  fixture.waitInApp(3601);
  await fixture.sweep();
  expect((await state()).standing.phase).toBe('approved');
});

test('with deny it is rejected, and the pull request says by which rule', async () => {
  await starts('finish: ready, auto_proceed_after: 1h, on_timeout: deny', medium);
  fixture.waitInApp(3601);
  await fixture.sweep();
  expect((await state()).standing).toMatchObject({ phase: 'rejected', by: 'coxswain' });
  expect((await check()).output?.summary).toContain('on_timeout: deny');
});

test('with hold it waits for people from then on, and says so', async () => {
  await starts('finish: ready, auto_proceed_after: 1h, on_timeout: hold', medium);
  fixture.waitInApp(3601);
  await fixture.sweep();
  expect((await state()).left_to_people?.because.why).toBe('held');
  expect(await comments()).toContain('the configuration says on_timeout: hold');
});

/** The comments that the App has written, with what it says of the time to answer. */
async function reminders(): Promise<readonly (string | undefined)[]> {
  const said = await fixture.appComments(number);
  return said.map((text) => /(\d+)% of the time to answer/.exec(text)?.[1]);
}

test('people are reminded by edits of what asks them, also by another process, and anew once they answer', async () => {
  await fixture.says('ada', 1, '/run');
  const before = await reminders();
  expect(before.every((percent) => percent === undefined)).toBe(true);
  fixture.waitInApp(12 * 3600 + 60);
  await fixture.sweep();
  expect(await reminders()).toEqual([...before.slice(0, -1), '50']);
  await fixture.restart();
  fixture.waitInApp(10 * 3600);
  await fixture.sweep();
  await fixture.sweep();
  expect(await reminders()).toEqual([...before.slice(0, -1), '90']);
  fixture.wait(22 * 3600);
  await fixture.says('ada', number, '/status');
  expect((await reminders()).filter((percent) => percent !== undefined)).toEqual([]);
});
