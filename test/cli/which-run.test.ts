import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { personOn, serverNamed } from '../../src/cli/terminal/signed-in-person.ts';
import { findRun, repositoryNamed } from '../../src/cli/terminal/which-run.ts';
import { heard } from './heard.ts';

/** Which run is meant, and who asks, in real clones and with a real program called `gh`. */

beforeEach(() => {
  for (const name of [
    'GH_TOKEN',
    'GITHUB_TOKEN',
    'GH_ENTERPRISE_TOKEN',
    'GITHUB_ENTERPRISE_TOKEN',
    'GH_HOST',
  ])
    vi.stubEnv(name, '');
  gh('exit 1');
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'coxswain-which-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Puts a `gh` before every other one. */
function gh(script: string): void {
  const bin = folder();
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'gh'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
}

/** A clone with these remotes, in which the commands of the test are at work. */
function clone(remotes: Readonly<Record<string, string>>, branch = 'fix'): (...words: string[]) => void {
  const path = folder();
  const git = (...words: string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
      cwd: path,
      stdio: 'ignore',
    });
  git('init', '--quiet', `--initial-branch=${branch}`);
  git('commit', '--quiet', '--allow-empty', '--message=First');
  for (const [name, address] of Object.entries(remotes)) git('remote', 'add', name, address);
  vi.spyOn(process, 'cwd').mockReturnValue(path);
  return git;
}

/** A GitHub that answers what it is told to by path, and that the person has named. */
async function github(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    const found = Object.entries(answers).find(([part]) => url.includes(part));
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found?.[1] ?? { message: 'Not Found' }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const host = `127.0.0.1:${port}`;
  vi.stubEnv('GH_HOST', host);
  vi.stubEnv('GH_ENTERPRISE_TOKEN', 'ghp_own');
  return { host, web: `http://${host}`, asked };
}

describe('a run is named by', () => {
  test.each([
    ['acme/api#7', { web: 'https://github.com', owner: 'acme', repo: 'api', number: 7 }],
    [
      'https://github.com/acme/api/pull/7',
      { web: 'https://github.com', owner: 'acme', repo: 'api', number: 7 },
    ],
    [
      'https://github.com/acme/api/pull/7/files?w=1#diff',
      { web: 'https://github.com', owner: 'acme', repo: 'api', number: 7 },
    ],
    ['https://github.com/a.b/x.y/pull/7', undefined],
    ['acme/api/7', undefined],
    ['seven', undefined],
    ['', undefined],
  ])('%j', async (named, place) => {
    vi.stubEnv('GH_TOKEN', 'ghp_own');
    if (place === undefined)
      await expect(findRun(named)).rejects.toThrow('expected owner/repo#n, the address of a pull');
    else expect((await findRun(named)).place).toEqual(place);
  });

  test('its number in a clone, whose upstream comes before its origin', async () => {
    vi.stubEnv('GH_TOKEN', 'ghp_own');
    clone({ origin: 'git@github.com:ada/api.git', upstream: 'https://github.com/acme/api' });
    expect((await findRun('#7')).place).toMatchObject({ owner: 'acme', repo: 'api', number: 7 });
    expect(await repositoryNamed(undefined)).toMatchObject({ owner: 'acme', repo: 'api' });
    expect(await repositoryNamed('acme/web')).toMatchObject({ owner: 'acme', repo: 'web' });
  });
});

describe('without a name', () => {
  test('it is the pull request of the branch, in a fork too, and an open one first', async () => {
    const { web, asked } = await github({
      '/pulls?': [
        { number: 9, state: 'closed' },
        { number: 8, state: 'open' },
      ],
    });
    clone({ upstream: `${web}/acme/api.git`, origin: `${web}/ada/api.git` });
    expect((await findRun(undefined)).place).toEqual({ web, owner: 'acme', repo: 'api', number: 8 });
    expect(asked).toEqual([
      expect.stringMatching(/^\/api\/v3\/repos\/acme\/api\/pulls\?.*head=ada%3Afix.* token ghp_own$/),
    ]);
  });

  test('a branch is looked for under the name that it has on GitHub', async () => {
    const { web, asked } = await github({ 'head=acme%3Atheirs': [{ number: 8, state: 'open' }] });
    const git = clone({ origin: `${web}/acme/api.git` });
    git('config', 'branch.fix.remote', 'origin');
    git('config', 'branch.fix.merge', 'refs/heads/theirs');
    expect((await findRun(undefined)).place).toMatchObject({ number: 8 });
    git('config', 'branch.fix.merge', 'refs/pull/5/head');
    expect((await findRun(undefined)).place).toMatchObject({ number: 5 });
    expect(asked).toHaveLength(1);
  });

  test('it is the newest open run if the branch has none, which is said', async () => {
    const { web } = await github({
      '/pulls?': [],
      '/issues?labels=coxswain&': [{ number: 3 }, { number: 2, pull_request: {} }],
    });
    clone({ origin: `${web}/acme/api.git` }, 'main');
    const said = heard();
    expect((await findRun(undefined)).place).toMatchObject({ number: 2 });
    expect(said.err).toBe('main has no pull request: this is the newest open run, acme/api#2.\n');
  });

  test('somebody is told where there is neither', async () => {
    const { web } = await github({ '/pulls?': [], '/issues?': [] });
    clone({ origin: `${web}/acme/api.git` });
    await expect(findRun(undefined)).rejects.toThrow('fix has no pull request, and acme/api has no open run');
  });

  test.each([
    ['in no clone', undefined, 'this folder is in no clone of a repository'],
    ['without a remote', {}, 'no remote of this clone is a repository on GitHub'],
    ['with a remote elsewhere', { origin: 'https://gitlab.com/acme/api' }, 'no remote of this clone is'],
    [
      'with remotes that are all others',
      { a: 'https://github.com/a/x', b: 'https://github.com/b/x' },
      'several remotes (a, b)',
    ],
  ])('it has to be named %s', async (_, remotes, message) => {
    if (remotes === undefined) vi.spyOn(process, 'cwd').mockReturnValue(folder());
    else clone(remotes);
    await expect(findRun(undefined)).rejects.toThrow(message);
  });

  test('somebody without Git is told to install it', async () => {
    clone({ origin: 'https://github.com/acme/api' });
    vi.stubEnv('PATH', folder());
    await expect(findRun(undefined)).rejects.toThrow(/could not run git, .* install Git 2\.38 or newer/);
  });

  test('it has to be named where no branch is checked out', async () => {
    clone({ origin: 'https://github.com/acme/api' })('checkout', '--quiet', '--detach');
    await expect(findRun(undefined)).rejects.toThrow('no branch is checked out here');
  });

  test('nothing that the configuration of the clone names is started', async () => {
    const { web } = await github({ '/pulls?': [{ number: 8, state: 'open' }] });
    const git = clone({ origin: `${web}/acme/api.git` });
    const trace = join(folder(), 'ran');
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.hooksPath',
      'credential.helper',
    ])
      git('config', key, `!touch ${trace}`);
    await findRun(undefined);
    expect(() => execFileSync('cat', [trace], { stdio: 'ignore' })).toThrow();
  });
});

