import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { examineRepository } from '../../../src/cli/demo/own-repository.ts';
import { eventually } from '../../../src/cli/demo/played-session.ts';
import { type Demo, personClient, startDemo } from '../../../src/cli/demo/start-demo.ts';
import { git } from '../../../src/git/git.ts';

// A repository of somebody's own needs a sandbox, unless they say otherwise; it is not there on every machine.
vi.stubEnv('COXSWAIN_SANDBOX', 'preferred');
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const agent = `import { appendFileSync, writeFileSync } from 'node:fs';
appendFileSync('prices.txt', 'cheaper\\n');
writeFileSync(process.env.COXSWAIN_REPORT_FILE, JSON.stringify({ summary: 'Cheaper.', status: 'done' }));
`;
const config = `version: 1
agent: { use: command, command: [node, tools/agent.mjs] }
verifiers: [{ name: test, run: grep -q cheaper prices.txt }]
`;

let folder: string;
let demo: Demo | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-run-'));
});
afterEach(() => demo?.close());
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

test("a copy of one's own repository gets its first run, and the original stays as it is", async () => {
  const root = await repositoryWith('prices', {
    'prices.txt': 'dear\n',
    'tools/agent.mjs': agent,
    '.github/coxswain.yml': config,
  });
  const before = await git(['rev-parse', 'HEAD'], { cwd: root });
  const { ada, at } = await demoWith(root);
  await ada.rest.issues.addLabels({ ...at, issue_number: 1, labels: ['coxswain'] });
  const body = await bodyOf({ ada, at }, 'awaiting_approval');
  expect(body).toContain('Make it cheaper');
  expect(await git(['rev-parse', 'HEAD'], { cwd: root })).toBe(before);
  expect(await git(['for-each-ref', '--format=%(refname)'], { cwd: root })).toBe('refs/heads/trunk\n');
});

test('where it has no configuration, the first run is preceded by a proposal', async () => {
  const manifest = JSON.stringify({ name: 'plain', scripts: { test: 'node --test' } });
  const { ada, at } = await demoWith(await repositoryWith('plain', { 'package.json': manifest }));
  await ada.rest.issues.createComment({ ...at, issue_number: 1, body: '/run' });
  const body = await bodyOf({ ada, at }, '.github/coxswain.yml');
  expect(body).not.toContain('awaiting_approval');
  const { data } = await ada.rest.pulls.listFiles({ ...at, pull_number: 2 });
  expect(data.map(({ filename }) => filename)).toEqual(['.github/coxswain.yml']);
  expect(data[0]?.patch).toContain('npm test');
});

async function repositoryWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(folder, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await git(['init', '--quiet', '--initial-branch=trunk'], { cwd: root });
  await git(['add', '.'], { cwd: root });
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  await git([...author, 'commit', '--quiet', '-m', 'Begin'], { cwd: root });
  return root;
}

interface Own {
  readonly ada: Octokit;
  readonly at: { readonly owner: 'acme'; readonly repo: string };
}

/** The demo with a copy of it, which has one issue. */
async function demoWith(root: string): Promise<Own> {
  const repository = await examineRepository(root);
  demo = await startDemo({ logLevel: 'silent', port: 0, repository });
  const ada = personClient(demo.forge, demo.people.ada);
  const at = { owner: 'acme', repo: repository.name } as const;
  await ada.rest.issues.create({ ...at, title: 'Make it cheaper' });
  return { ada, at };
}

/** Of the pull request that opens, as soon as it says this. */
function bodyOf({ ada, at }: Own, words: string): Promise<string> {
  return eventually(`a pull request that says ${words}`, 60_000, async () => {
    const { data } = await ada.rest.pulls.list({ ...at, state: 'open' });
    const body = data[0]?.body ?? '';
    return body.includes(words) ? body : undefined;
  });
}
