import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { beforeEach, expect, test } from 'vitest';
import { at, type RunsFixture } from './runs-fixture.ts';
import { oneTask, onInterruptedRun, pullsOf, stateOf, twoTasks } from './spawning-fixture.ts';

/** Runs that cannot be made, or that somebody else decides about at the same time. */
let fixture: RunsFixture;
let answers: (request: ForgeRequest) => number | undefined;

const onRequest: RequestHook = async (request, next) => {
  const status = answers(request);
  if (status === undefined) return next();
  const body = JSON.stringify({ message: 'Resource not accessible by integration' });
  return { status, headers: { 'content-type': 'application/json' }, body };
};

beforeEach(() => {
  answers = () => undefined;
});
onInterruptedRun(
  (fresh) => {
    fixture = fresh;
  },
  { onRequest },
);

/** What nobody opens: the pull request of the second task. */
function opensSecond({ method, path, body }: ForgeRequest): boolean {
  return method === 'POST' && path.endsWith('/pulls') && body.toString().includes('Show the time');
}

test.each([403, 422])(
  'what GitHub refuses with %i is told with what is there, and completed later',
  async (status) => {
    answers = (request) => (opensSecond(request) ? status : undefined);
    await fixture.says('ada', 2, twoTasks);
    const waiting = await stateOf(fixture, 2);
    expect(waiting.standing).toMatchObject({ phase: 'awaiting_resolution' });
    expect(waiting.standing).not.toHaveProperty('spawning');
    expect(waiting).toMatchObject({ replaced_by: { made: [{ name: 'parse', number: 3 }] }, owed: [] });
    const told = (await fixture.appComments(2)).filter((text) => text.includes('show'));
    expect(told.join('\n')).toContain('#3');
    await fixture.sweep();
    expect((await fixture.appComments(2)).filter((text) => text.includes('show'))).toEqual(told);
    expect(await fixture.appComments(1)).toEqual([]);
    answers = () => undefined;
    fixture.wait(10);
    await fixture.says('ada', 2, twoTasks);
    expect(await stateOf(fixture, 2)).toMatchObject({
      standing: { phase: 'abandoned' },
      replaced_by: {
        made: [
          { name: 'parse', number: 3 },
          { name: 'show', number: 4 },
        ],
      },
    });
    expect(await pullsOf(fixture)).toEqual([
      '#2 Fix the clock: closed',
      '#3 Parse the time.: open',
      '#4 Show the time.: open',
    ]);
    expect((await stateOf(fixture, 4)).standing).toMatchObject({ phase: 'blocked', on: [{ number: 3 }] });
    expect(await fixture.appComments(1)).toHaveLength(1);
  },
);

test('branches that rules refuse leave the run as it was, and it can be tried again', async () => {
  const { seed } = fixture.forge;
  seed.protect('acme/api', 'refs/heads/coxswain/**', { forbid_create: true });
  await fixture.says('ada', 2, twoTasks);
  const { standing, replaced_by } = await stateOf(fixture, 2);
  expect([standing.phase, replaced_by?.made]).toEqual(['awaiting_resolution', []]);
  expect((await fixture.appComments(2)).join('\n')).toMatch(/parse/);
  seed.unprotect('acme/api');
  fixture.wait(10);
  await fixture.says('ada', 2, twoTasks);
  expect((await stateOf(fixture, 2)).standing.phase).toBe('abandoned');
  expect(await pullsOf(fixture)).toHaveLength(3);
});

test('of two at the same instant one counts, and the other is told', async () => {
  const { ada, bob, hears } = fixture;
  const place = { ...at, issue_number: 2 };
  const { data: first } = await ada.rest.issues.createComment({ ...place, body: twoTasks });
  const { data: second } = await bob.rest.issues.createComment({ ...place, body: oneTask });
  await Promise.all([hears('ada', 2, first), hears('bob', 2, second)]);
  const { standing } = await stateOf(fixture, 2);
  expect(standing.phase).toBe('abandoned');
  const byAda = 'by' in standing && standing.by === 'ada';
  expect(await pullsOf(fixture)).toHaveLength(byAda ? 3 : 2);
  const told = (await fixture.appComments(2)).join('\n');
  expect(told).toContain(byAda ? '@bob' : '@ada');
  expect(await fixture.appComments(1)).toHaveLength(1);
});

test('of /spawn and /retry at the same instant one counts, and the other is told', async () => {
  const { ada, bob, hears } = fixture;
  const place = { ...at, issue_number: 2 };
  const { data: first } = await ada.rest.issues.createComment({ ...place, body: '/retry' });
  const { data: second } = await bob.rest.issues.createComment({ ...place, body: oneTask });
  await Promise.all([hears('ada', 2, first), hears('bob', 2, second)]);
  const { standing } = await stateOf(fixture, 2);
  const isReplaced = standing.phase === 'abandoned';
  expect(await pullsOf(fixture)).toHaveLength(isReplaced ? 2 : 1);
  expect((await fixture.appComments(2)).join('\n')).toContain(isReplaced ? '@ada' : '@bob');
  if (!isReplaced) expect(standing.phase).toBe('awaiting_approval');
});

test('two Apps make each run once', async () => {
  const { ada, hears } = fixture;
  const { data: comment } = await ada.rest.issues.createComment({ ...at, issue_number: 2, body: twoTasks });
  const first = hears('ada', 2, comment);
  fixture.switches();
  await Promise.all([first, hears('ada', 2, comment)]);
  await fixture.sweep();
  expect(await pullsOf(fixture)).toHaveLength(3);
  expect(await stateOf(fixture, 2)).toMatchObject({ standing: { phase: 'abandoned' }, owed: [] });
  expect(await fixture.appComments(1)).toHaveLength(1);
});
