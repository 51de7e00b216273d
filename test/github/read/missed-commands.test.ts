import { describe, expect, test } from 'vitest';
import { translate } from '../../../src/github/listen/translate.ts';
import { missedCommands } from '../../../src/github/read/missed-commands.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

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

interface Wish {
  readonly body: string;
  readonly updated_at?: string;
}

function stubComments(...wishes: readonly Wish[]): void {
  const comments = wishes.map(({ body, updated_at = written }, index) => ({
    id: 500 + index,
    node_id: `IC_${500 + index}`,
    body,
    user: { login: 'ada', type: 'User' },
    created_at: written,
    updated_at,
  }));
  github().get('/repos/acme/api/issues/7/comments').query({ since, per_page: 100 }).reply(200, comments);
}

function stubEditor(login: string | null): void {
  const node = { id: 'IC_500', lastEditedAt: login === null ? null : edited, editor: login && { login } };
  github()
    .post('/graphql', ({ variables }) => variables.ids[0] === 'IC_500')
    .reply(200, { data: { nodes: [node] } });
}

function stubReviews(...reviews: readonly unknown[]): void {
  github().get('/repos/acme/api/pulls/7/reviews?per_page=100').reply(200, reviews);
}

function review(changes: Record<string, unknown>) {
  const user = { login: 'bob', type: 'User' };
  return {
    id: 88,
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
    stubReviews();
    expect(await missedCommands(client(), subject, since)).toMatchObject([
      { kind: 'comment', action: 'created', at: written, comment: { id: 500, updated_at: written } },
    ]);
  });

  test('that its author edited before it was recorded counts as it is now', async () => {
    stubComments({ body: '/steer y', updated_at: edited });
    stubEditor('ada');
    stubReviews();
    const words = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(words).toMatchObject([{ action: 'created', sender: { login: 'ada' }, at: edited }]);
  });

  test('that its author edited after it was recorded is an edit', async () => {
    stubComments({ body: 'never mind', updated_at: edited });
    stubEditor('ada');
    stubReviews();
    const seen = new Set([`comment:500@${written}`]);
    const [word] = await missedCommands(client(), { ...subject, seen }, since);
    if (word === undefined) throw new Error('the edit was not heard');
    const context = {
      octokit: client(),
      trigger: 'coxswain',
      own: { login: 'coxswain[bot]', app: { id: 1 } },
    };
    expect(await translate(word, context)).toMatchObject([
      { event: { type: 'comment_changed', id: `comment:500@${edited}`, by_author: true, text: null } },
    ]);
  });

  test('that someone else edited is never attributed to its author', async () => {
    stubComments({ body: '/approve', updated_at: edited });
    stubEditor('eve');
    stubReviews();
    const words = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(words).toMatchObject([{ action: 'edited', sender: { login: 'eve' }, author: { login: 'ada' } }]);
  });

  test('that was updated without an edit is recorded once', async () => {
    stubComments({ body: '/steer x', updated_at: edited });
    stubEditor(null);
    stubReviews();
    const seen = new Set([`comment:500@${written}`]);
    expect(await missedCommands(client(), { ...subject, seen }, since)).toEqual([]);
  });

  test('whose editor GitHub does not name was not edited by its author', async () => {
    stubComments({ body: '/approve', updated_at: edited });
    github()
      .post('/graphql')
      .reply(200, { data: null, errors: [{ type: 'undefinedField', message: 'no editor' }] });
    stubReviews();
    const words = await missedCommands(client(), { ...subject, seen: new Set() }, since);
    expect(words).toMatchObject([{ action: 'edited', sender: { login: 'somebody' } }]);
  });
});

describe('a missed review', () => {
  test('becomes an event if it was submitted since', async () => {
    stubComments();
    stubReviews(
      review({}),
      review({ id: 87, submitted_at: '2026-11-20T00:00:00Z' }),
      review({ state: 'PENDING' }),
    );
    expect(await missedCommands(client(), subject, since)).toMatchObject([
      { kind: 'review', action: 'submitted', at: written, review: { id: 88, state: 'approved' } },
    ]);
  });

  test('that was dismissed says who dismissed it and when', async () => {
    stubComments();
    stubReviews(review({ state: 'DISMISSED', submitted_at: '2026-11-20T00:00:00Z' }));
    github()
      .get('/repos/acme/api/issues/7/events?per_page=100')
      .reply(200, [
        { event: 'labeled', label: { name: 'coxswain' } },
        {
          event: 'review_dismissed',
          actor: { login: 'carol', type: 'User' },
          created_at: edited,
          dismissed_review: { state: 'approved', review_id: 88, dismissal_message: 'stale' },
        },
      ]);
    expect(await missedCommands(client(), subject, since)).toMatchObject([
      { action: 'dismissed', at: edited, sender: { login: 'carol' }, review: { id: 88 } },
    ]);
  });
});
