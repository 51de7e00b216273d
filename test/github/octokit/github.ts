import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Connection, type ConnectOptions, connect } from '../../../src/github/octokit/connect.ts';

export const baseUrl = 'https://api.github.com';

/** No network: an unexpected request fails its test, and so does an unused stub. */
export function expectOnlyStubbedRequests(): void {
  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => {
    const unused = nock.pendingMocks();
    nock.cleanAll();
    expect(unused).toEqual([]);
  });
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}

export function github(): nock.Scope {
  return nock(baseUrl);
}

/** A client whose retries do not wait. */
export function client(options: Partial<Omit<ConnectOptions, 'token' | 'auth'>> = {}): Connection {
  return connect({ token: 'test-token', baseUrl, retryUnitMs: 0, ...options });
}

/** The one `role` answer that commands need. */
export function stubRole(login: string, role: string, repository = 'acme/api'): nock.Scope {
  const permission = { maintain: 'write', triage: 'read' }[role] ?? role;
  return github()
    .get(`/repos/${repository}/collaborators/${encodeURIComponent(login)}/permission`)
    .reply(200, { permission, role_name: role, user: null }, { date: 'Sat, 21 Nov 2026 12:00:00 GMT' });
}

/** Someone who edited a text; an App has no id. */
interface Editor {
  readonly login: string;
  readonly id?: number;
}

/** The one question about who edited these texts, by node id: the author first, if they were ever edited. */
export function stubEdits(edits: Readonly<Record<string, readonly (Editor | null)[]>>): nock.Scope {
  const nodes = Object.entries(edits).map(([id, editors]) => ({
    id,
    lastEditedAt: editors.length === 0 ? null : '2026-11-21T12:30:00Z',
    userContentEdits: {
      pageInfo: { hasNextPage: false, endCursor: null },
      nodes: editors.map((editor) => ({ editedAt: '2026-11-21T12:30:00Z', editor: actor(editor) })).reverse(),
    },
  }));
  return github()
    .post('/graphql', ({ variables }) => variables.ids.join() === Object.keys(edits).join())
    .reply(200, { data: { nodes } });
}

function actor(editor: Editor | null) {
  if (editor === null) return null;
  const { login, id } = editor;
  return id === undefined ? { login } : { login, databaseId: id };
}
