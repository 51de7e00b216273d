import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { makeFiles } from '../../scripts/release-files.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const step = z.object({
  name: z.string().optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  if: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const job = z.object({
  needs: z.string().optional(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.string()),
  outputs: z.record(z.string(), z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  steps: z.array(step),
});
const workflow = z
  .object({
    on: z.strictObject({ push: z.strictObject({ tags: z.tuple([z.literal('v*.*.*')]) }) }),
    permissions: z.strictObject({ contents: z.literal('read') }),
    jobs: z.strictObject({ verify: job, publish: job }),
  })
  .parse(load(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')));
const { verify, publish } = workflow.jobs;

const scriptsOf = ({ steps }: z.output<typeof job>) => steps.flatMap(({ run }) => run ?? []);

describe('the release workflow', () => {
  test('publishes only what was tested, and only one job of it may write', () => {
    expect(publish).toMatchObject({
      needs: 'verify',
      environment: 'release',
      permissions: { contents: 'write', packages: 'write', 'id-token': 'write' },
    });
    expect(verify.permissions).toEqual({ contents: 'read' });
    const tested = ['npm cit', 'npm run typecheck', 'npm run lint', 'npm run build'];
    expect(scriptsOf(verify)).toEqual(expect.arrayContaining(tested));
    expect(scriptsOf(verify).join('\n')).toContain('tag-release.mjs check');
  });

  test('runs no code of packages where it may write, and builds nothing there', () => {
    expect(scriptsOf(publish).join('\n')).not.toMatch(
      /npm (?:ci|cit|install|i|run|test|pack|exec)\b|npx|docker (?:build|run)/,
    );
  });

  test('gives the files that were tested to the job that publishes, with their digest', () => {
    const withAction = ({ steps }: typeof verify, name: string) =>
      steps.filter(({ uses }) => uses?.startsWith(`actions/${name}-artifact@`)).map((each) => each.with);
    expect(withAction(verify, 'upload')).toMatchObject([
      { name: 'tested', path: 'release\nimage.tar\nbuilt.tar\n', 'if-no-files-found': 'error' },
    ]);
    expect(withAction(publish, 'download')).toEqual([{ name: 'tested' }]);
    expect(verify.outputs?.['digest']).toMatch(/^\$\{\{ steps\.digest\.outputs\.digest \}\}$/);
    expect(publish.env?.['DIGEST']).toMatch(/^\$\{\{ needs\.verify\.outputs\.digest \}\}$/);
    const checking = publish.steps.findIndex(({ name }) => name === 'What was tested, and nothing else');
    expect(publish.steps.slice(0, checking).flatMap(({ run }) => run ?? [])).toEqual([]);
  });

  test('leaves only the npm package out in a fork, whose tags an Action can name', () => {
    const conditional = publish.steps.filter((each) => each.if !== undefined);
    expect(conditional).toMatchObject([
      { name: 'The npm package', if: expect.stringContaining('!github.event.repository.fork') },
    ]);
  });

  test('has steps that the shell can read, of scripts that exist', () => {
    const scripts = [...scriptsOf(verify), ...scriptsOf(publish)];
    for (const script of scripts) {
      const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
      expect(spawnSync('bash', ['-n', '-c', script], { env, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
      // Values reach the shell only as variables, so that none becomes a command.
      expect(script).not.toContain('${{');
    }
    const named = scripts.flatMap((script) => script.match(/scripts\/[\w-]+\.mjs/g) ?? []);
    expect(new Set(named)).toEqual(new Set(['scripts/tag-release.mjs', 'scripts/release.mjs']));
    for (const path of named) expect(existsSync(join(root, path))).toBe(true);
  });
});

describe('the steps that publish', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coxswain-release-'));
    mkdirSync(join(folder, 'bin'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** A program that only records how it was called. */
  function fake(name: string, ...lines: readonly string[]): void {
    const record = `echo "${name} $*" >> "${folder}/calls"`;
    writeFileSync(join(folder, 'bin', name), ['#!/bin/sh', record, ...lines, ''].join('\n'), { mode: 0o755 });
  }

  /** Runs a step as a runner does, with the variables of the job; returns what the fakes recorded. */
  function play(name: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
    const script = [...verify.steps, ...publish.steps].find((each) => each.name === name)?.run;
    if (script === undefined) throw new Error(`the workflow has no step ${name}`);
    const usual = {
      ...{ VERSION: '1.2.3', NPM_TAG: 'latest', MAJOR_TAG: 'v1', PRERELEASE: 'false', GH_TOKEN: 'a token' },
      ...{ GITHUB_REPOSITORY: 'Acme/Coxswain', GITHUB_SERVER_URL: 'https://github.com' },
      ...{ GITHUB_REF_NAME: 'v1.2.3', GITHUB_ACTOR: 'ada', HOME: folder, npm_config_offline: 'true' },
    };
    const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
    const options = { cwd: folder, env: { PATH, ...usual, ...env }, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], options);
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
    const calls = join(folder, 'calls');
    const recorded = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
    rmSync(calls, { force: true });
    return recorded;
  }

  test('publish what the release made: the package, the notes, its parts list and their checksums', () => {
    for (const path of [
      'package.json',
      'package-lock.json',
      'packages/forge/package.json',
      'app.yml',
      'LICENSE',
    ]) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      cpSync(join(root, path), join(folder, path));
    }
    for (const path of ['dist/action/index.js', 'dist/action/agent.js', 'dist/cli/coxswain.js']) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), '\n');
    }
    const { version: VERSION }: { version: string } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    cpSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
    vi.stubEnv('npm_config_offline', 'true');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(makeFiles(folder, VERSION, 'https://github.com/Acme/Coxswain')).toBe(
      join(folder, 'release', `coxswain-${VERSION}.tgz`),
    );
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(manifest);
    const made = [
      'NOTES.md',
      'SHA256SUMS',
      `coxswain-${VERSION}.cdx.json`,
      `coxswain-${VERSION}.tgz`,
      `coxswain-action-${VERSION}.tgz`,
    ];
    expect(readdirSync(join(folder, 'release')).sort()).toEqual(made.sort());
    const cwd = join(folder, 'release');
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd, encoding: 'utf8' });
    expect(checked.trim().split('\n')).toHaveLength(4);
    const action = execFileSync('tar', ['-tzf', `coxswain-action-${VERSION}.tgz`], { cwd, encoding: 'utf8' });
    expect(action.split('\n')).toEqual(expect.arrayContaining(['action/index.js', 'action/agent.js']));
    const parts: { components: { name: string }[] } = JSON.parse(
      readFileSync(join(cwd, `coxswain-${VERSION}.cdx.json`), 'utf8'),
    );
    const names = parts.components.map(({ name }) => name);
    expect(names).toContain('probot');
    expect(names).not.toContain('vitest');
    const packed = execFileSync('tar', ['-xzOf', `coxswain-${VERSION}.tgz`, 'package/package.json'], { cwd });
    expect(JSON.parse(packed.toString())).toMatchObject({
      repository: { url: 'git+https://github.com/Acme/Coxswain.git' },
    });
  });

  /** Fills the folder with what was tested, and returns its digest as the first job tells it. */
  function tested(): string {
    mkdirSync(join(folder, 'release'));
    mkdirSync(join(folder, 'dist/action'), { recursive: true });
    mkdirSync(join(folder, 'dist/cli'));
    for (const path of [
      'release/SHA256SUMS',
      'release/coxswain-1.2.3.tgz',
      'image.tar',
      'dist/cli/coxswain.js',
    ])
      writeFileSync(join(folder, path), `${path} as it was tested`);
    execFileSync('tar', ['-cf', 'built.tar', 'dist/action', 'dist/cli'], { cwd: folder });
    rmSync(join(folder, 'dist'), { recursive: true });
    play('The digest of all of it', { GITHUB_OUTPUT: join(folder, 'output') });
    const [, digest = ''] =
      /^digest=([0-9a-f]{64})$/m.exec(readFileSync(join(folder, 'output'), 'utf8')) ?? [];
    return digest;
  }

  test('take only the files whose digest the first job told', () => {
    const DIGEST = tested();
    play('What was tested, and nothing else', { DIGEST });
    expect(readFileSync(join(folder, 'dist/cli/coxswain.js'), 'utf8')).toBe(
      'dist/cli/coxswain.js as it was tested',
    );
    expect(() => play('What was tested, and nothing else', { DIGEST: '' })).toThrow('were tested have none');
    writeFileSync(join(folder, 'release/coxswain-1.2.3.tgz'), 'another');
    expect(() => play('What was tested, and nothing else', { DIGEST })).toThrow(DIGEST);
  });

  test('build the image on a base that is named by its digest, which its labels tell', () => {
    const digest = `sha256:${'0a'.repeat(32)}`;
    fake('docker', `if [ "$2" = inspect ]; then echo "node@${digest}"; fi`);
    cpSync(join(root, 'Dockerfile'), join(folder, 'Dockerfile'));
    const calls = play('The container image');
    expect(calls[0]).toMatch(/^docker pull --quiet node:\d+-[\w-]+$/);
    const build = calls.find((call) => call.startsWith('docker build'));
    expect(build).toContain(`--build-arg BASE=node@${digest} `);
    expect(build).toContain(`--label org.opencontainers.image.base.digest=${digest} `);
    expect(calls.at(-1)).toBe('docker save --output image.tar ghcr.io/acme/coxswain:1.2.3');
    expect(calls.filter((call) => call.startsWith('docker push'))).toEqual([]);
  });

  test('push the image under its version, and under the major version if it is the newest of that', () => {
    fake('docker', 'if [ "$1" = login ]; then cat > /dev/null; fi');
    const image = 'ghcr.io/acme/coxswain';
    const done = (env = {}) =>
      play('The container image, published', env).filter((call) => /^docker (?:load|push)/.test(call));
    const loaded = 'docker load --input image.tar';
    expect(done()).toEqual([loaded, `docker push ${image}:1.2.3`, `docker push ${image}:1`]);
    expect(done({ MAJOR_TAG: '' })).toEqual([loaded, `docker push ${image}:1.2.3`]);
  });

  test('publish the package that was checked, once', () => {
    fake('npm');
    expect(play('The npm package')).toEqual([
      'npm view coxswain@1.2.3 version',
      'npm publish ./release/coxswain-1.2.3.tgz --provenance --access public --tag latest',
    ]);
    fake('npm', 'echo 1.2.3');
    expect(play('The npm package')).toEqual(['npm view coxswain@1.2.3 version']);
  });

  test('make the release, or complete it if the workflow runs again', () => {
    mkdirSync(join(folder, 'release'));
    writeFileSync(join(folder, 'release/SHA256SUMS'), '');
    fake('gh', '[ "$2" != view ]');
    expect(play('The release').at(-1)).toMatch(
      /^gh release create v1\.2\.3 release\/SHA256SUMS .*--notes-file release\/NOTES\.md .*--latest=true$/,
    );
    expect(play('The release', { NPM_TAG: 'latest-1' }).at(-1)).toMatch(/--latest=false$/);
    fake('gh');
    expect(play('The release').at(-1)).toBe('gh release upload v1.2.3 release/SHA256SUMS --clobber');
  });
});
