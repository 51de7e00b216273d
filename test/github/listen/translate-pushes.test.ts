import { describe, expect, test } from 'vitest';
import { expectOnlyStubbedRequests, github } from '../octokit/github.ts';
import * as deliveries from './deliveries.ts';
import { eventOf, translateDelivery } from './translating.ts';

expectOnlyStubbedRequests();

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);

describe('a push', () => {
  function stubHead(head: string): void {
    const end = { ref: 'coxswain/fix-1a2b', sha: head, repo: { id: 4711 } };
    github()
      .get('/repos/acme/api/pulls/7')
      .reply(200, { number: 7, head: end, base: end, labels: [], updated_at: '2026-11-21T12:09:00Z' });
  }

  function stubCompare(basehead: string, status: string): void {
    github().get(`/repos/acme/api/compare/${basehead}?per_page=1&page=2`).reply(200, { status });
  }

  test('by someone else says whether it was a fast-forward', async () => {
    stubHead(b);
    stubCompare(`${a}...${b}`, 'ahead');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toEqual({
      number: 7,
      type: 'pushed',
      id: `push:${b}@2026-11-21T12:00:00Z`,
      at: '2026-11-21T12:00:00Z',
      before: a,
      head: b,
      forced: false,
      by: 'ada',
      by_id: deliveries.idOf('ada'),
    });
  });

  test('that removed commits was forced', async () => {
    stubHead(b);
    stubCompare(`${a}...${b}`, 'diverged');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({ forced: true });
  });

  test('over a commit that no longer exists was forced', async () => {
    stubHead(b);
    github()
      .get(`/repos/acme/api/compare/${a}...${b}?per_page=1&page=2`)
      .reply(404, { message: 'Not Found' });
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({ forced: true });
  });

  test('that arrives late counts as the current head', async () => {
    const c = 'c'.repeat(40);
    stubHead(c);
    stubCompare(`${a}...${c}`, 'ahead');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({
      id: `push:${c}@2026-11-21T12:09:00Z`,
      head: c,
      at: '2026-11-21T12:09:00Z',
    });
  });

  test('that GitHub’s answer does not show yet is believed', async () => {
    stubHead(a);
    stubCompare(`${a}...${b}`, 'ahead');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({ head: b });
  });

  test('of our own is already in the ledger', async () => {
    expect(
      await translateDelivery('pull_request', deliveries.synchronize(a, b, { sender: 'coxswain[bot]' })),
    ).toEqual([]);
  });

  test('that deleted a branch which somebody has restored is none', async () => {
    const end = { ref: 'coxswain/fix-1a2b', sha: b, repo: { id: 4711 } };
    github()
      .get('/repos/acme/api/pulls?head=acme%3Acoxswain%2Ffix-1a2b&state=all&per_page=100')
      .reply(200, [{ number: 7, state: 'open', head: end, base: end, labels: [], merged_at: null }]);
    github().get('/repos/acme/api/git/ref/heads%2Fcoxswain%2Ffix-1a2b').reply(200, {});
    expect(await translateDelivery('push', deliveries.push())).toEqual([]);
  });

  test('that deletes a branch is an event of the run of its pull request', async () => {
    const end = { ref: 'coxswain/fix-1a2b', sha: b, repo: { id: 4711 } };
    github()
      .get('/repos/acme/api/pulls?head=acme%3Acoxswain%2Ffix-1a2b&state=all&per_page=100')
      .reply(200, [{ number: 7, state: 'closed', head: end, base: end, labels: [], merged_at: null }]);
    expect(await eventOf('push', deliveries.push())).toEqual({
      number: 7,
      type: 'branch_deleted',
      id: `branch_deleted:${b}@2026-11-21T12:04:00.000Z`,
      at: '2026-11-21T12:04:00.000Z',
      by: 'ada',
    });
  });
});

describe('a pull request', () => {
  test('that is merged, closed or reopened says who did it and when', async () => {
    expect(await eventOf('pull_request', deliveries.closed(true, { sender: 'bob' }))).toEqual({
      number: 7,
      type: 'closed',
      id: 'closed:2026-11-21T12:05:00Z',
      at: '2026-11-21T12:05:00Z',
      merged: true,
      by: 'bob',
      base: 'main',
    });
    expect(await eventOf('pull_request', deliveries.reopened())).toMatchObject({
      type: 'reopened',
      id: 'reopened:2026-11-21T12:00:00Z',
      by: 'ada',
    });
  });

  test('whose base was changed says to which branch, beside a changed body', async () => {
    const event = { type: 'retargeted', base: 'release', at: '2026-11-21T12:00:00Z', by: 'bob' };
    const change = { kind: 'event', number: 7, event };
    expect(await translateDelivery('pull_request', deliveries.retargeted('release'))).toMatchObject([change]);
    const both = deliveries.retargeted('release', { body: { from: 'old' } });
    expect(await translateDelivery('pull_request', both)).toMatchObject([change, { kind: 'body_edited' }]);
  });

  test('whose body was edited, even by us, has both texts', async () => {
    const payload = deliveries.bodyEdited('old', 'new', { sender: 'coxswain[bot]' });
    expect(await translateDelivery('pull_request', payload)).toMatchObject([
      {
        kind: 'body_edited',
        pull: { number: 7 },
        before: 'old',
        after: 'new',
        sender: { login: 'coxswain[bot]', bot: true },
      },
    ]);
  });
});
