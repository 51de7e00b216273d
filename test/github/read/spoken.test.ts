import { expect, test } from 'vitest';
import { spokenSince } from '../../../src/github/read/spoken.ts';
import { client, expectOnlyStubbedRequests, github, stubEdits, stubRole } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const where = { owner: 'acme', name: 'api' };
const ada = { login: 'ada', id: 1, type: 'User' };
const edited = '2026-11-21T12:30:00Z';

/** A review by Ada at 11:00. */
function stubLists(): void {
  github()
    .get(/\/issues\/7\/comments/)
    .reply(200, []);
  const review = { id: 5, node_id: 'PRR_5', user: ada, state: 'COMMENTED', body: 'Fine.' };
  github()
    .get(/\/pulls\/7\/reviews/)
    .reply(200, [{ ...review, submitted_at: '2026-11-21T11:00:00Z' }]);
}

/** The same, and who edited it at 12:30. */
function stubReview(...editors: readonly { readonly login: string; readonly id?: number }[]): void {
  stubLists();
  stubEdits({ PRR_5: editors });
}

const spoken = (since: string, seen: readonly string[] = []) =>
  spokenSince(client(), { where, number: 7, seen: new Set(seen) }, since);

test('a review that its author edited since is a word, though it was submitted and recorded before', async () => {
  stubReview(ada);
  stubRole('ada', 'write');
  expect(await spoken('2026-11-21T12:00:00Z', ['review:5'])).toEqual({ login: 'ada', id: 1, at: edited });
});

test('whoever edited the review of somebody else has spoken', async () => {
  stubReview({ login: 'eve', id: 9 });
  stubRole('eve', 'write');
  expect(await spoken('2026-11-21T12:00:00Z')).toEqual({ login: 'eve', id: 9, at: edited });
});

test('a review that was edited before, or by an App, is none', async () => {
  stubReview(ada);
  expect(await spoken('2026-11-21T12:31:00Z')).toBeUndefined();
  stubReview({ login: 'helper' });
  expect(await spoken('2026-11-21T12:00:00Z')).toBeUndefined();
});

test('where GitHub does not tell who edited a review, nobody knows that nobody spoke', async () => {
  stubLists();
  const errors = [{ message: 'no such field', extensions: { code: 'undefinedField' } }];
  github().post('/graphql').reply(200, { errors });
  await expect(spoken('2026-11-21T12:00:00Z')).rejects.toThrow('could not find out who edited review 5');
});
