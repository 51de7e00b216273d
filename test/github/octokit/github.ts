import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Connection, type ConnectOptions, connect } from '../../../src/github/octokit/connect.ts';

export const baseUrl = 'https://api.github.com';

/** No network: an unexpected request fails its test, and so does an unused stub. */
export function expectOnlyStubbedRequests(): void {
  beforeAll(() => nock.disableNetConnect());
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
    .reply(200, { permission, role_name: role, user: { login } }, { date: 'Sat, 21 Nov 2026 12:00:00 GMT' });
}
