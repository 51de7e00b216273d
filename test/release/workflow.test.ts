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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const step = z.object({
  name: z.string().optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  if: z.string().optional(),
});
const job = z.object({
  needs: z.string().optional(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.string()).optional(),
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
    expect(verify.permissions).toBeUndefined();
    const tested = ['npm cit', 'npm run typecheck', 'npm run lint', 'npm run build'];
    expect(scriptsOf(verify)).toEqual(expect.arrayContaining(tested));
    expect(scriptsOf(verify).join('\n')).toContain('tag-release.mjs check');
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
    expect(new Set(named)).toEqual(new Set(['scripts/tag-release.mjs', 'scripts/try-package.mjs']));
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
    const script = publish.steps.find((each) => each.name === name)?.run;
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

  test('make the package, its parts list and their checksums', () => {
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
    fake('git');
    expect(play('The package, what is in it, and their checksums', { VERSION })).toEqual([
      'git checkout package.json',
    ]);
    const made = [
      'SHA256SUMS',
      `coxswain-${VERSION}.cdx.json`,
      `coxswain-${VERSION}.tgz`,
      `coxswain-action-${VERSION}.tgz`,
    ];
    expect(readdirSync(join(folder, 'release')).sort()).toEqual(made.sort());
    const cwd = join(folder, 'release');
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd, encoding: 'utf8' });
    expect(checked.trim().split('\n')).toHaveLength(3);
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

  test('push the image under its version, and under the major version if it is the newest of that', () => {
    fake('docker', 'cat > /dev/null');
    const image = 'ghcr.io/acme/coxswain';
    const pushed = (env = {}) =>
      play('The container image', env).filter((call) => call.startsWith('docker push'));
    expect(pushed()).toEqual([`docker push ${image}:1.2.3`, `docker push ${image}:1`]);
    expect(pushed({ MAJOR_TAG: '' })).toEqual([`docker push ${image}:1.2.3`]);
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
      /^gh release create v1\.2\.3 release\/SHA256SUMS .*--latest=true$/,
    );
    expect(play('The release', { NPM_TAG: 'latest-1' }).at(-1)).toMatch(/--latest=false$/);
    fake('gh');
    expect(play('The release').at(-1)).toBe('gh release upload v1.2.3 release/SHA256SUMS --clobber');
  });
});
