import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMirror } from '../../src/git/mirror.ts';
import {
  misconfiguration,
  type RunBase,
  readConfiguration,
  readSettings,
} from '../../src/repository/configuration.ts';
import type { Repository } from '../../src/repository/repository.ts';
import { startRefusalText } from '../../src/words/start-texts.ts';
import { type WorkCopy, workCopy } from '../git/work-copy.ts';

let origin: WorkCopy;
let folder: string;
let repository: Repository;

const configPath = '.github/coxswain.yml';
const services = { operator: { bounds: { limits: { minutes: 30 } } }, configPath };
const config = 'version: 1\nagent: { use: command, command: [agent] }\n';
const lax = `${config}approval: { by: [triage] }\n`;

beforeEach(async () => {
  origin = await workCopy();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-configuration-'));
  await origin.git('checkout', '--quiet', '-b', 'main');
  await origin.commit({ [configPath]: `${config}verifiers: [{ name: test, run: "true" }]\n` });
  await origin.git('branch', 'easy');
  await origin.git('checkout', '--quiet', 'easy');
  await origin.commit({ [configPath]: lax });
  await origin.git('checkout', '--quiet', 'main');
  const remote = { url: pathToFileURL(origin.dir).href, token: async () => '' };
  const mirror = openMirror({ dir: join(folder, 'mirror.git'), remote });
  // Only what reading a configuration uses; the name is what an old webhook said.
  const name = { owner: 'acme', name: 'api' };
  const known = { ...name, default_branch: 'outdated', remote, mirror: () => mirror };
  repository = known as unknown as Repository;
});

afterEach(async () => {
  await Promise.all([origin.remove(), rm(folder, { recursive: true, force: true })]);
});

async function settingsOf(at: RunBase) {
  const reading = await readSettings(repository, { ...services, presenter: 'app' }, at);
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems));
  return reading.settings;
}

describe('the configuration', () => {
  test('is that of the default branch for every base', async () => {
    const easy = await settingsOf({ base: 'easy' });
    expect(easy).toMatchObject({
      check: 'Coxswain (unlisted: easy)',
      verifiers: [{ name: 'test' }],
      approval: { by: [{ role: 'write' }] },
    });
    expect(await settingsOf({ base: 'main' })).toEqual({ ...easy, check: 'Coxswain' });
  });

  test('follows the default branch when that is changed', async () => {
    await origin.git('symbolic-ref', 'HEAD', 'refs/heads/easy');
    expect(await settingsOf({ base: 'easy' })).toMatchObject({
      check: 'Coxswain',
      approval: { by: [{ role: 'triage' }] },
    });
    expect((await settingsOf({ base: 'main' })).check).toBe('Coxswain (unlisted: main)');
  });

  test('is that of the usual agent where the profile of the task is gone, and says so', async () => {
    await origin.commit({ [configPath]: `${config}agents: { careful: codex }\n` });
    const at = { base: 'main', worker_profile: 'careful' };
    expect(await settingsOf(at)).toMatchObject({ agent: { use: 'codex' }, profiles: ['careful'] });
    await origin.commit({ [configPath]: config });
    const { agent, ignored } = await settingsOf(at);
    expect(agent.use).toBe('command');
    expect(ignored?.join()).toMatch(/^worker_profile: expected no profile, .*received "careful"$/);
  });

  test('is the newest', async () => {
    const { digest } = await settingsOf({ base: 'main' });
    await origin.commit({ [configPath]: `${config}setup: [npm ci]\n` });
    const now = await settingsOf({ base: 'main' });
    expect(now).toMatchObject({ setup: ['npm ci'] });
    expect(now.digest).not.toBe(digest);
  });

  test('is missing where only another branch has one', async () => {
    await origin.git('rm', '--quiet', configPath);
    await origin.commit();
    expect(await readConfiguration(repository, services)).toMatchObject({
      outcome: 'misconfigured',
      missing: true,
      where: { ref: 'main' },
    });
  });
});

