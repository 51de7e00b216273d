import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppFixture, expectNoProblems } from '../app/app-fixture.ts';
import { startBarrier } from '../app/barrier.ts';
import { eventually } from '../app/eventually.ts';
import { type PullClient, progressOfApp } from '../app/pull-client.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from '../app/waiting-runs.ts';
import { type Answer, type Asked, type Client, clientOf } from './client.ts';

let runs: FixtureWithRuns;
let fixture: AppFixture;
let ada: Client;
let mia: Client;
let grace: Client;
beforeAll(async () => {
  runs = await startFixtureWithRuns();
  fixture = runs.fixture;
  ada = await clientOf(fixture.app.url, fixture.ada.token);
  mia = await clientOf(fixture.app.url, fixture.mia.token);
  grace = await clientOf(fixture.app.url, fixture.grace.token);
});
afterAll(async () => {
  expectNoProblems(fixture);
  await fixture.end();
});

/** Says something on a run through a generated client. */
function on({ number }: PullClient, client = ada) {
  return (operation: string, body: object = {}, asked: Asked = {}): Promise<Answer> =>
    client.call(operation, { owner: 'acme', repo: 'widgets', number, ...asked }, body);
}

/** Waits for the phase that the API tells, in which the pull request may not be drawn yet. */
async function reaches(pull: PullClient, phase: string): Promise<void> {
  const look = async () => ((await on(pull)('getRun')).data.phase === phase ? true : undefined);
  await eventually(`#${pull.number} to be ${phase}`, look, { progress: () => progressOfApp(fixture.forge) });
}

/** The comments of people on a pull request, oldest first. */
async function said({ number }: PullClient): Promise<readonly { author: string; body: string }[]> {
  const { data } = await fixture.ada.octokit.rest.issues.listComments({
    ...{ owner: 'acme', repo: 'widgets', issue_number: number, per_page: 100 },
  });
  return data
    .filter(({ user }) => user?.type === 'User')
    .map(({ user, body = '' }) => ({ author: user?.login ?? '', body }));
}

/** Matches a comment with the seal of the API in front. */
const sealed = (text: string) =>
  expect.stringMatching(
    new RegExp(`^<!-- coxswain:said \\{.*"door":"api".*\\} -->\\n\\n${text.replaceAll('.', '\\.')}$`),
  );

test('an approval without a commit approves the head on show, and names it in full', async () => {
  const pull = runs.next();
  const head = await pull.head();
  const { status, data } = await on(pull)('approve');
  expect({ status, data }).toMatchObject({
    status: 200,
    data: { status: 'done', phase: 'approved', awaited: null },
  });
  expect(await said(pull)).toEqual([{ author: 'ada', body: sealed(`/approve ${head}`) }]);
  await reaches(pull, 'approved');
  const { data: audit } = await ada.call('getAudit', { owner: 'acme', repo: 'widgets', number: pull.number });
  expect(audit.approvals).toMatchObject([{ by: 'ada', head_sha: head, from: 'comment' }]);
  expect(await on(pull)('approve')).toMatchObject({ status: 409 });
});

describe('a run that waits for approval', () => {
  let pull: PullClient;
  beforeAll(() => {
    pull = runs.next();
  });

  test('is not approved at another commit, and nothing is posted', async () => {
    const head = await pull.head();
    const wrong = await on(pull)('approve', { sha: 'abcdef0' });
    expect(wrong).toMatchObject({
      status: 409,
      data: { detail: expect.stringContaining(`The head is ${head}`) },
    });
    expect(await said(pull)).toEqual([]);
  });

  test.each([
    ['steer', {}, 400],
    ['steer', { prompt: '  ' }, 400],
    ['steer', { prompt: 'Rename it', who: 'bob' }, 400],
    ['steer', { prompt: 'x'.repeat(65_600) }, 413],
    ['steer', { prompt: '--now start again' }, 422],
    ['steer', { prompt: 'a\u202eb' }, 422],
    ['reject', {}, 400],
    ['approve', { sha: 'abc1234 --despite test' }, 400],
    ['approve', { despite: ['test --despite lint'] }, 422],
    ['answer', { text: '1' }, 409],
    ['resume', {}, 409],
    ['allow', {}, 409],
    ['deny', { reason: 'no' }, 409],
    ['dismiss', { concern: 'c1' }, 409],
    ['dismiss', { concern: 'c1 /approve' }, 400],
    ['budget', { more: 5 }, 409],
    ['undo', {}, 409],
    ['abandon', {}, 409],
    ['spawn', {}, 422],
    ['retry', { changes: { colour: 'red' } }, 422],
    ['resolve', { action: 'retry', task_id: 'other' }, 422],
    ['resolve', { action: 'spawn_new_task' }, 422],
    ['resolve', { action: 'retry', new_description: 'x' }, 422],
    ['resolve', { action: 'forget' }, 422],
    ['extend', { more: 21 }, 400],
    ['pause', { reason: 5 }, 400],
  ])('refuses %s %o with %i', async (operation, body, status) => {
    const answer = await on(pull)(operation, body);
    expect(answer).toMatchObject({ status, data: { status, detail: expect.stringMatching(/.{20}/) } });
  });

  test('is not acted on by people without the right', async () => {
    expect(await on(pull, grace)('steer', { prompt: 'Rename it' })).toMatchObject({
      status: 403,
      data: { detail: expect.stringContaining('requires write on this repository, but your role is read') },
    });
  });

  test('has heard nothing of all that', async () => {
    expect(await said(pull)).toEqual([]);
  });

  test('is paused, resumed, extended and verified', async () => {
    expect(await on(pull)('pause', { reason: 'For lunch' })).toMatchObject({
      status: 200,
      data: { phase: 'paused' },
    });
    expect((await on(pull)('resume')).status).toBe(200);
    await reaches(pull, 'awaiting_approval');
    expect(await on(pull)('extend', { more: 2 })).toMatchObject({
      status: 200,
      data: { reply: 'This run may now have 7 iterations.' },
    });
    expect(await on(pull)('verify')).toMatchObject({ status: 200, data: { status: 'done' } });
    await reaches(pull, 'awaiting_approval');
  });

  test('is steered once if the same is said twice with one key', async () => {
    const barrier = await startBarrier();
    const say = (prompt: string, key: string) => on(pull)('steer', { prompt }, { 'idempotency-key': key });
    const first = await say(`Make it better, agent: wait ${barrier.path}`, 'one');
    expect(first).toMatchObject({ status: 200, data: { repeated: false } });
    await barrier.reached();
    const again = await say(`Make it better, agent: wait ${barrier.path}`, 'one');
    expect(again).toMatchObject({
      status: 200,
      data: { repeated: true, comment_url: first.data.comment_url },
    });
    expect((await say('Make it worse', 'one')).status).toBe(422);
    const queued = await say('Then document it, agent: work', 'two');
    expect(queued).toMatchObject({ status: 202, data: { status: 'queued', place: 1, posted: true } });
    expect((await on(pull)('getSteering')).data.queue).toMatchObject([{ author: 'ada' }]);
    barrier.open();
    await reaches(pull, 'awaiting_approval');
    await barrier.close();
    expect((await said(pull)).filter(({ body }) => body.includes('/steer'))).toHaveLength(2);
  });

  test('goes back, and is rejected with the words of a person', async () => {
    expect(await on(pull)('undo', { to: 1 })).toMatchObject({ status: 200 });
    await reaches(pull, 'awaiting_approval');
    expect(await on(pull)('reject', { reason: 'Not what was asked for' })).toMatchObject({
      status: 200,
      data: { phase: 'rejected' },
    });
  });
});

