import { expect, test } from 'vitest';
import { textSha256 } from '../../../src/github/listen/said.ts';
import { readApproval } from '../../../src/github/read/approvals.ts';
import type { Source } from '../../../src/steering/event.ts';
import type { Role } from '../../../src/steering/person.ts';
import type { State } from '../../../src/steering/state.ts';
import { client, expectOnlyStubbedRequests, github, stubRole } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const head = 'b'.repeat(40);

// The rest of a state is not read here.
const state = {
  run: { id: 'acme/api#7', owner: 'acme', repo: 'api', number: 7 },
  settings: { approval: { by: [{ role: 'write' }] } },
} as unknown as State;

const comment: Source = {
  from: 'comment',
  comment_id: 555,
  text_sha256: textSha256('/approve'),
  written_at: '2026-11-21T12:00:00Z',
};
const review: Source = { from: 'review', review_id: 88, commit_id: head, text_sha256: textSha256('') };

async function standing(source: Source) {
  const by = { login: 'ada', role: 'write' as Role, bot: false };
  const approval = { id: 'x', by, at: '2026-11-21T12:00:00Z', head_sha: head, source, despite: [] };
  return readApproval(client(), state, approval);
}

function stubComment(body: string, login = 'ada'): void {
  github().get('/repos/acme/api/issues/comments/555').reply(200, { id: 555, body, user: { login } });
}

test('an approval stands while its words and its author’s role do', async () => {
  stubComment('/approve');
  stubRole('ada', 'write');
  expect(await standing(comment)).toEqual({ id: 'x', stands: true, why: '' });
});

test('an approval falls with its author’s role', async () => {
  stubComment('/approve');
  stubRole('ada', 'read');
  expect(await standing(comment)).toMatchObject({ stands: false, why: expect.stringContaining('role read') });
});

test('words that were edited, or taken away, approve nothing', async () => {
  stubComment('/approve --despite test');
  expect(await standing(comment)).toMatchObject({ stands: false, why: expect.stringContaining('edited') });
  github().get('/repos/acme/api/issues/comments/555').reply(404, { message: 'Not Found' });
  expect(await standing(comment)).toMatchObject({ stands: false, why: expect.stringContaining('gone') });
});

test('a comment of somebody else approves nothing', async () => {
  stubComment('/approve', 'eve');
  expect(await standing(comment)).toMatchObject({ stands: false });
});

test('a review that was dismissed approves nothing', async () => {
  github()
    .get('/repos/acme/api/pulls/7/reviews/88')
    .reply(200, { id: 88, state: 'DISMISSED', body: '', user: { login: 'ada' } });
  expect(await standing(review)).toMatchObject({ stands: false, why: expect.stringContaining('dismissed') });
});

test('an outage is neither a yes nor a no', async () => {
  github().get('/repos/acme/api/issues/comments/555').times(3).reply(503);
  await expect(standing(comment)).rejects.toMatchObject({ status: 503, retriable: true });
});
