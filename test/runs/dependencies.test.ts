import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { wakeDependents } from '../../src/runs/dependencies/waking.ts';
import { approveAndMerge, saveBlockedRun, stateIn } from './blocked-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveBlockedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

const stateOf = (number: number) => stateIn(fixture, number);
const merge = (number: number) => approveAndMerge(fixture, number);

async function file(ref: string, path: string): Promise<string> {
  const { data } = await fixture.ada.rest.repos.getContent({ ...at, ref, path });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString('utf8') : '';
}

test('a run begins with the files of what it depends on, once that is merged', async () => {
  const before = await stateOf(4);
  expect(before.standing).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'open' }] });
  expect(before.task.depends_on).toEqual(['#1']);
  await merge(3);
  await fixture.sweep();
  const state = await stateOf(4);
  expect(state.standing.phase).toBe('awaiting_approval');
  expect(state.merges_base).toBeUndefined();
  expect(await file(state.run.branch, 'notes.txt')).toBe('iteration 0\niteration 0\n');
  const events = await fixture.run(4).run.ledger.events();
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['dependencies_read', 'attempt_started', 'base_merged', 'work_finished']),
  );
  const { data: commits } = await fixture.ada.rest.pulls.listCommits({ ...at, pull_number: 4 });
  expect(commits.map(({ parents }) => parents.length)).toEqual([1, 2, 1]);
  const { data: files } = await fixture.ada.rest.pulls.listFiles({ ...at, pull_number: 4 });
  expect(files.map(({ filename, additions }) => [filename, additions])).toEqual([['notes.txt', 1]]);
});

test('it begins when the issue is closed by a pull request of somebody else', async () => {
  await fixture.pushes('bob', { from: 'main', to: 'topic', files: { 'by-bob.txt': 'b\n' } });
  const asked = { ...at, head: 'topic', base: 'main', title: 'By hand', body: 'Fixes #1' };
  const { data: pull } = await fixture.bob.rest.pulls.create(asked);
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: pull.number, merge_method: 'squash' });
  await fixture.turns(1);
  const state = await stateOf(4);
  expect(state.standing.phase).toBe('awaiting_approval');
  expect(await file(state.run.branch, 'by-bob.txt')).toBe('b\n');
});

test('what is closed without a merge is told once, and keeps it blocked until a maintainer resumes', async () => {
  const close = (state: 'open' | 'closed') =>
    fixture.ada.rest.issues.update({ ...at, issue_number: 1, state });
  const told = async () =>
    (await fixture.appComments(4)).filter((text) => text.includes('#1 was closed without a merge'));
  await close('closed');
  await fixture.turns(1);
  await fixture.turns(1);
  await fixture.sweep();
  expect((await stateOf(4)).standing).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'closed' }] });
  expect(await told()).toHaveLength(1);
  await close('open');
  await fixture.turns(1);
  expect((await stateOf(4)).standing).toEqual({ phase: 'blocked', on: [{ number: 1, is: 'open' }] });
  await fixture.says('ada', 4, '/resume');
  expect((await stateOf(4)).standing.phase).toBe('blocked');
  await fixture.says('mia', 4, '/resume');
  expect((await stateOf(4)).standing.phase).toBe('awaiting_approval');
});

test('a new process finds out by its sweep what was merged while nobody listened', async () => {
  await merge(3);
  await fixture.restart();
  await fixture.sweep();
  expect((await stateOf(4)).standing.phase).toBe('awaiting_approval');
});

test('a delivery that concerns nobody asks GitHub nothing once the runs were swept', async () => {
  await fixture.sweep();
  const { run } = fixture.run(4);
  const before = run.newest;
  let asked = 0;
  fixture.run(3).run.repository.octokit.hook.before('request', () => {
    asked += 1;
  });
  await fixture.turns(77);
  expect(asked).toBe(0);
  expect(run.newest).toBe(before);
});

test('an issue that GitHub closes only after the merge keeps nobody waiting for the merge', async () => {
  const { ada } = fixture;
  await ada.rest.pulls.update({ ...at, pull_number: 3, body: 'It closes nothing.' });
  await merge(3);
  await fixture.sweep();
  expect((await ada.rest.issues.get({ ...at, issue_number: 1 })).data.state).toBe('open');
  expect((await stateOf(4)).standing.phase).toBe('awaiting_approval');
});

test('an issue that we closed counts as merged with the runs on it', async () => {
  const { ada, labels } = fixture;
  await ada.rest.pulls.update({ ...at, pull_number: 3, body: 'It closes nothing.' });
  await merge(3);
  await fixture.sweep();
  const { octokit } = fixture.run(3).run.repository;
  await octokit.rest.issues.update({ ...at, issue_number: 1, state: 'closed' });
  const { data } = await ada.rest.issues.create({ ...at, title: 'Third', body: 'Depends on #1' });
  await labels('ada', data.number);
  const { standing, task } = await stateOf(6);
  expect([standing.phase, task.depends_on]).toEqual(['awaiting_approval', ['#1']]);
});

test('an issue that was transferred is refused, with where it went', async () => {
  fixture.run(3).run.repository.octokit.hook.after('request', (answer) => {
    const { data } = answer;
    if (!answer.url.endsWith('/issues/1')) return;
    Object.assign(data, { number: 5, repository_url: data.repository_url.replace(/[^/]+$/, 'other') });
  });
  expect(await refusalOf('Depends on #1')).toContain('#1 was transferred to acme/other#5');
});

