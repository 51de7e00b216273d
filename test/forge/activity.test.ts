import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture, type TestRepository } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
const time = Date.parse('2026-03-01T08:00:00Z');

beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const zero = '0'.repeat(40);

type Filter = { ref?: string };

async function activityOf({ at, bot }: TestRepository, filter: Filter = {}) {
  return (await bot.repos.listActivities({ ...at, ...filter })).data;
}

/** Type, actor and ref of each entry. */
async function linesOf(repository: TestRepository, filter: Filter = {}): Promise<string[]> {
  const entries = await activityOf(repository, filter);
  return entries.map(({ activity_type, actor, ref }) => `${activity_type} ${actor?.login} ${ref}`);
}

test('who moved a branch, how, and from where to where is listed, newest first', async () => {
  const { repository, clone, sha } = await openPull(fixture);
  const next = await clone.commit('More');
  await clone.git('push', '--quiet', 'origin', 'topic');
  await clone.git('reset', '--quiet', '--hard', 'HEAD~2');
  const forced = await clone.commit('Other', { 'b.txt': 'b\n' });
  await clone.git('push', '--quiet', '--force', 'origin', 'topic');
  await clone.git('push', '--quiet', 'origin', ':topic');
  expect(await activityOf(repository, { ref: 'refs/heads/topic' })).toMatchObject([
    { activity_type: 'branch_deletion', before: forced, after: zero, ref: 'refs/heads/topic' },
    { activity_type: 'force_push', before: next, after: forced, actor: { login: 'ada' } },
    { activity_type: 'push', before: sha, after: next },
    { activity_type: 'branch_creation', before: zero, after: sha, timestamp: '2026-03-01T08:00:00Z' },
  ]);
});

test('an entry names who pushed, not who wrote the commit', async () => {
  const { repository, clone } = await openPull(fixture);
  await clone.commit('By Ada, as the commit says');
  const address = fixture.forge.url.replace('//', `//x:${fixture.token('wil')}@`);
  await clone.git('push', '--quiet', `${address}/${repository.name}.git`, 'topic');
  expect(await linesOf(repository, { ref: 'refs/heads/topic' })).toEqual([
    'push wil refs/heads/topic',
    'branch_creation ada refs/heads/topic',
  ]);
});

test('a merge, the deletion of a branch, and changes through the API are listed; other refs are not', async () => {
  const pull = await openPull(fixture);
  const { repository, sha } = pull;
  const { bot, at } = repository;
  for (const ref of ['refs/heads/copy', 'refs/tags/v1', 'refs/coxswain/open/1']) {
    await bot.git.createRef({ ...at, ref, sha });
  }
  await fixture.person('wil').pulls.merge(pull.at);
  await fixture.person('wil').git.deleteRef({ ...at, ref: 'heads/topic' });
  const seeded = await fixture.forge.seed.commit(repository.name, { 'c.txt': 'c\n' });
  expect(await linesOf(repository)).toEqual([
    'push ada refs/heads/main',
    'branch_deletion wil refs/heads/topic',
    'pr_merge wil refs/heads/main',
    'branch_creation helm[bot] refs/heads/copy',
    'branch_creation ada refs/heads/topic',
    'branch_creation ada refs/heads/main',
  ]);
  const [newest, , merge, , , first] = await activityOf(repository);
  expect(newest?.after).toBe(seeded);
  expect([newest?.before, merge?.before]).toEqual([merge?.after, first?.after]);
});

test('entries of a branch are listed in pages with cursors', async () => {
  const { repository, clone } = await openPull(fixture);
  const { at } = repository;
  const ren = fixture.person('ren');
  for (const message of ['One', 'Two', 'Three']) {
    await clone.commit(message);
    await clone.git('push', '--quiet', 'origin', 'topic');
  }
  const ref = 'refs/heads/topic';
  const list = (more: object) => ren.repos.listActivities({ ...at, ref, ...more });
  const pages = await ren.paginate(ren.repos.listActivities, { ...at, ref, per_page: 3 }, (page) => [
    page.data.map(({ activity_type }) => activity_type),
  ]);
  expect(pages).toEqual([['push', 'push', 'push'], ['branch_creation']]);
  const first = await list({ per_page: 2 });
  const after = /after=([^&>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1];
  const second = await list({ per_page: 2, after });
  expect(second.data.map(({ activity_type }) => activity_type)).toEqual(['push', 'branch_creation']);
  expect(second.headers.link).toBeUndefined();
});

test('it needs contents: read; a reader sees it', async () => {
  const { at, bot, installation } = await fixture.repository({ private: true });
  const ren = fixture.person('ren');
  expect((await ren.repos.listActivities(at)).data).toHaveLength(1);
  fixture.forge.seed.setInstallationPermissions(installation, { pull_requests: 'write' });
  await expect(bot.repos.listActivities(at)).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'x-accepted-github-permissions': 'contents=read' } },
  });
});

test('a test can let it lag, forget entries, and not know the actor', async () => {
  const { repository, clone, sha } = await openPull(fixture);
  const { seed } = fixture.forge;
  const head = await clone.commit('More');
  await clone.git('push', '--quiet', 'origin', 'topic');
  seed.showActivity(repository.name, (entries) => entries.filter(({ after }) => after !== head));
  expect((await activityOf(repository, { ref: 'refs/heads/topic' })).map(({ after }) => after)).toEqual([
    sha,
  ]);
  seed.showActivity(repository.name, (entries) => entries.map((one) => ({ ...one, actor_id: null })));
  expect(await activityOf(repository, { ref: 'refs/heads/topic' })).toMatchObject([
    { actor: null },
    { actor: null },
  ]);
  seed.clearFaults();
  expect(await linesOf(repository, { ref: 'refs/heads/topic' })).toEqual([
    'push ada refs/heads/topic',
    'branch_creation ada refs/heads/topic',
  ]);
});
