import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** People ask for runs on issue 1, and no webhook tells of it. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(async () => {
  vi.useRealTimers();
  await fixture.end();
});

const dayMs = 24 * 60 * 60_000;

const issue = { ...at, issue_number: 1 };

async function openPulls() {
  const { data } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
  return data.map(({ title, state }) => `${title} (${state})`);
}

test('a label that was set then starts the run at the next sweep, once', async () => {
  await fixture.ada.rest.issues.addLabels({ ...issue, labels: ['coxswain'] });
  await fixture.sweep();
  expect(await openPulls()).toEqual(['Fix the clock (open)']);
  await fixture.restart();
  await fixture.sweep();
  expect(await openPulls()).toEqual(['Fix the clock (open)']);
  expect(await fixture.appComments(1)).toEqual([]);
});

test('so does a label that has a capital in this repository', async () => {
  await fixture.ada.rest.issues.createLabel({ ...at, name: 'Coxswain', color: 'ff0000' });
  await fixture.ada.rest.issues.addLabels({ ...issue, labels: ['coxswain'] });
  await fixture.sweep();
  expect(await openPulls()).toEqual(['Fix the clock (open)']);
});

test('so does a comment', async () => {
  await fixture.ada.rest.issues.createComment({ ...issue, body: '/run Use UTC' });
  await fixture.sweep();
  expect(await openPulls()).toEqual(['Fix the clock (open)']);
  const { data } = await fixture.ada.rest.pulls.list(at);
  expect(data[0]?.body).toContain('Use UTC');
});

test('what led to a run says nothing more once its issue is closed', async () => {
  await fixture.says('ada', 1, '/run Use UTC');
  await fixture.ada.rest.issues.update({ ...issue, state: 'closed' });
  await fixture.restart();
  await fixture.sweep();
  expect(await fixture.appComments(1)).toEqual([]);
  expect(await openPulls()).toHaveLength(1);
});

test('and someone who may not start runs is told so once', async () => {
  await fixture.rea.rest.issues.createComment({ ...issue, body: '/run Use UTC' });
  await fixture.sweep();
  await fixture.restart();
  await fixture.sweep();
  expect(await openPulls()).toEqual([]);
  expect(await fixture.appComments(1)).toHaveLength(1);
});

test('a branch that was claimed before a crash gets its pull request', async () => {
  fixture.forge.seed.fault({ method: 'POST', path: /\/pulls$/, times: 1_000, status: 502 });
  await fixture.labels('ada', 1).catch(() => undefined); // its delivery is not answered with 200
  expect(await openPulls()).toEqual([]);
  fixture.forge.seed.clearFaults();
  await fixture.restart();
  await fixture.sweep();
  expect(await openPulls()).toEqual(['Fix the clock (open)']);
  const { data } = await fixture.ada.rest.git.listMatchingRefs({ ...at, ref: 'heads/coxswain/' });
  expect(data).toHaveLength(1);
});

test('what was asked for some days ago starts as well: a schedule may have stopped', async () => {
  await fixture.ada.rest.issues.addLabels({ ...issue, labels: ['coxswain'] });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * dayMs });
  await fixture.restart();
  await fixture.sweep();
  expect(await openPulls()).toEqual(['Fix the clock (open)']);
});

/** Mia rejects the run on the issue; returns its branch. */
async function rejectedRun(): Promise<string> {
  await fixture.labels('ada', 1);
  const [{ number = 0, head = { ref: '' } } = {}] = (await fixture.ada.rest.pulls.list(at)).data;
  await fixture.says('mia', number, '/reject Not like this.');
  return head.ref;
}

const removes = (branch: string) => fixture.ada.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
const pushes = (to: string) => fixture.pushes('bob', { from: 'main', to, files: { 'x.txt': 'x' } });
const idOf = (branch: string) => branch.split('-').at(-1) ?? '';

test.each<[string, (branch: string) => Promise<unknown>]>([
  [
    'its branch and title',
    async (branch) => {
      await removes(branch);
      await fixture.ada.rest.issues.update({ ...issue, title: 'Fix every clock' });
    },
  ],
  [
    'its branch, and whoever pushes another of its name',
    async (branch) => {
      await removes(branch);
      await pushes(`coxswain/x-${idOf(branch)}`);
    },
  ],
  [
    'other branches of its name',
    async (branch) => {
      for (const each of 'abcde') await pushes(`coxswain/${each}-${idOf(branch)}`);
    },
  ],
  [
    'its branch and title, and whoever opens a pull request of its name',
    async (branch) => {
      await removes(branch);
      await fixture.ada.rest.issues.update({ ...issue, title: 'Fix every clock' });
      const head = `coxswain/x-${idOf(branch)}`;
      await pushes(head);
      const mine = { title: 'Mine', head, base: 'main' };
      const { data } = await fixture.bob.rest.pulls.create({ ...at, ...mine });
      await fixture.bob.rest.pulls.update({ ...at, pull_number: data.number, state: 'closed' });
      await removes(head);
    },
  ],
])('what was rejected does not start again, whatever became of %s', async (_, change) => {
  await change(await rejectedRun());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + dayMs / 24 });
  await fixture.restart();
  await fixture.sweep();
  expect((await openPulls()).filter((pull) => pull.endsWith('(open)'))).toEqual([]);
});

test('what was asked for long ago is not started, and a second sweep asks only for what is new', async () => {
  await fixture.ada.rest.issues.addLabels({ ...issue, labels: ['coxswain'] });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * dayMs });
  await fixture.restart();
  await fixture.sweep();
  expect(await openPulls()).toEqual([]);
  const before = fixture.forge.requests.api.length;
  await fixture.sweep();
  const asked = fixture.forge.requests.api.slice(before).map(({ path }) => path);
  expect(asked.filter((path) => path.includes('/issues'))).toHaveLength(2);
});
