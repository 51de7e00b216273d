import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';
import { stateOf } from './spawning-fixture.ts';

/**
 * Run #3 on issue #1 is approved; run #4 on issue #2, which depends on #1, is blocked. Other things happen
 * just when it begins.
 */
let saved: SavedForge;
let fixture: RunsFixture;
let hook: RequestHook;

beforeAll(async () => {
  saved = await saveForge(async ({ ada, labels, says }) => {
    await ada.rest.issues.create({ ...at, title: 'First', body: 'It comes first.' });
    await ada.rest.issues.create({ ...at, title: 'Second', body: 'It builds on that.\n\nDepends on #1.' });
    await labels('ada', 1);
    await labels('ada', 2);
    await says('mia', 3, '/approve');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  hook = (_, next) => next();
  fixture = await startRunsFixture(saved, undefined, { onRequest: (request, next) => hook(request, next) });
  fixture.wait(10);
});

afterEach(() => fixture.end());

/** Whether the branch of the dependent is pushed. */
function pushesBranch({ kind, method, body }: ForgeRequest): boolean {
  return kind === 'git' && method === 'POST' && body.includes('refs/heads/coxswain/second');
}

/** Does something before the branch of the dependent is pushed for the first time. */
function beforePush(act: () => Promise<unknown>): void {
  hook = async (request, next) => {
    if (!pushesBranch(request)) return next();
    hook = (_, others) => others();
    await act();
    return next();
  };
}

async function merge(): Promise<void> {
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: 3 });
}

async function file(ref: string, path: string): Promise<string> {
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, ref, path });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString('utf8') : '';
}

async function eventsOf(number: number): Promise<readonly string[]> {
  return (await fixture.run(number).run.ledger.events()).map(({ type }) => type);
}

test('a merge of which Git knows nothing yet keeps it waiting until Git does', async () => {
  await merge();
  const { data: base } = await fixture.ada.rest.repos.getBranch({ ...at, branch: 'main' });
  const unknown = 'd'.repeat(40);
  hook = async (request, next) => {
    const answer = await next();
    if (request.kind === 'git' || answer === 'drop') return answer;
    return { ...answer, body: answer.body.toString().replaceAll(base.commit.sha, unknown) };
  };
  await fixture.turns(1);
  expect((await stateOf(fixture, 4)).standing).toEqual({
    phase: 'blocked',
    on: [{ number: 1, is: 'merged' }],
  });
  expect(await fixture.appComments(4)).toEqual([]);
  hook = (_, next) => next();
  await fixture.sweep();
  expect((await stateOf(fixture, 4)).standing.phase).toBe('awaiting_approval');
});

test('a base that moves on while it is merged is not lost', async () => {
  beforePush(() => fixture.pushes('bob', { from: 'main', files: { 'by-bob.txt': 'b\n' } }));
  await merge();
  await fixture.sweep();
  const { standing, run } = await stateOf(fixture, 4);
  expect(standing.phase).toBe('awaiting_approval');
  expect(await file(run.branch, 'notes.txt')).toBe('iteration 0\niteration 0\n');
});

test('what somebody pushes to the branch while the base is merged into it stays there', async () => {
  const { run } = await stateOf(fixture, 4);
  beforePush(() => fixture.pushes('bob', { from: run.branch, files: { 'by-bob.txt': 'b\n' } }));
  await merge();
  await fixture.sweep();
  await fixture.sweep();
  expect((await stateOf(fixture, 4)).standing.phase).toBe('awaiting_approval');
  expect(await file(run.branch, 'by-bob.txt')).toBe('b\n');
  expect(await file(run.branch, 'notes.txt')).toBe('iteration 0\niteration 0\n');
});

test('a base that may not be merged into the branch is told, and merged by /retry once it may', async () => {
  const { seed } = fixture.forge;
  seed.protect('acme/api', 'refs/heads/coxswain/**', { forbid_update: true });
  await merge();
  await fixture.sweep();
  const refused = await stateOf(fixture, 4);
  expect(refused.standing).toMatchObject({
    phase: 'awaiting_resolution',
    interrupt: { failure_reason: expect.stringMatching(/push|refuse/) },
  });
  expect(await eventsOf(4)).not.toContain('base_merged');
  seed.unprotect('acme/api');
  await fixture.says('ada', 4, '/retry');
  expect((await stateOf(fixture, 4)).standing.phase).toBe('awaiting_approval');
  expect(await file(refused.run.branch, 'notes.txt')).toBe('iteration 0\niteration 0\n');
});

test('/resume and the merge at once begin it once', async () => {
  const place = { ...at, issue_number: 4 };
  const { data: comment } = await fixture.mia.rest.issues.createComment({ ...place, body: '/resume' });
  await merge();
  await Promise.all([fixture.hears('mia', 4, comment), fixture.turns(1), fixture.sweep()]);
  await fixture.sweep();
  const { standing, run, attempt } = await stateOf(fixture, 4);
  expect([standing.phase, attempt]).toEqual(['awaiting_approval', 1]);
  const events = await eventsOf(4);
  expect(events.filter((type) => type === 'attempt_started' || type === 'base_merged')).toHaveLength(2);
  expect(await file(run.branch, 'notes.txt')).toBe('iteration 0\niteration 0\n');
});

test('two Apps that hear of the merge begin it once', async () => {
  await fixture.sweep();
  fixture.switches();
  await fixture.sweep();
  await merge();
  const first = fixture.turns(1);
  fixture.switches();
  await Promise.all([first, fixture.turns(1), fixture.sweep()]);
  fixture.switches();
  await fixture.sweep();
  expect((await stateOf(fixture, 4)).standing.phase).toBe('awaiting_approval');
  const events = await eventsOf(4);
  expect(events.filter((type) => type === 'attempt_started' || type === 'base_merged')).toHaveLength(2);
  expect((await stateOf(fixture, 3)).standing.phase).toBe('done');
});