test('a repository that the operator does not allow gets an error that names the bound, not the others', async () => {
  const bounds = { repositories: ['partner/*', '!acme/api'] };
  const reading = await readConfiguration(repository, { operator: { bounds }, configPath });
  if (reading.outcome === 'configured') throw new Error('was accepted');
  const said = [
    misconfiguration(reading),
    startRefusalText({ why: 'misconfigured', reading }, 'https://github.com/acme/api'),
  ];
  for (const text of said) {
    expect(text).toMatch(/the operator's bound `?repositories`?/);
    expect(text).not.toContain('partner');
  }
  const allowed = { bounds: { repositories: ['acme/*'] } };
  expect((await readConfiguration(repository, { operator: allowed, configPath })).outcome).toBe('configured');
});

test('a target that the operator has taken out lets no run begin, and stops none that is open', async () => {
  await origin.commit({ [configPath]: `${config}notify: [builds, office]\n` });
  const bounded = { ...services, operator: { bounds: { notify: ['office'] } }, presenter: 'app' } as const;
  const begun = await readConfiguration(repository, bounded);
  expect(begun).toMatchObject({ outcome: 'misconfigured', problems: [{ path: 'notify[0].to' }] });
  const open = await readSettings(repository, bounded, { base: 'main' });
  expect(open).toMatchObject({ settings: { notify: [{ to: 'builds' }, { to: 'office' }] } });
});

test('a mistake in the inputs of a workflow is on no line of a file', async () => {
  await origin.git('rm', '--quiet', configPath);
  await origin.commit();
  const inputs = { text: 'version: 1\nagent:\n  use: clod\n', isFrom: () => true };
  const reading = await readConfiguration(repository, { operator: {}, configPath, inputs });
  if (reading.outcome === 'configured') throw new Error('was accepted');
  expect(misconfiguration(reading)).toMatch(
    /^the inputs of the workflow are not valid: agent\.use: expected/,
  );
  expect(startRefusalText({ why: 'misconfigured', reading }, 'https://github.com/acme/api')).toMatch(
    /^The inputs of the workflow are not valid\. Fix this, then try again:\n\n- agent\.use: expected/,
  );
});

describe('what a task tightens', () => {
  const overrides = {
    agent: { use: 'command', command: ['mine'], timeout: '30m' },
    verifiers: [{ name: 'docs', run: 'true', timeout: '10m', required: true }],
    approval: { required: 2 },
    limits: { minutes: 20 },
  };

  test('is applied whenever the settings are read', async () => {
    expect(await settingsOf({ base: 'easy', overrides })).toMatchObject({
      agent: { command: ['mine'] },
      verifiers: [{ name: 'test' }, { name: 'docs' }],
      approval: { required: 2 },
      limits: { minutes: 20 },
    });
  });

  test('gives way, in words, to a configuration that became stricter', async () => {
    const stricter =
      'verifiers: [{ name: Docs, run: npm run docs }]\napproval: { required: 3 }\nlimits: { minutes: 10 }\n';
    await origin.commit({ [configPath]: config + stricter });
    const settings = await settingsOf({ base: 'main', overrides });
    expect(settings).toMatchObject({
      verifiers: [{ name: 'Docs', run: 'npm run docs' }],
      approval: { required: 3 },
      limits: { minutes: 10 },
      agent: { command: ['mine'] },
    });
    expect(settings.ignored).toEqual([
      'verifiers[0].name: expected a name that the repository does not use; received "docs"',
      "approval.required: expected at least 3, the repository's own; received 2",
      "limits.minutes: expected at most 10, the repository's own; received 20",
    ]);
  });

  test('is worth nothing if it is not what we wrote', async () => {
    const settings = await settingsOf({
      base: 'main',
      overrides: { approval: { by: ['read'] }, finish: 'merge' },
    });
    const { ignored = [], ...rest } = settings;
    expect(ignored).toHaveLength(2);
    expect(rest).toEqual(await settingsOf({ base: 'main' }));
  });
});
