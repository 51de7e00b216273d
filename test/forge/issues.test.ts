import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';

let fixture: Fixture;
let time = Date.parse('2026-03-01T10:00:00Z');
beforeAll(async () => {
  fixture = await startFixture({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

async function issueIn(repository: TestRepository, title = 'Leak') {
  const { data } = await fixture.person('ada').issues.create({ ...repository.at, title, body: 'Drip' });
  await fixture.deliveriesDone();
  return { ...repository.at, issue_number: data.number };
}

test('opening, editing, closing and reopening an issue is delivered each time', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  const ada = fixture.person('ada');
  fixture.received.length = 0;
  await ada.issues.update({ ...at, body: 'Drip drip' });
  await ada.issues.update({ ...at, state: 'closed', state_reason: 'not_planned' });
  await ada.issues.update({ ...at, state: 'open' });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('issues')).toEqual(['edited', 'closed', 'reopened']);
  expect(fixture.received[0]?.payload['changes']).toEqual({ body: { from: 'Drip' } });
  const { data } = await ada.issues.get(at);
  expect(data).toMatchObject({ state: 'open', body: 'Drip drip', closed_at: null });
});

test('setting labels delivers each added and each removed label', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  await fixture.person('tri').issues.addLabels({ ...at, labels: ['a', 'b'] });
  await fixture.deliveriesDone();
  fixture.received.length = 0;
  await repository.bot.issues.setLabels({ ...at, labels: ['B', 'c'] });
  await repository.bot.issues.setLabels({ ...at, labels: ['b', 'c'] });
  await fixture.deliveriesDone();
  const delivered = fixture.received.map(({ action, payload }) => [action, payload['label']]);
  expect(delivered).toEqual([
    ['unlabeled', expect.objectContaining({ name: 'a' })],
    ['labeled', expect.objectContaining({ name: 'c' })],
  ]);
});

test('a label is removed by name, and a second time it is not found', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  await repository.bot.issues.addLabels({ ...at, labels: ['coxswain:working'] });
  await repository.bot.issues.removeLabel({ ...at, name: 'coxswain:working' });
  expect(
    (await httpErrorOf(repository.bot.issues.removeLabel({ ...at, name: 'coxswain:working' }))).status,
  ).toBe(404);
});

test('a label is created once', async () => {
  const repository = await fixture.repository();
  const label = { ...repository.at, name: 'coxswain', color: '0E8A16', description: 'Steered' };
  await repository.bot.issues.createLabel(label);
  expect((await httpErrorOf(repository.bot.issues.createLabel(label))).message).toContain('already_exists');
  const { data } = await repository.bot.issues.getLabel(label);
  expect(data).toMatchObject({ name: 'coxswain', color: '0e8a16' });
});

test('comments are listed since a time, edited and deleted', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  const ren = fixture.person('ren');
  const { data: first } = await ren.issues.createComment({ ...at, body: '/steer left' });
  time += 60_000;
  const { data: second } = await ren.issues.createComment({ ...at, body: '/steer right' });
  const ids = async (since: string) =>
    (await ren.issues.listComments({ ...at, since })).data.map(({ id }) => id);
  expect(await ids(second.created_at)).toEqual([second.id]);
  time += 60_000;
  fixture.received.length = 0;
  await ren.issues.updateComment({ ...repository.at, comment_id: first.id, body: '/steer up' });
  expect((await ids(second.created_at)).sort()).toEqual([first.id, second.id].sort());
  await ren.issues.deleteComment({ ...repository.at, comment_id: second.id });
  await fixture.deliveriesDone();
  expect(fixture.actionsOf('issue_comment')).toEqual(['edited', 'deleted']);
  expect(fixture.received[0]?.payload['changes']).toEqual({ body: { from: '/steer left' } });
});

test('people with write access can edit the texts of others, a reader cannot', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  const { data } = await fixture.person('ren').issues.createComment({ ...at, body: 'Mine' });
  const change = { ...repository.at, comment_id: data.id, body: 'Yours' };
  expect((await httpErrorOf(fixture.person('tri').issues.updateComment(change))).status).toBe(403);
  await fixture.person('wil').issues.updateComment(change);
});

test('a body has at most 65,536 characters, and a comment cannot be blank', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  const long = await httpErrorOf(repository.bot.issues.createComment({ ...at, body: 'x'.repeat(65_537) }));
  expect(long).toMatchObject({ status: 422, message: expect.stringContaining('body is too long') });
  await repository.bot.issues.createComment({ ...at, body: 'x'.repeat(65_536) });
  expect((await httpErrorOf(repository.bot.issues.createComment({ ...at, body: ' ' }))).status).toBe(422);
});

