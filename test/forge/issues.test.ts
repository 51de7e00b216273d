import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Place, refusal, type Stage, setStage } from './stage.ts';

let stage: Stage;
let time = Date.parse('2026-03-01T10:00:00Z');
beforeAll(async () => {
  stage = await setStage({ now: () => new Date(time) });
});
afterAll(async () => {
  expect(stage.recorder.problems).toEqual([]);
  await stage.end();
});

async function issueIn(place: Place, title = 'Leak') {
  const { data } = await stage.person('ada').issues.create({ ...place.at, title, body: 'Drip' });
  await stage.settled();
  return { ...place.at, issue_number: data.number };
}

test('an issue is opened, edited, closed and reopened, and each is told', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  const ada = stage.person('ada');
  stage.received.length = 0;
  await ada.issues.update({ ...at, body: 'Drip drip' });
  await ada.issues.update({ ...at, state: 'closed', state_reason: 'not_planned' });
  await ada.issues.update({ ...at, state: 'open' });
  await stage.settled();
  expect(stage.heard('issues')).toEqual(['edited', 'closed', 'reopened']);
  expect(stage.received[0]?.payload['changes']).toEqual({ body: { from: 'Drip' } });
  const { data } = await ada.issues.get(at);
  expect(data).toMatchObject({ state: 'open', body: 'Drip drip', closed_at: null });
});

test('setting labels tells of each that came and each that went', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  await stage.person('tri').issues.addLabels({ ...at, labels: ['a', 'b'] });
  await stage.settled();
  stage.received.length = 0;
  await place.bot.issues.setLabels({ ...at, labels: ['B', 'c'] });
  await place.bot.issues.setLabels({ ...at, labels: ['b', 'c'] });
  await stage.settled();
  const told = stage.received.map(({ action, payload }) => [action, payload['label']]);
  expect(told).toEqual([
    ['unlabeled', expect.objectContaining({ name: 'a' })],
    ['labeled', expect.objectContaining({ name: 'c' })],
  ]);
});

test('a label is removed by name, and a second time it is not there', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  await place.bot.issues.addLabels({ ...at, labels: ['coxswain:working'] });
  await place.bot.issues.removeLabel({ ...at, name: 'coxswain:working' });
  expect((await refusal(place.bot.issues.removeLabel({ ...at, name: 'coxswain:working' }))).status).toBe(404);
});

test('a label is made once', async () => {
  const place = await stage.place();
  const label = { ...place.at, name: 'coxswain', color: '0E8A16', description: 'Steered' };
  await place.bot.issues.createLabel(label);
  expect((await refusal(place.bot.issues.createLabel(label))).message).toContain('already_exists');
  const { data } = await place.bot.issues.listLabelsForRepo(place.at);
  expect(data.map(({ name, color }) => [name, color])).toEqual([['coxswain', '0e8a16']]);
});

test('comments are listed from a time on, edited and deleted', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  const ren = stage.person('ren');
  const { data: first } = await ren.issues.createComment({ ...at, body: '/steer left' });
  time += 60_000;
  const { data: second } = await ren.issues.createComment({ ...at, body: '/steer right' });
  const ids = async (since: string) =>
    (await ren.issues.listComments({ ...at, since })).data.map(({ id }) => id);
  expect(await ids(second.created_at)).toEqual([second.id]);
  time += 60_000;
  stage.received.length = 0;
  await ren.issues.updateComment({ ...place.at, comment_id: first.id, body: '/steer up' });
  expect((await ids(second.created_at)).sort()).toEqual([first.id, second.id].sort());
  await ren.issues.deleteComment({ ...place.at, comment_id: second.id });
  await stage.settled();
  expect(stage.heard('issue_comment')).toEqual(['edited', 'deleted']);
  expect(stage.received[0]?.payload['changes']).toEqual({ body: { from: '/steer left' } });
});

test('anyone with write changes the words of others, a reader does not', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  const { data } = await stage.person('ren').issues.createComment({ ...at, body: 'Mine' });
  const change = { ...place.at, comment_id: data.id, body: 'Yours' };
  expect((await refusal(stage.person('tri').issues.updateComment(change))).status).toBe(403);
  await stage.person('wil').issues.updateComment(change);
});

test('a body ends at 65,536 characters and a comment is not blank', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  const long = await refusal(place.bot.issues.createComment({ ...at, body: 'x'.repeat(65_537) }));
  expect(long).toMatchObject({ status: 422, message: expect.stringContaining('body is too long') });
  await place.bot.issues.createComment({ ...at, body: 'x'.repeat(65_536) });
  expect((await refusal(place.bot.issues.createComment({ ...at, body: ' ' }))).status).toBe(422);
});

test('a reaction is given once, seen in the counts and taken back', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  const { data: comment } = await place.bot.issues.createComment({ ...at, body: 'Hello' });
  const reaction = { ...place.at, comment_id: comment.id, content: 'eyes' as const };
  const first = await place.bot.reactions.createForIssueComment(reaction);
  const second = await place.bot.reactions.createForIssueComment(reaction);
  expect([first.status, second.status]).toEqual([201, 200]);
  const { data } = await place.bot.issues.getComment(reaction);
  expect(data.reactions).toMatchObject({ eyes: 1, total_count: 1 });
  await place.bot.reactions.deleteForIssueComment({ ...reaction, reaction_id: first.data.id });
  expect((await place.bot.reactions.listForIssueComment(reaction)).data).toEqual([]);
  expect((await place.bot.reactions.createForIssue({ ...at, content: 'rocket' })).status).toBe(201);
});

test('search finds open pull requests and issues by label, author and repository', async () => {
  const place = await stage.place();
  const at = await issueIn(place, 'Searched');
  await place.bot.issues.addLabels({ ...at, labels: ['coxswain:awaiting approval'] });
  const find = async (q: string) =>
    (await place.bot.search.issuesAndPullRequests({ q })).data.items.map(({ number }) => number);
  const here = `repo:${place.name}`;
  expect(await find(`${here} is:issue is:open label:"coxswain:awaiting approval"`)).toEqual([
    at.issue_number,
  ]);
  expect(await find(`${here} is:pr label:"coxswain:awaiting approval"`)).toEqual([]);
  expect(await find(`${here} author:ada state:open user:ada`)).toEqual([at.issue_number]);
  expect(await find(`${here} -author:ada`)).toEqual([]);
});

test('a list comes in pages with links to the others', async () => {
  const place = await stage.place();
  const at = await issueIn(place);
  for (const word of ['one', 'two', 'three']) {
    await place.bot.issues.createComment({ ...at, body: word });
  }
  const { headers } = await place.bot.issues.listComments({ ...at, per_page: 2 });
  expect(headers.link).toMatch(/<[^>]+[?&]page=2>; rel="next", <[^>]+>; rel="last"/);
  const all = await place.bot.paginate(place.bot.issues.listComments, { ...at, per_page: 2 });
  expect(all.map(({ body }) => body)).toEqual(['one', 'two', 'three']);
});

test('what has not changed answers 304, and the clock of the forge is in the headers', async () => {
  const place = await stage.place();
  const { headers } = await place.bot.repos.get(place.at);
  expect(headers.date).toBe(new Date(time).toUTCString());
  expect(headers['x-ratelimit-limit']).toBe('5000');
  const again = place.bot.repos.get({ ...place.at, headers: { 'if-none-match': headers.etag } });
  expect((await refusal(again)).status).toBe(304);
});
