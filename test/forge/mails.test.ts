import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';
import { openPull } from './open-pull.ts';

/** What GitHub mails, as people describe it: its documentation says only a part. */
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

test('an issue, each comment on it and each end of it are mailed, with those whom a text mentions', async () => {
  const { at, bot, name } = await fixture.repository();
  const wil = fixture.person('wil');
  const { data: issue } = await wil.issues.create({ ...at, title: 'Leak', body: 'For @tri' });
  const on = { ...at, issue_number: issue.number };
  await bot.issues.addLabels({ ...on, labels: ['bug'] });
  await bot.issues.createComment({
    ...on,
    body: 'Not `@tri`, @\u200btri, b@wil.example or <!-- @wil -->, but @ren, @Ren and @nobody',
  });
  await bot.issues.update({ ...on, title: 'A leak', state: 'closed' });
  await wil.issues.update({ ...on, state: 'open' });
  const { number } = issue;
  const by = 'helm[bot]';
  expect(fixture.forge.mails(name)).toMatchObject([
    { number, by: 'wil', about: 'opened', names: ['tri'] },
    { number, by, about: 'commented', names: ['ren'] },
    { number, by, about: 'closed', names: [] },
    { number, by: 'wil', about: 'reopened', names: [] },
  ]);
});

test('an edit is mailed to nobody but those whom no earlier version mentions', async () => {
  const { at, bot, name } = await fixture.repository();
  const { data: issue } = await bot.issues.create({ ...at, title: 'Leak' });
  const { data: comment } = await bot.issues.createComment({
    ...at,
    issue_number: issue.number,
    body: '@wil',
  });
  const edit = (body: string) => bot.issues.updateComment({ ...at, comment_id: comment.id, body });
  for (const body of ['nobody', '@wil and more', '@wil and @tri', '@tri']) await edit(body);
  const mailed = fixture.forge.mails(name).map(({ about, names }) => [about, names]);
  expect(mailed).toEqual([
    ['opened', []],
    ['commented', ['wil']],
    ['mentioned', ['tri']],
  ]);
});

test('a comment that was deleted was mailed all the same', async () => {
  const { at, bot, name } = await fixture.repository();
  const { data: issue } = await bot.issues.create({ ...at, title: 'Leak' });
  const { data: comment } = await bot.issues.createComment({ ...at, issue_number: issue.number, body: 'Oh' });
  await fixture.person('ada').issues.deleteComment({ ...at, comment_id: comment.id });
  const mailed = fixture.forge.mails(name).map(({ about, by }) => `${about} by ${by}`);
  expect(mailed).toEqual(['opened by helm[bot]', 'commented by helm[bot]']);
});

test('a pull request: its reviews, a request for one to who is asked, its merge, and the end of its issue', async () => {
  const opened = await openPull(fixture, {
    draft: true,
    first: async ({ at, bot }) => void (await bot.issues.create({ ...at, title: 'Leak' })),
  });
  const { at, number, clone, node_id, repository } = opened;
  const { bot, name } = repository;
  await bot.pulls.update({ ...at, body: 'Closes #1' });
  await bot.pulls.requestReviewers({ ...at, reviewers: ['wil'] });
  await bot.graphql(ready, { id: node_id });
  await clone.commit('More', { 'b.txt': 'b\n' });
  await clone.git('push', '--quiet', 'origin', 'topic');
  const comments = [{ path: 'a.txt', line: 1, body: 'Why, @tri?' }];
  await fixture.person('wil').pulls.createReview({ ...at, event: 'APPROVE', body: 'Fine', comments });
  await bot.pulls.merge(at);
  const mailed = fixture.forge.mails(name).map((mail) => [mail.number, mail.by, mail.about, ...mail.names]);
  const us = 'helm[bot]';
  expect(mailed).toEqual([
    [1, us, 'opened'],
    [number, us, 'opened'],
    [number, us, 'review_requested', 'wil'],
    [number, 'wil', 'reviewed', 'tri'],
    [number, us, 'merged'],
    [1, us, 'closed'],
  ]);
});

const ready = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } }
}`;