async function refusalOf(body: string, number?: number): Promise<string> {
  const { ada, labels, appComments } = fixture;
  const issue = number ?? (await ada.rest.issues.create({ ...at, title: 'Another', body })).data.number;
  await labels('ada', issue);
  // Without what keeps numbers from being links.
  return ((await appComments(issue)).at(-1) ?? '').replaceAll('\u200b', '');
}

test('what a task cannot depend on is refused, all of it at once', async () => {
  const other = await fixture.ada.rest.issues.create({ ...at, title: 'Another' });
  expect(await refusalOf('Depends on: #6')).toContain('- #6 cannot depend on itself');
  const text = await refusalOf('Depends on acme/other#3 and #99, #98\n\n> Depends on #1');
  expect(text).toContain('- acme/other#3 is in another repository');
  expect(text).toContain('#99 does not exist here');
  expect(text).not.toContain('#1 ');
  await fixture.ada.rest.issues.update({ ...at, issue_number: other.data.number, state: 'closed' });
});

test('cycles are refused, spelled out, through runs, texts and dependencies of GitHub', async () => {
  const { ada } = fixture;
  const create = async (body: string) => (await ada.rest.issues.create({ ...at, title: 'One', body })).data;
  const [five, six, seven, eight] = [
    await create('Depends on #6'),
    await create('Depends on #7'),
    await create('Nothing.'),
    await create('Depends on #9 and #1'),
  ];
  const blocked_by = 'POST /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by';
  await ada.request(blocked_by, { ...at, issue_number: seven.number, issue_id: eight.id });
  await create('Depends on #5');
  expect([five.number, six.number, seven.number, eight.number]).toEqual([5, 6, 7, 8]);
  expect(await refusalOf('', 5)).toContain('it would wait for itself: #5 → #6 → #7 → #8 → #9 → #5');
  // The run on issue 2 waits for issue 1, whatever its text says by now.
  await ada.rest.issues.update({ ...at, issue_number: 2, body: 'Nothing.' });
  await fixture.says('ada', 3, '/cancel');
  fixture.wait(120);
  await fixture.says('ada', 1, '/run Depends on #2');
  const refusal = (await fixture.appComments(1)).at(-1)?.replaceAll('\u200b', '');
  expect(refusal).toContain('it would wait for itself: #1 → #2 → #1');
});

test('a run depends on what took the place of what it depended on', async () => {
  const { ada, labels, says } = fixture;
  const { data: third } = await ada.rest.issues.create({ ...at, title: 'Third', body: 'Depends on #3' });
  await labels('ada', third.number);
  const { run, liveRuns } = fixture.run(3);
  await says('ada', 3, '/cancel');
  const before = await stateOf(3);
  const replaced_by = { cause: 'comment:1', made: [{ name: 'one', number: 20 }] };
  const standing = { phase: 'abandoned', by: 'ada', reason: '', replaced_by } as const;
  await wakeDependents(run, { ...before, standing }, liveRuns.in(run.repository));
  for (const number of [4, 6]) {
    const { task, standing: now } = await stateOf(number);
    expect(task.depends_on).toEqual(['#20']);
    expect(now).toMatchObject({ phase: 'blocked', on: [{ number: 20 }] });
  }
});

test('those whose ledger cannot be read for now are told at the next try', async () => {
  const { run, liveRuns } = fixture.run(3);
  await fixture.says('ada', 3, '/cancel');
  const before = await stateOf(3);
  const standing = { phase: 'cancelled', by: 'ada', reason: '' } as const;
  const known = liveRuns.in(run.repository).open.filter(({ number }) => number !== 3);
  await Promise.all(known.map((each) => liveRuns.forget(each)));
  liveRuns.in(run.repository).notEnded.clear();
  const fetches = { method: 'POST', path: /\/git-upload-pack$/ };
  // The first two list the ledgers.
  fixture.forge.seed.fault({ ...fetches, times: 2, delay_ms: 0 });
  fixture.forge.seed.fault({ ...fetches, times: 1, status: 500 });
  await expect(wakeDependents(run, { ...before, standing }, liveRuns.in(run.repository))).rejects.toThrow(
    /open.\d+:refs/,
  );
  await wakeDependents(run, { ...before, standing }, liveRuns.in(run.repository));
});

test('a base that conflicts with an adopted branch leaves the merge to people', async () => {
  const { bob, pushes } = fixture;
  await pushes('bob', { from: 'main', to: 'by-bob', files: { 'a.txt': 'one\n' } });
  const asked = { ...at, head: 'by-bob', base: 'main', title: 'By Bob' };
  const { data: pull } = await bob.rest.pulls.create(asked);
  await fixture.says('bob', pull.number, '/run Depends on #3');
  expect((await stateOf(pull.number)).standing.phase).toBe('blocked');
  await pushes('bob', { from: 'main', files: { 'a.txt': 'two\n' } });
  await merge(3);
  await fixture.sweep();
  const { standing, head } = await stateOf(pull.number);
  expect(standing).toMatchObject({ phase: 'awaiting_resolution', interrupt: { type: 'conflict' } });
  expect(standing).toHaveProperty('interrupt.failure_reason', expect.stringMatching(/^- a\.txt$/m));
  const begins = /the new head is then verified:[\s\S]*\/retry then lets the agent begin/;
  expect(standing).toHaveProperty('interrupt.failure_reason', expect.stringMatching(begins));
  expect(head).toBe(pull.head.sha);
  await pushes('bob', { from: 'main', files: { 'a.txt': 'one\n' } });
  await fixture.says('bob', pull.number, '/retry');
  expect((await stateOf(pull.number)).standing.phase).toBe('awaiting_approval');
  expect(await file('by-bob', 'notes.txt')).toBe('iteration 0\niteration 0\n');
});
