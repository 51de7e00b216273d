import { describe, expect, test } from 'vitest';
import { translate } from '../../../src/github/listen/translate.ts';
import { missedCommands } from '../../../src/github/read/missed-commands.ts';
import { client, expectOnlyStubbedRequests, github, stubEdits } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const since = '2026-11-21T11:00:00Z';
const written = '2026-11-21T12:00:00Z';
const edited = '2026-11-21T12:30:00Z';

const subject = {
  repository: {
    id: 4711,
    owner: 'acme',
    name: 'api',
    default_branch: 'main',
    clone_url: 'https://github.com/acme/api.git',
    private: false,
  },
  number: 7,
  title: 'Fix',
  head_ref: 'coxswain/fix-1',
  head_sha: 'b'.repeat(40),
  base_ref: 'main',
  labels: ['coxswain'],
};

const ada = { login: 'ada', id: 1 };
const bob = { login: 'bob', id: 2 };
const eve = { login: 'eve', id: 9 };

interface Wish {
  readonly body: string;
  readonly updated_at?: string;
  readonly performed_via_github_app?: { readonly id: number; readonly slug: string };
}

function stubComments(...wishes: readonly Wish[]): void {
  const comments = wishes.map(({ updated_at = written, ...wish }, index) => ({
    performed_via_github_app: null,
    id: 500 + index,
    node_id: `IC_${500 + index}`,
    ...wish,
    user: { ...ada, type: 'User' },
    created_at: written,
    updated_at,
  }));
  github().get('/repos/acme/api/issues/7/comments').query({ since, per_page: 100 }).reply(200, comments);
}

function stubReviews(...reviews: readonly unknown[]): void {
  github().get('/repos/acme/api/pulls/7/reviews?per_page=100&page=1').reply(200, reviews);
}

function review(changes: Record<string, unknown>) {
  const user = { ...bob, type: 'User' };
  return {
    id: 88,
    node_id: 'PRR_88',
    user,
    body: '',
    state: 'APPROVED',
    commit_id: 'b'.repeat(40),
    submitted_at: written,
    ...changes,
  };
}

describe('a missed comment', () => {
  test('becomes the same event as its webhook; comments without commands do not', async () => {
    stubComments({ body: '/steer x' }, { body: 'hello' });
    stubEdits({ IC_500: [] });
    stubReviews();
    expect((await missedCommands(client(), subject, since)).events).toMatchObject([
      { kind: 'comment', action: 'created', at: written, comment: { id: 500, updated_at: written } },
    ]);
  });

  test('that its author edited before it was recorded counts as it is now', async () => {
    stubComments({ body: '/steer y', updated_at: edited });
    stubEdits({ IC_500: [ada, ada] });
    stubReviews();
    const { events } = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(events).toMatchObject([{ action: 'created', sender: { login: 'ada' }, at: edited }]);
  });

  test('that its author edited after it was recorded is an edit', async () => {
    stubComments({ body: 'never mind', updated_at: edited });
    stubEdits({ IC_500: [ada, ada] });
    stubReviews();
    const seen = new Set([`comment:500@${written}`]);
    const [word] = (await missedCommands(client(), { ...subject, seen }, since)).events;
    if (word === undefined) throw new Error('the edit was not heard');
    const context = {
      octokit: client(),
      trigger: 'coxswain',
      own: { login: 'coxswain[bot]', app: { id: 1 } },
    };
    expect(await translate(word, context)).toMatchObject([
      {
        event: { type: 'comment_changed', id: expect.stringContaining(edited), by_author: true, text: null },
      },
    ]);
  });

  test.each([
    ['last', [ada, eve]],
    ['before its author did', [ada, eve, ada]],
  ])('that someone else edited %s is never attributed to its author', async (_, editors) => {
    stubComments({ body: '/approve', updated_at: edited });
    stubEdits({ IC_500: editors });
    stubReviews();
    const { events } = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(events).toMatchObject([{ action: 'edited', sender: eve, author: ada }]);
  });

  test('that someone else edited in the second in which it was written is not either', async () => {
    stubComments({ body: '/approve' });
    stubEdits({ IC_500: [ada, eve] });
    stubReviews();
    const { events } = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(events).toMatchObject([{ action: 'edited', sender: eve }]);
  });

  test('that another App wrote for its author says so', async () => {
    stubComments({ body: '/approve', performed_via_github_app: { id: 5, slug: 'helper' } });
    stubEdits({ IC_500: [] });
    stubReviews();
    const { events } = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(events).toMatchObject([{ comment: { via_app: { id: 5, slug: 'helper' } } }]);
  });

  test('that was updated without an edit is recorded once', async () => {
    stubComments({ body: '/steer x', updated_at: edited });
    stubEdits({ IC_500: [] });
    stubReviews();
    const seen = new Set([`comment:500@${written}`]);
    expect((await missedCommands(client(), { ...subject, seen }, since)).events).toEqual([]);
  });

  test('is unread while GitHub does not say who edited it', async () => {
    stubComments({ body: '/reject', updated_at: edited });
    github()
      .post('/graphql')
      .reply(200, { data: { nodes: [null] } });
    stubReviews();
    const { events, unread } = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(events).toEqual([]);
    expect(unread.map(String)).toEqual(['Error: GitHub does not say who edited comment 500 of acme/api#7']);
  });

  test('whose edits are not listed was not edited by its author', async () => {
    stubComments({ body: '/approve', updated_at: edited });
    const node = { id: 'IC_500', lastEditedAt: edited, userContentEdits: null };
    github()
      .post('/graphql')
      .reply(200, { data: { nodes: [node] } });
    stubReviews();
    const { events } = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(events).toMatchObject([{ action: 'edited', sender: { login: 'somebody' } }]);
  });
});

