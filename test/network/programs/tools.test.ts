import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { httpServer, temporaryFolder } from '../egress-fixture.ts';
import { inside } from './inside.ts';

describe('behind an egress', { tags: ['bubblewrap'] }, () => {
  test('what Maven wants and may not have is named', { tags: ['mvn'] }, async () => {
    const { put, sh, egress } = await inside();
    put({ 'pom.xml': pomWithParent });
    expect((await sh('mvn -B validate')).stdout).toContain('403 Blocked by Coxswain (network.verifiers)');
    const command = expect.stringContaining('java');
    expect(egress.takeBlocked()).toEqual([{ host: 'repo.maven.apache.org', why: 'unlisted', command }]);
  });

  test('Git clones, and says what it may not', async () => {
    const source = temporaryFolder();
    const git = (...words: string[]) => execFileSync('git', ['-C', source, ...words], { stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
    git('update-server-info');
    const port = await httpServer(({ url = '' }, response) => {
      try {
        response.end(readFileSync(join(source, '.git', new URL(url, 'http://a').pathname)));
      } catch {
        response.writeHead(404).end();
      }
    });
    const host = `git.example:${port}`;
    const { sh, egress } = await inside({ reach: [host], privateHosts: [host] });
    expect(await sh(`git clone -q http://${host}/ one && git -C one log --format=%s`)).toMatchObject({
      stdout: 'one\n',
    });
    expect((await sh('git clone https://other.example/a.git')).stderr).toMatch(/403/);
    const command = expect.stringMatching(/git-remote-https origin https:\/\/other.example\/a.git$/);
    expect(egress.takeBlocked()).toEqual([{ host: 'other.example', why: 'unlisted', command }]);
  });

  test.each([
    ['curl', 'curl -sS https://a.example/', '403'],
    ['wget', 'wget -q -O- http://a.example/ || echo failed >&2', 'failed'],
    [
      'Python',
      `python3 -c 'import urllib.request as u; u.urlopen("https://a.example/")'`,
      'Tunnel connection failed: 403 Blocked by Coxswain (network.verifiers)',
    ],
    ['npm', 'npm view one', 'https://registry.npmjs.org/one'],
    ['pip', 'python3 -m pip download --retries 1 one', '403 Blocked by Coxswain'],
  ])('what %s wants and may not have is named', async (_, command, says) => {
    const { sh, egress } = await inside();
    egress.runs('the verifier');
    const { stderr, exitCode } = await sh(command);
    expect(stderr).toContain(says);
    expect(exitCode === 0).toBe(says === 'failed');
    const [first] = egress.takeBlocked();
    expect(first?.why).toBe('unlisted');
    expect(first?.command).toContain(command.split(' ')[0]);
  });

  test('there is no other way out', async () => {
    const port = await httpServer((_, response) => response.end('secret'));
    const { sh } = await inside({ reach: ['open'] });
    const ways = [
      `http://127.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://10.0.0.1/`,
      `https://example.org/`,
    ];
    for (const way of ways) {
      expect((await sh(`curl -sS -m 5 --noproxy '*' ${way}`)).exitCode).not.toBe(0);
    }
    expect((await sh(`curl -sS --noproxy '' http://127.0.0.1:${port}/`)).stdout).toContain(
      'Coxswain: 127.0.0.1',
    );
  });
});

const pomWithParent =
  '<project><modelVersion>4.0.0</modelVersion><parent><groupId>corp</groupId><artifactId>one</artifactId><version>1</version>' +
  '<relativePath/></parent><artifactId>two</artifactId><packaging>pom</packaging></project>';
