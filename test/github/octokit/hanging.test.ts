import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../src/github/octokit/connect.ts';
import { impatient } from '../../../src/github/octokit/rate-limiter.ts';

/** It takes requests and never answers, which no stub does: those answer late. */
const server = createServer();
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test('who waits for a GitHub that never answers is told in time, after as many tries as for any failure', async () => {
  // A server that listens on a port has an address object.
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const octokit = connect({ token: 'secret', baseUrl, pace: impatient(), timeoutMs: 50, retryUnitMs: 0 });
  const fault = { status: 0, retriable: true };
  await expect(octokit.rest.users.getAuthenticated()).rejects.toMatchObject(fault);
  expect(octokit.requests.total).toBe(3);
  const comment = { owner: 'acme', repo: 'api', issue_number: 7, body: 'Fine' };
  await expect(octokit.rest.issues.createComment(comment)).rejects.toMatchObject(fault);
  expect(octokit.requests.total).toBe(4);
});