describe('the person is known', () => {
  test('by their token, else by what gh knows of that host', async () => {
    gh('test "$*" = "auth token --hostname ghe.example.org" && echo gho_known');
    expect((await personOn('https://ghe.example.org')).token).toBe('gho_known');
    await expect(personOn('https://github.com')).rejects.toThrow(
      'there is no token of yours for github.com: run `gh auth login`',
    );
    vi.stubEnv('GITHUB_TOKEN', 'ghp_second');
    expect((await personOn('https://github.com')).token).toBe('ghp_second');
    vi.stubEnv('GH_TOKEN', 'ghp_first');
    expect((await personOn('https://github.com')).token).toBe('ghp_first');
  });

  test('and no host that only a clone names is given a token for another one', async () => {
    vi.stubEnv('GH_TOKEN', 'ghp_own');
    vi.stubEnv('GH_ENTERPRISE_TOKEN', 'ghp_enterprise');
    await expect(personOn('https://evil.example.org')).rejects.toThrow(
      'run `gh auth login --hostname evil.example.org`',
    );
    vi.stubEnv('GH_HOST', 'ghe.example.org');
    await expect(personOn('https://evil.example.org')).rejects.toThrow('no token of yours');
    expect((await personOn('https://ghe.example.org')).token).toBe('ghp_enterprise');
    await expect(personOn('http://ghe.example.org')).rejects.toThrow(
      'only by https, or by http on this machine',
    );
  });
});

describe('a server', () => {
  test.each([
    ['https://coxswain.example.org/', 'https://coxswain.example.org'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s may be named', (address, named) => expect(serverNamed(address)).toBe(named));

  test.each(['http://coxswain.example.org', 'coxswain', 'file:///etc', 'http://127.0.0.1.example.org'])(
    '%s is misuse',
    (address) => expect(() => serverNamed(address)).toThrow(),
  );

  test('may be named by the environment, and by nothing else', () => {
    expect(serverNamed(undefined)).toBeUndefined();
    vi.stubEnv('COXSWAIN_SERVER', 'https://coxswain.example.org');
    expect(serverNamed(undefined)).toBe('https://coxswain.example.org');
    expect(serverNamed('http://localhost:1')).toBe('http://localhost:1');
  });
});
