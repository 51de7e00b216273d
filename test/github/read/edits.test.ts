import { describe, expect, test } from 'vitest';
import { editsOf, otherEditor } from '../../../src/github/read/edits.ts';
import { client, expectOnlyStubbedRequests, github, stubEdits } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const ada = { login: 'ada', id: 1 };
const eve = { login: 'eve', id: 9 };
const somebody = { login: 'somebody', id: 0 };

/** Who other than ada edited her text, as GitHub tells it. */
async function other(author = ada) {
  return otherEditor((await editsOf(client(), ['IC_5'])).get('IC_5'), author);
}

describe('a text is its author’s own', () => {
  test('if it was never edited', async () => {
    stubEdits({ IC_5: [] });
    expect(await other()).toBeUndefined();
  });

  test('if nobody else edited it, even under another login', async () => {
    stubEdits({ IC_5: [ada, { ...ada, login: 'ada-lovelace' }] });
    expect(await other()).toBeUndefined();
  });
});

describe('a text is not its author’s own', () => {
  test('if somebody else edited it, even if the author did so afterwards', async () => {
    stubEdits({ IC_5: [ada, eve, ada] });
    expect(await other()).toEqual(eve);
  });

  test('if somebody who has the former login of its author edited it', async () => {
    stubEdits({ IC_5: [ada, { ...ada, id: 7 }] });
    expect(await other()).toEqual({ ...ada, id: 7 });
  });

  test('if GitHub does not name an editor', async () => {
    stubEdits({ IC_5: [ada, null, ada] });
    expect(await other()).toEqual(somebody);
  });

  test('if an App edited it', async () => {
    stubEdits({ IC_5: [ada, { login: 'helper' }] });
    expect(await other()).toEqual({ login: 'helper', id: 0 });
  });

  test('if its author is a deleted account', async () => {
    stubEdits({ IC_5: [{ login: 'ghost', id: 0 }] });
    expect(await other({ login: 'ghost', id: 0 })).toBeDefined();
  });

  test('if it was edited, but no edit is listed', async () => {
    const node = { id: 'IC_5', lastEditedAt: '2026-11-21T12:30:00Z', userContentEdits: null };
    github()
      .post('/graphql')
      .reply(200, { data: { nodes: [node] } });
    expect(await other()).toEqual(somebody);
  });

  test('if GitHub does not answer the question', async () => {
    const errors = [{ message: 'no such field', extensions: { code: 'undefinedField' } }];
    github().post('/graphql').reply(200, { errors });
    expect(await other()).toEqual(somebody);
  });

  test('if there is no such text', async () => {
    github()
      .post('/graphql')
      .reply(200, { data: { nodes: [null] } });
    expect(await other()).toEqual(somebody);
  });
});

describe('long histories', () => {
  const page = (editor: { login: string; id: number }, after: string | null) => {
    const nodes = [{ editedAt: '', editor: { login: editor.login, databaseId: editor.id } }];
    const pageInfo = { hasNextPage: after !== null, endCursor: after };
    const node = { id: 'IC_5', lastEditedAt: '', userContentEdits: { pageInfo, nodes } };
    return { data: { nodes: [node] } };
  };

  test('are read to their end', async () => {
    github().post('/graphql').reply(200, page(ada, 'c1'));
    github()
      .post('/graphql', ({ variables }) => variables.after === 'c1')
      .reply(200, page(eve, null));
    expect(await other()).toEqual(eve);
  });

  test('are unknown if they are endless', async () => {
    github().post('/graphql').times(5).reply(200, page(ada, 'c1'));
    expect(await other()).toEqual(somebody);
  });
});

test('an outage is neither a yes nor a no', async () => {
  github().post('/graphql').times(3).reply(503);
  await expect(editsOf(client(), ['IC_5'])).rejects.toMatchObject({ retriable: true });
});

test('many texts are one question for each hundred, and none is no question', async () => {
  const ids = Array.from({ length: 101 }, (_, index) => `IC_${index}`);
  stubEdits(Object.fromEntries(ids.slice(0, 100).map((id) => [id, []])));
  stubEdits({ IC_100: [] });
  expect((await editsOf(client(), ids)).size).toBe(101);
  expect((await editsOf(client(), [])).size).toBe(0);
});
