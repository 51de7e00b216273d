import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, type Fixture, httpErrorOf, startFixture } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

/** Author, committer, subject and parents of the newest commit of a branch. */
async function newest(clone: Clone, branch: string) {
  await clone.git('fetch', '--quiet', 'origin');
  const format = '--format=%an|%cn <%ce>|%s|%P';
  const line = await clone.git('log', '-1', format, `origin/${branch}`);
  const [author, committer, subject, parents = ''] = line.split('|');
  return { author, committer, subject, parents: parents.split(' ') };
}

const gitHub = 'GitHub <noreply@github.com>';

test('updating the branch merges the base into the head: by the person, committed by GitHub', async () => {
  const { repository, clone, sha, at } = await openPull(fixture);
  const base = await fixture.forge.seed.commit(repository.name, { 'b.txt': 'b\n' });
  await fixture.forgetDeliveries();
  const wil = fixture.person('wil');
  const { status, data } = await wil.pulls.updateBranch({ ...at, expected_head_sha: sha });
  expect([status, data.message]).toEqual([202, 'Updating pull request branch.']);
  expect(await newest(clone, 'topic')).toEqual({
    author: 'wil',
    committer: gitHub,
    subject: "Merge branch 'main' into topic",
    parents: [sha, base],
  });
  expect(await clone.git('show', 'origin/topic:a.txt', 'origin/topic:b.txt')).toBe('a\nb');
  const head = await clone.git('rev-parse', 'origin/topic');
  expect((await repository.bot.pulls.get(at)).data.head.sha).toBe(head);
  const { data: activity } = await repository.bot.repos.listActivities({ ...repository.at, ref: 'topic' });
  expect(activity[0]).toMatchObject({ activity_type: 'push', actor: { login: 'wil' }, after: head });
  await fixture.deliveriesDone();
  expect(fixture.received.map(({ event, action }) => `${event} ${action}`)).toEqual([
    'push undefined',
    'pull_request synchronize',
    'check_suite requested',
  ]);
});

test('a branch is not updated for another head, on a conflict, when it is up to date, or by a reader', async () => {
  const { repository, sha, at } = await openPull(fixture, { by: 'ren' });
  const refusal = async (login: string, expected_head_sha = sha) =>
    (await httpErrorOf(fixture.person(login).pulls.updateBranch({ ...at, expected_head_sha }))).message;
  expect(await refusal('wil')).toContain('There are no new commits on the base branch.');
  expect(await refusal('wil', '1'.repeat(40))).toContain('expected head sha didn’t match current head ref.');
  await fixture.forge.seed.commit(repository.name, { 'a.txt': 'other\n' });
  expect(await refusal('wil')).toContain('merge conflict between base and head');
  expect(await refusal('ren')).toContain('Must have write access');
});

test('the merge button commits as GitHub, with the person as author', async () => {
  const { repository, clone, sha, at } = await openPull(fixture);
  const base = await clone.git('rev-parse', 'origin/main');
  await fixture.person('wil').pulls.merge(at);
  expect(await newest(clone, 'main')).toMatchObject({
    author: 'wil',
    committer: gitHub,
    parents: [base, sha],
  });
  expect((await repository.bot.pulls.get(at)).data.merged_by?.login).toBe('wil');
});

test('branches are merged without a pull request', async () => {
  const { repository, clone, sha } = await openPull(fixture);
  const { at, bot } = repository;
  const base = await fixture.forge.seed.commit(repository.name, { 'b.txt': 'b\n' });
  const wil = fixture.person('wil');
  const { data } = await wil.repos.merge({ ...at, base: 'main', head: 'topic', commit_message: 'Both' });
  expect(data.parents.map((parent) => parent.sha)).toEqual([base, sha]);
  expect(await newest(clone, 'main')).toMatchObject({ author: 'wil', committer: gitHub, subject: 'Both' });
  expect((await wil.repos.merge({ ...at, base: 'main', head: 'topic' })).status).toBe(204);
  expect((await httpErrorOf(bot.repos.merge({ ...at, base: 'x', head: 'topic' }))).status).toBe(404);
  expect((await httpErrorOf(bot.repos.merge({ ...at, base: 'main', head: 'x' }))).status).toBe(404);
  await clone.git('push', '--quiet', 'origin', 'topic:refs/heads/other');
  await clone.commit('Clash', { 'a.txt': 'clash\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  await clone.git('checkout', '--quiet', '-b', 'other', sha);
  await clone.commit('Crash', { 'a.txt': 'crash\n' });
  await clone.git('push', '--quiet', 'origin', 'other');
  expect((await httpErrorOf(wil.repos.merge({ ...at, base: 'other', head: 'topic' }))).status).toBe(409);
  fixture.forge.seed.addRuleset(repository.name, { rules: [{ type: 'update' }] });
  const refused = wil.repos.merge({ ...at, base: 'main', head: 'topic' });
  expect((await httpErrorOf(refused)).message).toContain('Cannot update this protected ref.');
});

test('a file is written, replaced and deleted through the API, whoever its author is said to be', async () => {
  const { repository, clone } = await openPull(fixture);
  const at = { ...repository.at, path: 'docs/new.md', branch: 'topic' };
  const wil = fixture.person('wil');
  const content = (text: string) => Buffer.from(text).toString('base64');
  const author = { name: 'ada', email: 'ada@example.com' };
  const first = { ...at, message: 'Add docs', content: content('One\n'), author };
  const { data, status } = await wil.repos.createOrUpdateFileContents(first);
  expect(status).toBe(201);
  expect(await newest(clone, 'topic')).toMatchObject({
    author: 'ada',
    committer: gitHub,
    subject: 'Add docs',
  });
  expect(await clone.git('show', 'origin/topic:docs/new.md', 'origin/topic:a.txt')).toBe('One\na');
  const { data: activity } = await repository.bot.repos.listActivities({ ...repository.at, ref: 'topic' });
  expect(activity[0]?.actor?.login).toBe('wil');
  const again = { ...at, message: 'Change docs', content: content('Two\n') };
  expect((await httpErrorOf(wil.repos.createOrUpdateFileContents(again))).status).toBe(422);
  const stale = wil.repos.createOrUpdateFileContents({ ...again, sha: '1'.repeat(40) });
  expect((await httpErrorOf(stale)).status).toBe(409);
  const sha = data.content?.sha ?? '';
  const { data: changed } = await wil.repos.createOrUpdateFileContents({ ...again, sha });
  await wil.repos.deleteFile({ ...at, message: 'No docs', sha: changed.content?.sha ?? '' });
  expect(await newest(clone, 'topic')).toMatchObject({ author: 'wil', subject: 'No docs' });
  expect((await clone.attempt('show', 'origin/topic:docs/new.md')).code).not.toBe(0);
  const refused = repository.bot.repos.createOrUpdateFileContents({
    ...first,
    path: '.github/workflows/x.yml',
  });
  expect((await httpErrorOf(refused)).status).toBe(403);
});