test('a reaction is added once, counted and listed', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  const { data: comment } = await repository.bot.issues.createComment({ ...at, body: 'Hello' });
  const reaction = { ...repository.at, comment_id: comment.id, content: 'eyes' as const };
  const first = await repository.bot.reactions.createForIssueComment(reaction);
  const second = await repository.bot.reactions.createForIssueComment(reaction);
  expect([first.status, second.status]).toEqual([201, 200]);
  const { data } = await repository.bot.issues.getComment(reaction);
  expect(data.reactions).toMatchObject({ eyes: 1, total_count: 1 });
  const { data: listed } = await repository.bot.reactions.listForIssueComment(reaction);
  expect(listed).toMatchObject([{ id: first.data.id, content: 'eyes', user: { login: 'helm[bot]' } }]);
});

test('search finds open pull requests and issues by label, owner and repository', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository, 'Searched');
  await repository.bot.issues.addLabels({ ...at, labels: ['coxswain'] });
  const find = async (q: string) =>
    (await repository.bot.search.issuesAndPullRequests({ q })).data.items.map(({ number }) => number);
  const here = `repo:${repository.name}`;
  expect(await find(`${here} is:issue is:open label:coxswain`)).toEqual([at.issue_number]);
  expect(await find(`${here} is:pr label:coxswain`)).toEqual([]);
  expect(await find(`${here} archived:false label:"wip","coxswain"`)).toEqual([at.issue_number]);
  expect(await find(`${here} user:ada`)).toEqual([at.issue_number]);
  expect(await find(`${here} user:wil`)).toEqual([]);
});

test('search lists a thousand results at most', async () => {
  const { bot } = await fixture.repository();
  const eleventh = bot.search.issuesAndPullRequests({ q: 'is:open', per_page: 100, page: 11 });
  await expect(eleventh).rejects.toMatchObject({ status: 422 });
});

test('a list has pages with links to the others', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  for (const word of ['one', 'two', 'three']) {
    await repository.bot.issues.createComment({ ...at, body: word });
  }
  const { headers } = await repository.bot.issues.listComments({ ...at, per_page: 2 });
  expect(headers.link).toMatch(/<[^>]+[?&]page=2>; rel="next", <[^>]+>; rel="last"/);
  const all = await repository.bot.paginate(repository.bot.issues.listComments, { ...at, per_page: 2 });
  expect(all.map(({ body }) => body)).toEqual(['one', 'two', 'three']);
});

test("an unchanged resource is a 304, and the headers have the time of the forge's clock", async () => {
  const repository = await fixture.repository();
  const { headers } = await repository.bot.repos.get(repository.at);
  expect(headers.date).toBe(new Date(time).toUTCString());
  expect(headers['x-ratelimit-limit']).toBe('5000');
  const again = repository.bot.repos.get({ ...repository.at, headers: { 'if-none-match': headers.etag } });
  expect((await httpErrorOf(again)).status).toBe(304);
});

test('a title that is no text is refused, and a number is taken for one', async () => {
  const repository = await fixture.repository();
  const ada = fixture.person('ada');
  // Octokit's types forbid what is to be refused.
  const creates = (title: unknown) => ada.issues.create({ ...repository.at, title: title as string });
  for (const title of [{}, [], true]) expect((await httpErrorOf(creates(title))).status).toBe(422);
  expect((await creates(5)).data).toMatchObject({ title: '5' });
});

test('on a locked issue only people with write access speak and react', async () => {
  const repository = await fixture.repository();
  const at = await issueIn(repository);
  const [ada, ren] = [fixture.person('ada'), fixture.person('ren')];
  const { data: comment } = await ren.issues.createComment({ ...at, body: 'Drip' });
  const reaction = { ...repository.at, comment_id: comment.id, content: 'eyes' } as const;
  expect((await httpErrorOf(ren.issues.lock(at))).status).toBe(403);
  await ada.issues.lock({ ...at, lock_reason: 'too heated' });
  expect((await ada.issues.get(at)).data).toMatchObject({ locked: true, active_lock_reason: 'too heated' });
  for (const who of [ren, repository.bot]) {
    const refused = await httpErrorOf(who.issues.createComment({ ...at, body: 'Drop' }));
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.message).toContain('Unable to create comment because issue is locked.');
    expect((await httpErrorOf(who.reactions.createForIssueComment(reaction))).status).toBe(403);
  }
  await ada.issues.createComment({ ...at, body: 'Enough' });
  await ada.reactions.createForIssueComment(reaction);
  await ada.issues.unlock(at);
  await ren.issues.createComment({ ...at, body: 'Drop' });
  expect((await ada.issues.get(at)).data).toMatchObject({ locked: false, active_lock_reason: null });
});
