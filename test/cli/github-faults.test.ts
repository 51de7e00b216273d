import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { endOfFault } from '../../src/cli/terminal/github-faults.ts';
import { passing } from '../../src/cli/watch/event-lines.ts';
import { ServerFault } from '../../src/doors/reading/from-server.ts';
import { connect } from '../../src/github/octokit/connect.ts';

/** What a person at a terminal is told of an answer of GitHub's, with the exit code. */
async function toldOf(...answer: Parameters<typeof gitHubWith>) {
  return toldBy(await gitHubWith(...answer));
}

async function gitHubWith(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ message }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}`;
}

async function toldBy(baseUrl: string) {
  const end = endOfFault(await faultOf(baseUrl));
  return { code: end?.code, message: end?.message };
}

async function faultOf(baseUrl: string): Promise<unknown> {
  const octokit = connect({ token: 'ghp_own', baseUrl, retryUnitMs: 0 });
  return octokit.rest.pulls
    .get({ owner: 'acme', repo: 'api', pull_number: 7 })
    .catch((thrown: unknown) => thrown);
}

const asked = ' (GET /repos/acme/api/pulls/7)';
const sso = 'required; url=https://github.com/orgs/acme/sso?authorization_request=abc';
const inAnHour = String(Math.ceil(Date.now() / 1000) + 3600);

test.each([
  [
    401,
    'Bad credentials',
    {},
    1,
    `GitHub says that your token is expired or revoked: run \`gh auth login\`${asked}`,
  ],
  [404, 'Not Found', {}, 1, `there is no such repository or run, or your token cannot see it${asked}`],
  [
    403,
    'Resource protected by organization SAML enforcement.',
    { 'x-github-sso': sso },
    1,
    `the organization asks for single sign-on: authorize your token at https://github.com/orgs/acme/sso?authorization_request=abc${asked}`,
  ],
  [403, 'Must have admin rights', {}, 1, `GitHub refuses it: Must have admin rights${asked}`],
  [502, 'Server Error', {}, 3, 'GitHub does not answer: Server Error'],
])('%i, %s', async (status, message, headers, code, told) => {
  expect(await toldOf(status, message, headers)).toEqual({ code, message: told });
});

test('a limit that is used up is told with its end', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inAnHour };
  expect(await toldOf(403, 'API rate limit exceeded', headers)).toEqual({
    code: 3,
    message: expect.stringMatching(/^GitHub's rate limit is used up until \d\d:\d\d:\d\d UTC$/),
  });
});

test('nothing is told of a GitHub that is not there but that', async () => {
  expect(await toldBy('http://127.0.0.1:9')).toMatchObject({
    code: 3,
    message: expect.stringContaining('GitHub cannot be reached: '),
  });
});

test('other faults are not GitHub’s', () => expect(endOfFault(new Error('x'))).toBeUndefined());

test('whoever watches is told who does not answer', async () => {
  const server = new ServerFault('https://coxswain.example.org cannot be reached', { retriable: true });
  expect(passing(server)).toBe('https://coxswain.example.org cannot be reached');
  expect(passing(await faultOf(await gitHubWith(502, 'Server Error')))).toBe(
    'GitHub does not answer: Server Error',
  );
});
