import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GitError, git } from '../../src/git/git.ts';
import { checkGit, problemWith } from '../../src/git/git-version.ts';
import { listRemote } from '../../src/git/remote.ts';
import { type GitServer, startGitServer } from '../ledger/git-server.ts';
import { type WorkCopy, workCopy } from './work-copy.ts';

const token = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';
const encoded = Buffer.from(`x-access-token:${token}`).toString('base64');

let server: GitServer;
let work: WorkCopy;

beforeEach(async () => {
  server = await startGitServer({ token });
  work = await workCopy();
  await work.commit({ a: 'x\n' });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all([server.close(), work.remove()]);
});

test('the token reaches the server, but neither the arguments nor the disk', async () => {
  const seen = await git(['push', '--porcelain', server.remote.url, 'HEAD:refs/heads/main'], {
    cwd: work.dir,
    env: { GIT_TRACE: '1', GIT_TRACE_CURL: '0' },
    remote: server.remote,
  });
  expect(seen).toContain('refs/heads/main');
  expect(await work.git('config', '--list', '--local')).not.toContain('xtraheader');
  const traced = await git(['-c', 'alias.show-arguments=!ps -o args= -p $PPID', 'show-arguments'], {
    remote: server.remote,
  });
  expect(traced).not.toContain(encoded);
});

test('a refused token is not in the error', async () => {
  const remote = { ...server.remote, token: async () => 'ghs_wrong_wrong_wrong_wrong_wrong_wrong' };
  const error = await git(['ls-remote', remote.url], {
    remote,
    env: { GIT_TRACE_CURL: '1', GIT_TRACE_REDACT: '0' },
  })
    .then(() => undefined)
    .catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(GitError);
  expect(JSON.stringify(error) + String(error)).not.toMatch(/ghs_wrong|Z2hzX3dyb25n/);
});

test('a password in a URL is not in the error', async () => {
  const command = git(['ls-remote', 'http://me:hunter2@127.0.0.1:1/x.git']);
  await expect(command).rejects.toThrow(/127\.0\.0\.1/);
  await expect(command).rejects.not.toThrow(/hunter2/);
});

test('the token does not follow a redirect', async () => {
  const headers: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    headers.push(request.headers.authorization);
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const { port } = elsewhere.address() as AddressInfo; // a port was asked for, so it is not a pipe's name
  server.failNext(/info\/refs/, {
    status: 301,
    location: `http://127.0.0.1:${port}/x.git/info/refs?service=git-upload-pack`,
  });
  await expect(listRemote(server.remote, [])).rejects.toThrow(GitError);
  elsewhere.close();
  expect(headers).toEqual([]);
});

test('no Git variables are inherited', async () => {
  vi.stubEnv('GIT_DIR', '/nowhere');
  vi.stubEnv('GIT_CONFIG_PARAMETERS', "'user.name=ambient'");
  expect(await git(['config', '--default', 'nobody', '--get', 'user.name'], { cwd: work.dir })).toBe(
    'nobody\n',
  );
});

test('hooks, credential helpers and remote helpers of a repository do not run', async () => {
  const trap = `${work.dir}/../trap-${process.pid}`;
  await work.write({ '.git/hooks/post-checkout': `#!/bin/sh\ntouch ${trap}\n` });
  await work.git('update-index', '--refresh');
  await git(['config', 'core.hooksPath', '.git/hooks'], { cwd: work.dir });
  await git(['config', 'credential.helper', `!touch ${trap}`], { cwd: work.dir });
  await git(['checkout', '--quiet', '-b', 'other'], { cwd: work.dir });
  await expect(git(['ls-remote', server.remote.url], { cwd: work.dir })).rejects.toThrow(GitError);
  await expect(git(['ls-remote', `ext::touch ${trap}`], { cwd: work.dir })).rejects.toThrow(/not allowed/);
  expect(existsSync(trap)).toBe(false);
});

test('a command that takes too long is ended with its children', async () => {
  const command = git(['-c', 'alias.wait=!sleep 60', 'wait'], { timeoutMs: 100 });
  await expect(command).rejects.toThrow('took longer than 100 ms');
});

test('a command is ended when it is aborted', async () => {
  const ending = new AbortController();
  const command = git(['-c', 'alias.wait=!sleep 60', 'wait'], { signal: ending.signal });
  ending.abort();
  await expect(command).rejects.toThrow('was aborted');
});

test('a command that prints too much is ended', async () => {
  const command = git(['-c', 'alias.flood=!yes', 'flood'], { maxBytes: 100_000 });
  await expect(command).rejects.toThrow('printed more than 100000 bytes');
});

test("an error contains the command, the exit code and Git's message", async () => {
  const error: unknown = await git(['rev-parse', '--verify', 'nope'], { cwd: work.dir }).catch(
    (cause) => cause,
  );
  expect(error).toMatchObject({ args: ['rev-parse', '--verify', 'nope'], exitCode: 128 });
  expect(String(error)).toBe(
    'GitError: git rev-parse --verify nope: exit code 128: fatal: Needed a single revision',
  );
});

test('an error does not repeat a long command or message in full', async () => {
  const long = `nope-${'x'.repeat(100_000)}`;
  const error: unknown = await git(['rev-parse', '--verify', long], { cwd: work.dir }).catch(
    (cause) => cause,
  );
  expect(error).toMatchObject({
    name: 'GitError',
    message: expect.stringMatching(/^git rev-parse --verify nope-x+…: exit code 128: /),
  });
  expect(String(error).length).toBeLessThan(10_000);
});

test('the Git on this machine is new enough', async () => {
  await expect(checkGit()).resolves.toBeUndefined();
});

test('without Git the error says what to install', async () => {
  vi.stubEnv('PATH', '/nowhere');
  await expect(checkGit()).rejects.toThrow(/install Git 2\.38 or newer/);
});

test.each([
  ['git version 2.38.0', true],
  ['git version 2.39.5 (Apple Git-154)', true],
  ['git version 3.0.0', true],
  ['git version 2.37.7', false],
  ['git version 1.99.0', false],
])('%s is enough: %s', (version, enough) => {
  expect(problemWith(version) === undefined).toBe(enough);
});