function stubDismissal(state: 'approved' | 'changes_requested'): void {
  github()
    .get('/repos/acme/api/issues/7/events?per_page=100&page=1')
    .reply(200, [
      { event: 'labeled', label: { name: 'coxswain' } },
      {
        event: 'review_dismissed',
        actor: { login: 'carol', type: 'User' },
        created_at: edited,
        dismissed_review: { state, review_id: 88, dismissal_message: 'stale' },
      },
    ]);
}

describe('a missed review', () => {
  test('becomes an event if it was submitted since', async () => {
    stubComments();
    stubReviews(
      review({}),
      review({ id: 87, submitted_at: '2026-11-20T00:00:00Z' }),
      review({ state: 'PENDING' }),
    );
    stubEdits({ PRR_88: [] });
    expect((await missedCommands(client(), subject, since)).events).toMatchObject([
      { kind: 'review', action: 'submitted', at: written, review: { id: 88, state: 'approved' } },
    ]);
  });

  test('is heard once', async () => {
    stubComments();
    stubReviews(review({}));
    const seen = new Set(['review:88']);
    expect((await missedCommands(client(), { ...subject, seen }, since)).events).toEqual([]);
  });

  test.each([
    ['last', [bob, eve]],
    ['before its author did', [bob, eve, bob]],
    ['and GitHub does not say who', [bob, null]],
  ])('whose text somebody else edited %s says nothing', async (_, editors) => {
    stubComments();
    stubReviews(review({ state: 'COMMENTED', body: '/approve' }));
    stubEdits({ PRR_88: editors });
    expect((await missedCommands(client(), subject, since)).events).toEqual([]);
  });

  test('that requests changes does so without its text if somebody else edited that', async () => {
    stubComments();
    stubReviews(review({ state: 'CHANGES_REQUESTED', body: '/approve' }));
    stubEdits({ PRR_88: [bob, eve] });
    expect((await missedCommands(client(), subject, since)).events).toMatchObject([
      { action: 'submitted', sender: bob, review: { state: 'changes_requested', body: '' } },
    ]);
  });

  test('that requested changes does so even if it was dismissed since', async () => {
    stubComments();
    stubReviews(review({ state: 'DISMISSED', body: 'No.' }));
    stubEdits({ PRR_88: [] });
    stubDismissal('changes_requested');
    expect((await missedCommands(client(), subject, since)).events).toMatchObject([
      { action: 'submitted', at: written, review: { state: 'changes_requested', body: 'No.' } },
      { action: 'dismissed', at: edited },
    ]);
  });

  test('whose text its author edited counts as it is now', async () => {
    stubComments();
    stubReviews(review({ body: '/approve' }));
    stubEdits({ PRR_88: [bob, bob] });
    expect((await missedCommands(client(), subject, since)).events).toMatchObject([{ action: 'submitted' }]);
  });

  test('that was dismissed says who dismissed it and when', async () => {
    stubComments();
    stubReviews(review({ state: 'DISMISSED', submitted_at: '2026-11-20T00:00:00Z' }));
    stubDismissal('approved');
    expect((await missedCommands(client(), subject, since)).events).toMatchObject([
      { action: 'dismissed', at: edited, sender: { login: 'carol' }, review: { id: 88 } },
    ]);
  });
});
