import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Postings } from '../../src/page/forms/offers.ts';
import { bob } from '../steering/samples.ts';
import { type PageFixture, startFixture } from './page-fixture.ts';
import { type Visitor, visitorOf } from './visitor.ts';
import { at } from './waiting-run.ts';

describe('what was posted', () => {
  const approve = { name: 'approve', body: '/approve', seq: 4 } as const;

  test('waits until the ledger moves, and is late after a while', () => {
    let now = 0;
    const postings = new Postings(() => now);
    expect(postings.begin('/a', approve)).toBe(true);
    expect(postings.of('/a', 4)).toEqual({ name: 'approve', body: '/approve', phase: 'waiting' });
    expect(postings.of('/a', 5)).toBeUndefined();
    expect(postings.of('/b', 4)).toBeUndefined();
    now = 20_000;
    expect(postings.of('/a', 4)?.phase).toBe('late');
    now = 200_000;
    expect(postings.of('/a', 4)).toBeUndefined();
  });

  test('is not posted again while it waits, but something else is', () => {
    const postings = new Postings(() => 0);
    postings.begin('/a', approve);
    expect(postings.begin('/a', approve)).toBe(false);
    expect(postings.begin('/a', { ...approve, body: '/approve abc' })).toBe(true);
    postings.forget('/a');
    expect(postings.begin('/a', approve)).toBe(true);
  });
});

describe('without scripts', () => {
  let fixture: PageFixture;
  let visitor: Visitor;
  let pull = '';

  beforeAll(async () => {
    fixture = await startFixture();
    visitor = await visitorOf(fixture);
    pull = `/acme/api/pull/${fixture.pull}`;
  }, 30_000);

  afterAll(() => fixture.end());

  test('a second click posts nothing, and the page says what it waits for until the run moves on', async () => {
    await visitor.get(pull);
    const fields = { command: 'verify', text: '' };
    const answers = await Promise.all([1, 2, 3].map(() => visitor.post(`${pull}/comment`, fields)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    const posted = (await fixture.commentsOn(fixture.pull)).filter((body) => body === '/verify');
    expect(posted).toHaveLength(1);
    const waiting = await (await visitor.get(pull)).text();
    expect(waiting).toContain('Posted <code>/verify</code>. Waiting for Coxswain…');
    expect(waiting).toMatch(/<button class="primary" disabled/);
    fixture.run.says(bob, '/verify');
    await fixture.record();
    const seen = async () => (await visitor.get(pull)).text();
    await expect.poll(seen).not.toContain('Waiting for Coxswain…');
  });

  test('what GitHub refuses does not wait, and can be posted again', async () => {
    const fault = { times: 1, path: /\/comments$/, method: 'POST', status: 403, body: { message: 'Locked' } };
    fixture.forge.seed.fault(fault);
    const fields = { command: '', text: '/why' };
    expect((await visitor.post(`${pull}/comment`, fields)).status).toBe(403);
    expect((await visitor.post(`${pull}/comment`, fields)).status).toBe(303);
    expect(await fixture.commentsOn(fixture.pull)).toContain('/why');
  });

  test('whoever starts a run is told so, and led to it once it is there', async () => {
    const issue = `/acme/api/issues/${fixture.issue}`;
    const answer = await visitor.post(`${issue}/comment`, { command: 'run' });
    const there = answer.headers.get('location') ?? '';
    expect(there).toMatch(/\/issues\/\d+\?started=\d+$/);
    const page = await (await visitor.get(there)).text();
    expect(page).toContain('<b>Starting…</b>');
    expect(page).not.toContain('Start a run</button>');
    const asked = await visitor.get(`/acme/api/issues/${fixture.asked}?started=1`);
    expect([asked.status, asked.headers.get('location')]).toEqual([303, pull]);
  });

  test('an answer of Coxswain, or none for long, is not told as a start', async () => {
    const issue = `/acme/api/issues/${fixture.issue}`;
    expect(await (await visitor.get(`${issue}?started=1`)).text()).toContain('Nothing has started yet.');
    expect(await (await visitor.get(`${issue}?started=1`)).text()).toContain('Post /run</button>');
    await fixture.ada.rest.issues.createComment({ ...at, issue_number: fixture.issue, body: 'Hello' });
    expect(await (await visitor.get(`${issue}?started=2`)).text()).toContain('Nothing has started yet.');
  });

  test('an issue and its run lead to each other, also when the run has ended', async () => {
    const issue = `/acme/api/issues/${fixture.asked}`;
    const link = `<a class="title" href="${pull}">`;
    expect(await (await visitor.get(issue)).text()).toContain(link);
    expect(await (await visitor.get(issue)).text()).toContain('There is a run of this issue');
    expect(await (await visitor.get(pull)).text()).toContain(
      `<a href="${issue}">issue #${fixture.asked}</a>`,
    );
    fixture.run.says(bob, '/reject no');
    await fixture.record();
    await fixture.ada.rest.pulls.update({ ...at, pull_number: fixture.pull, state: 'closed' });
    const seen = async () => (await visitor.get(issue)).text();
    await expect.poll(seen).not.toContain('There is a run of this issue');
    expect(await seen()).toContain(link);
    expect(await (await visitor.get(pull)).text()).toContain(`<a href="${issue}">issue`);
  });
});
