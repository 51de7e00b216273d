import { describe, expect, test } from 'vitest';
import { changedSince, readIssueText } from '../../../src/github/read/edits.ts';
import { writerOf } from '../../../src/runs/start/open-run.ts';
import { client, expectOnlyStubbedRequests, github } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const ada = { login: 'ada', id: 1 };
const eve = { login: 'eve', id: 9 };
const created = '2026-11-21T11:00:00Z';
const label = '2026-11-21T12:00:00Z';

/** Changes, newest first, as `who: when`. */
type Changes = readonly (readonly [by: typeof ada | null, at: string])[];

interface Wish {
  readonly edits?: Changes;
  readonly renames?: Changes;
  readonly more?: boolean;
  /** Eve by default. */
  readonly author?: typeof ada | null;
}

function actor(by: typeof ada | null) {
  return by && { login: by.login, databaseId: by.id };
}

async function read({ edits = [], renames = [], more = false, author = eve }: Wish) {
  const original = edits.length === 0 ? [] : [{ editedAt: created, editor: actor(eve) }];
  const issue = {
    ...{ title: 'Fix it', body: 'Now.', createdAt: created, author: actor(author) },
    userContentEdits: {
      pageInfo: { hasNextPage: more },
      nodes: [...edits.map(([by, editedAt]) => ({ editedAt, editor: actor(by) })), ...(more ? [] : original)],
    },
    timelineItems: {
      pageInfo: { hasPreviousPage: more },
      nodes: renames.map(([by, createdAt]) => ({ createdAt, actor: actor(by) })).reverse(),
    },
  };
  github()
    .post('/graphql')
    .reply(200, { data: { repository: { issue } } });
  return readIssueText(client(), { owner: 'acme', name: 'api' }, 7);
}

describe('an issue was changed by someone else', () => {
  test.each<[string, Wish]>([
    ['who edited its body', { edits: [[eve, label]] }],
    [
      'who edited it before the labeller did',
      {
        edits: [
          [ada, '2026-11-21T12:01:00Z'],
          [eve, label],
        ],
      },
    ],
    ['who renamed it', { renames: [[eve, label]] }],
    ['whom GitHub does not name', { edits: [[null, label]] }],
    ['an App', { renames: [[{ login: 'helper', id: 0 }, label]] }],
    ['or may have been, in changes that are not listed', { edits: [[ada, label]], more: true }],
  ])('%s', async (_, wish) => {
    expect(changedSince(await read(wish), label, [ada])).toBeDefined();
  });
});

describe('whoever wrote an issue', () => {
  test.each<[string, Wish, object]>([
    ['opened it', {}, { people: [eve], complete: true }],
    ['is nobody else if they asked for the run', { author: ada }, { people: [], complete: true }],
    ['is nobody who could approve, if it was an App', { author: null }, { people: [], complete: true }],
    ['changed it last', { edits: [[eve, label]] }, { people: [eve], complete: true }],
    ['may be unknown', { edits: [[null, label]] }, { people: [], complete: false }],
    ['may be an App', { renames: [[{ login: 'helper', id: 0 }, label]] }, { people: [], complete: false }],
  ])('%s', async (_, wish, expected) => {
    expect(writerOf(await read(wish), ada)).toEqual(expected);
  });
});

describe('an issue was not changed by anyone else', () => {
  test.each<[string, Wish]>([
    ['at all', {}],
    ['but its labeller', { edits: [[ada, label]], renames: [[ada, label]] }],
    ['since', { edits: [[eve, '2026-11-21T11:59:59Z']], renames: [[eve, '2026-11-21T11:59:59Z']] }],
    ['since, however often it was before', { edits: [[eve, '2026-11-21T11:59:59Z']], more: true }],
  ])('%s', async (_, wish) => {
    const renames = wish.more ? { renames: [[eve, '2026-11-21T11:00:00Z']] as const } : {};
    expect(changedSince(await read({ ...wish, ...renames }), label, [ada])).toBeUndefined();
  });

  test('just because it is new', async () => {
    const text = await read({ edits: [[ada, '2026-11-21T11:00:20Z']] });
    expect(changedSince(text, created, [ada])).toBeUndefined();
  });
});

test('the newest change of title or body comes first', async () => {
  const text = await read({ edits: [[ada, '2026-11-21T11:30:00Z']], renames: [[eve, label]] });
  expect(text).toMatchObject({ title: 'Fix it', body: 'Now.', changes: [{ by: eve }, { by: ada }] });
});