test('what is said after the end of a run is refused without a comment', async () => {
  const pull = runs.next();
  expect(await on(pull)('cancel')).toMatchObject({ status: 200, data: { phase: 'cancelled' } });
  await pull.waitForClosed();
  const before = await said(pull);
  expect((await on(pull)('steer', { prompt: 'Go on' })).status).toBe(409);
  expect(await said(pull)).toEqual(before);
});

describe('a run that is interrupted', () => {
  test('says why, and goes on as it is resolved', async () => {
    const pull = runs.next();
    expect(await on(pull)('interrupt', { reason: 'Wait for legal' })).toMatchObject({
      status: 200,
      data: { phase: 'awaiting_resolution' },
    });
    expect((await on(pull)('getInterrupts')).data).toMatchObject({
      interrupted: true,
      data: { type: 'manual_interrupt' },
    });
    const resolved = await on(pull)('resolve', {
      action: 'retry',
      modified_description: 'Fine. agent: work',
    });
    expect(resolved).toMatchObject({ status: 200, data: { status: 'resumed', action: 'retry' } });
    expect((await on(pull)('resolve', { action: 'retry' })).status).toBe(409);
    await reaches(pull, 'awaiting_approval');
    expect((await on(pull)('getRun')).data.task.description).toBe('Fine. agent: work');
  });

  test('makes room for other tasks', async () => {
    const pull = runs.next();
    await on(pull)('interrupt');
    const spawned = await on(pull)('spawn', {
      tasks: [
        { name: 'first', description: 'The first half, agent: work' },
        { name: 'second', description: 'The second half, agent: work', depends_on: ['first'] },
      ],
    });
    expect(spawned).toMatchObject({ status: 200, data: { status: 'done' } });
    await pull.waitForClosed();
  });
});

test('a failed task is retried with changes, or abandoned', async () => {
  const pull = await fixture.ada.starts('agent: red');
  await reaches(pull, 'awaiting_resolution');
  const changes = { description: 'agent: red', acceptance_criteria: ['npm test passes'] };
  expect(await on(pull)('retry', { changes })).toMatchObject({ status: 200 });
  await reaches(pull, 'awaiting_resolution');
  expect((await on(pull)('getRun')).data.task.acceptance_criteria).toEqual(['npm test passes']);
  expect(await on(pull)('abandon', { reason: 'It is not worth it' })).toMatchObject({
    status: 200,
    data: { phase: 'abandoned' },
  });
});

test('a question of the agent is answered', async () => {
  const pull = await fixture.ada.starts('agent: ask');
  await reaches(pull, 'awaiting_answer');
  const [question] = (await on(pull)('getRun')).data.questions;
  expect((await on(pull)('answer', { question: 'question:9:9', text: 'More' })).status).toBe(409);
  const answered = await on(pull)('answer', { question: question?.id, text: 'More of it' });
  expect(answered).toMatchObject({ status: 200, data: { status: 'done' } });
  await reaches(pull, 'awaiting_approval');
});

test('held work is kept off the branch, or allowed', async () => {
  const pull = await fixture.ada.starts('agent: workflow');
  await reaches(pull, 'awaiting_permission');
  expect((await on(pull, grace)('allow')).status).toBe(403);
  expect(await on(pull, mia)('deny', { reason: 'agent: work' })).toMatchObject({ status: 200 });
  const other = await fixture.ada.starts('agent: other-workflow');
  await reaches(other, 'awaiting_permission');
  expect(await on(other)('allow', { scope: 'once' })).toMatchObject({ status: 200 });
});
