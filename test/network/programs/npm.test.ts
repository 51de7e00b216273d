import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Registry } from '../../../src/network/registries/registry.ts';
import { egress, temporaryFolder } from '../egress-fixture.ts';
import { inside } from './inside.ts';
import { filesFor, type NpmPackage, npmFiles, npmPackage, registry, secret } from './packages.ts';

/** A registry that has these packages, below a path as those of companies have it. */
async function registryOf(packages: readonly NpmPackage[], given: Partial<Registry> = {}) {
  const files = (at: string) => Object.assign({}, ...packages.map((each) => npmFiles(each, at, '/npm/')));
  const { origin, asked } = await filesFor(`Bearer ${secret}`, files);
  return { registry: { ...registry('npm', `${origin}/npm/`), ...given }, asked };
}

function manifest(...packages: readonly NpmPackage[]): string {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  return JSON.stringify({ name: 'a', version: '1.0.0', dependencies });
}

/** A lock file as npm writes it where it reaches this registry without us. */
function lock(base: string, ...packages: readonly NpmPackage[]): string {
  const entries = packages.map(({ name, version, integrity }) => [
    `node_modules/${name}`,
    { version, resolved: `${base}${name}/-/${name.split('/').at(-1)}-${version}.tgz`, integrity },
  ]);
  const root = JSON.parse(manifest(...packages));
  return JSON.stringify({ lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(entries) } });
}

describe('npm behind an egress, with a registry that has a token', { tags: ['bubblewrap'] }, () => {
  const ours = 'https://npm.corp.example/npm/';

  test('installs what a lock file names there', async () => {
    const [one, two] = [npmPackage('@corp/one'), npmPackage('two')];
    const { registry: corp } = await registryOf([one, two]);
    const { put, sh } = await inside({ reach: ['registries'], registries: [corp] });
    put({ 'package.json': manifest(one, two), 'package-lock.json': lock(ours, one, two) });
    const { stdout, exitCode } = await sh('npm ci && ls node_modules/@corp node_modules');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^two$.*^one$/ms);
  });

  test('adds packages, and locks them at the address that everybody knows', async () => {
    const one = npmPackage('@corp/one');
    const { registry: corp } = await registryOf([one]);
    const { put, sh } = await inside({ reach: ['registries'], registries: [corp] });
    put({ 'package.json': manifest() });
    const { stdout, exitCode } = await sh('npm install --no-audit @corp/one && cat package-lock.json');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`"resolved": "${ours}@corp/one/-/one-1.0.0.tgz"`);
    expect(stdout).not.toContain('127.0.0.1');
  });

  test("finds the registry of a scope, as the project's own settings have it", async () => {
    const one = npmPackage('@corp/one');
    const { registry: corp, asked } = await registryOf([one], { scopes: ['@other'] });
    const { put, sh, egress } = await inside({
      reach: ['registries'],
      registries: [{ ...corp, token_env: 'NODE_AUTH_TOKEN' }],
      resolve: async () => [],
    });
    put({
      'app/package.json': manifest(one),
      'app/.npmrc': `@corp:registry=${ours}\n//npm.corp.example/npm/:_authToken=\${NODE_AUTH_TOKEN}\n`,
    });
    const installed = await sh(
      'cd app && npm install --no-audit && rm -rf node_modules ../.npm && npm ci && ls node_modules/@corp',
    );
    expect(installed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^one$/m) });
    expect(asked.filter((url) => url.endsWith('.tgz'))).toHaveLength(2);
    // What is of no scope is public.
    expect((await sh('npm view --fetch-retries 0 two')).exitCode).not.toBe(0);
    expect(asked.filter((url) => url.endsWith('two'))).toEqual([]);
    expect(egress.environment).not.toHaveProperty('YARN_REGISTRY');
  });

  test('finds it without any settings of the project', async () => {
    const one = npmPackage('@corp/one');
    const { registry: corp } = await registryOf([one], { scopes: ['@corp'] });
    const { sh } = await inside({ reach: ['registries'], registries: [corp] });
    expect(await sh('npm view @corp/one version')).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: '1.0.0\n',
    });
  });

  test('lets each program of Node.js read there, and no other host', async () => {
    const one = npmPackage('@corp/one');
    const { registry: corp } = await registryOf([one]);
    const { sh, put } = await inside({ reach: ['registries'], registries: [corp] });
    put({
      'read.mjs': `import { get } from 'node:https';
        for (const url of ['${ours}two', new URL('${ours}@corp/one')])
          get(url, { headers: { Authorization: 'mine' } }, (reply) => console.log(reply.resume().statusCode));
        get('https://127.0.0.1:1/').on('error', ({ code }) => console.log(code));`,
    });
    const { stdout } = await sh('node read.mjs');
    expect(stdout.split('\n').sort()).toEqual(['', '200', '404', 'ECONNREFUSED']);
  });
});

test('without a sandbox, programs of Node.js read there too, and show which attempt they belong to', async () => {
  const { registry: corp, asked } = await registryOf([npmPackage('@corp/one')]);
  const home = join(temporaryFolder(), 'a "quoted" home');
  const registries = [{ ...corp, scopes: ['@corp'], token_env: 'NODE_AUTH_TOKEN' }];
  const opened = await egress({ reach: ['registries'], registries, home, loopback: true });
  for (const [path, text] of Object.entries(opened.homeFiles)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const reading = `require('https').get('https://NPM.corp.example:443/npm/@corp/one', (reply) => {
    console.log(reply.statusCode, process.env.NODE_AUTH_TOKEN);
    reply.setEncoding('utf8').on('data', (text) => console.log(text));
  })`;
  const env = { PATH: process.env['PATH'], ...opened.environment };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', reading], { env });
  expect(stdout).toMatch(/^200 coxswain\n/);
  expect(stdout).toContain('"tarball":"https://npm.corp.example/npm/@corp/one/-/one-1.0.0.tgz"');
  expect(asked).toEqual(['/npm/@corp/one']);
  expect(JSON.stringify(opened)).not.toContain(secret);
});
