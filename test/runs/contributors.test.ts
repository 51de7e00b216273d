import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readBlock } from '../../src/github/show/block.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Steerers may not approve here, and Bob, who may write, tries to approve his own work. */
let saved: SavedForge;
let fixture: RunsFixture;

const config =
  'version: 1\nagent: { use: command, command: [sh, agent.sh] }\napproval: { steerer_may_approve: false }\n';

beforeAll(async () => {
  saved = await saveForge(async ({ ada, pushes }) => {
    await pushes('ada', { from: 'main', files: { '.github/coxswain.yml': config } });
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

const files = { 'evil.txt': 'x\n' };
const refused = /You steered this run, or contributed to its branch or its issue/;

/** Bob's commit on a branch of his own, in a pull request that Ada's run then adopts. */
async function adopted(message?: string): Promise<number> {
  await fixture.pushes('bob', { from: 'main', to: 'bobs-idea', files, ...(message && { message }) });
  const wanted = { ...at, head: 'bobs-idea', base: 'main', title: 'An idea' };
  const { number } = (await fixture.ada.rest.pulls.create(wanted)).data;
  await fixture.says('ada', number, '/run make it fine');
  expect(await phase(number)).toBe('awaiting_approval');
  return number;
}

/** Ada's run on the issue. */
async function started(): Promise<number> {
  await fixture.says('ada', 1, '/run');
  expect(await phase(2)).toBe('awaiting_approval');
  return 2;
}

async function pull(number: number) {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

async function phase(number: number): Promise<string | undefined> {
  return readBlock((await pull(number)).body ?? '')?.phase;
}

/** Approves the head by its name; returns what the App said since. */
async function approves(login: 'ada' | 'bob' | 'mia', number: number): Promise<string> {
  const before = await fixture.appComments(number);
  await fixture.says(login, number, `/approve ${(await pull(number)).head.sha}`);
  return (await fixture.appComments(number)).slice(before.length).join('\n');
}

describe('a branch that someone pushed and had adopted', () => {
  test('is not approved by them', async () => {
    const number = await adopted();
    expect(await approves('bob', number)).toMatch(refused);
    expect(await phase(number)).toBe('awaiting_approval');
  });

  test.each([
    ['together', false],
    // Its name does not make it one that we created.
    ['coxswain/together', true],
  ])('is not approved by a co-author (%s, its ledger lost: %s)', async (to, lost) => {
    const bob = (await fixture.bob.rest.users.getAuthenticated()).data;
    const trailer = `Co-authored-by: Robert <${bob.id}+bob@users.noreply.github.com>`;
    await fixture.pushes('ada', { from: 'main', to, files, message: `Fix\n\n${trailer}` });
    const wanted = { ...at, head: to, base: 'main', title: 'An idea' };
    const { number } = (await fixture.ada.rest.pulls.create(wanted)).data;
    await fixture.says('ada', number, '/run make it fine');
    if (lost) {
      await fixture.gitAsAda('push', '--quiet', fixture.url, `:refs/coxswain/open/${number}`);
      await fixture.ada.rest.pulls.update({ ...at, pull_number: number, body: '' });
      await fixture.says('mia', number, '/resume');
    }
    // Who had worked on it went with its ledger.
    expect(await approves('bob', number)).toMatch(lost ? /Not everyone who worked on .* is known/ : refused);
  });
});

describe('a branch of which GitHub does not say who pushed', () => {
  test('is approved by someone with maintain only', async () => {
    fixture.forge.seed.showActivity('acme/api', (all) =>
      all.filter(({ activity_type }) => activity_type !== 'branch_creation'),
    );
    await fixture.pushes('bob', { from: 'main', to: 'bobs-idea', files });
    await fixture.pushes('bob', { from: 'bobs-idea', files: { 'more.txt': 'x\n' } });
    const wanted = { ...at, head: 'bobs-idea', base: 'main', title: 'An idea' };
    const { number } = (await fixture.ada.rest.pulls.create(wanted)).data;
    await fixture.says('ada', number, '/run make it fine');
    expect(await approves('ada', number)).toMatch(/steerer_may_approve/);
    expect(await phase(number)).toBe('awaiting_approval');
    await approves('mia', number);
    expect(await phase(number)).toBe('approved');
  });
});

describe('before a run is finished', () => {
  test('whoever made a push that was missed has contributed', async () => {
    const number = await started();
    await fixture.pushes('bob', { from: (await pull(number)).head.ref, files });
    await fixture.sweep();
    expect(await phase(number)).toBe('awaiting_approval');
    expect(await approves('bob', number)).toMatch(/Someone else has to `\/approve`/);
    expect((await pull(number)).draft).toBe(true);
  });

  test('someone with maintain may approve if GitHub does not name everyone, and nobody else', async () => {
    const number = await started();
    fixture.forge.seed.showActivity('acme/api', (all) =>
      all.filter(({ activity_type }) => activity_type !== 'branch_creation'),
    );
    expect(await approves('bob', number)).toMatch(/Not finished: GitHub does not say who else worked/);
    expect((await pull(number)).draft).toBe(true);
    await approves('mia', number);
    expect((await pull(number)).draft).toBe(false);
  });

  test('a push that is not listed yet is waited for', async () => {
    const number = await started();
    let asked = 0;
    fixture.forge.seed.showActivity('acme/api', (all) => (asked++ === 0 ? all.slice(1) : all));
    await approves('bob', number);
    expect((await pull(number)).draft).toBe(false);
    expect(fixture.warnings).toContainEqual(expect.stringMatching(/GitHub does not list yet who pushed/));
  });

  test('whoever only brought the branch up to date may approve', async () => {
    const number = await started();
    await fixture.pushes('ada', { from: 'main', files: { newer: 'x\n' } });
    await fixture.pushes('bob', { from: (await pull(number)).head.ref, merge: 'main' });
    await fixture.sweep();
    await approves('bob', number);
    expect((await pull(number)).draft).toBe(false);
  });
});

test('an issue that someone wrote for others to start is not approved by them', async () => {
  const { data } = await fixture.bob.rest.issues.create({
    ...at,
    title: 'Let me in',
    body: 'Open the door.',
  });
  await fixture.labels('ada', data.number);
  const number = data.number + 1;
  expect(await approves('bob', number)).toMatch(refused);
  expect(await phase(number)).toBe('awaiting_approval');
  await approves('ada', number);
  expect(await phase(number)).toBe('approved');
});
