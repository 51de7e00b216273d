import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ForgeRequest } from '@coxswain/forge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';
import { type OpenedPull, openPull } from './open-pull.ts';

/**
 * GitHub's own command line, `gh`: for real where it is installed, and everywhere by the requests that versions
 * of it sent. With `COXSWAIN_RECORD_GH=test/fixtures/gh`, those of the installed one are written there.
 */

let fixture: Fixture;
const sent: ForgeRequest[] = [];
beforeAll(async () => {
  fixture = await startFixture({
    onRequest(request, next) {
      sent.push(request);
      return next();
    },
  });
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

interface Step {
  /** What a person types after `gh`. */
  args: string[];
  /** What `gh` prints, and what is therefore in the responses. */
  shows?: string[];
  /** Reads what is so afterwards. */
  reads?: (scene: Scene) => Promise<unknown>;
  is?: unknown;
}

interface Scene extends OpenedPull {
  /** Placeholders of the recording, and what they stand for. */
  names: Record<string, string>;
}

const issue_number = 1;
const ada = () => fixture.person('ada');
const pullOf = async ({ at }: Scene) => (await ada().pulls.get(at)).data;
const issueOf = async ({ repository }: Scene) =>
  (await ada().issues.get({ ...repository.at, issue_number })).data;
const lastComment = async (at: { owner: string; repo: string }, number: number) =>
  (await ada().issues.listComments({ ...at, issue_number: number })).data.at(-1);
const labelsOf = async (scene: Scene) => {
  const { labels } = await issueOf(scene);
  return labels.map((label) => (typeof label === 'string' ? label : label.name));
};

const pullFields = `additions,assignees,author,baseRefName,body,changedFiles,closed,closedAt,comments,commits,
  createdAt,deletions,files,headRefName,headRefOid,headRepository,headRepositoryOwner,id,isCrossRepository,
  isDraft,labels,latestReviews,maintainerCanModify,mergeCommit,mergeStateStatus,mergeable,mergedAt,mergedBy,
  milestone,number,reactionGroups,reviewDecision,reviewRequests,reviews,state,statusCheckRollup,title,updatedAt,
  url`.replace(/\s/g, '');
const issueFields = `assignees,author,body,closed,closedAt,comments,createdAt,id,labels,milestone,number,
  reactionGroups,state,title,updatedAt,url`.replace(/\s/g, '');

const steps: Step[] = [
  { args: ['pr', 'list'], shows: ['Add a', 'topic', 'OPEN'] },
  { args: ['pr', 'list', '--search', 'author:@me Add', '--base', 'main'], shows: ['Add a'] },
  { args: ['pr', 'view', '2', '--comments'], shows: ['Looks good', 'Is it needed?'] },
  {
    args: ['pr', 'view', '2', '--json', pullFields],
    shows: ['"state":"OPEN"', '"mergeable":"MERGEABLE"', '"path":"a.txt"', '"SUCCESS"', '"COMMENTED"'],
  },
  { args: ['pr', 'checks', '2'], shows: ['lint', 'unit'] },
  { args: ['pr', 'diff', '2'], shows: ['diff --git a/a.txt b/a.txt'] },
  {
    args: ['pr', 'comment', '2', '--body', 'From a terminal'],
    shows: ['#issuecomment-'],
    reads: ({ at }) => lastComment(at, at.pull_number),
    is: { body: 'From a terminal', user: { login: 'ada' } },
  },
  {
    args: ['pr', 'review', '2', '--comment', '--body', 'Read it'],
    reads: async ({ at }) => (await ada().pulls.listReviews(at)).data.at(-1),
    is: { body: 'Read it', state: 'COMMENTED' },
  },
  { args: ['pr', 'ready', '2', '--undo'], reads: pullOf, is: { draft: true } },
  { args: ['pr', 'ready', '2'], reads: pullOf, is: { draft: false } },
  { args: ['pr', 'close', '2'], reads: pullOf, is: { state: 'closed', merged: false } },
  { args: ['pr', 'reopen', '2'], reads: pullOf, is: { state: 'open' } },
  {
    args: ['pr', 'edit', '2', '--title', 'Add a file', '--add-label', 'bug'],
    reads: pullOf,
    is: { title: 'Add a file', labels: [{ name: 'bug' }] },
  },
  {
    args: ['pr', 'merge', '2', '--squash'],
    reads: pullOf,
    is: { merged: true, merged_by: { login: 'ada' } },
  },
  { args: ['pr', 'list', '--state', 'merged'], shows: ['Add a file', 'MERGED'] },
  { args: ['issue', 'list', '--label', 'bug'], shows: ['Leak', 'bug'] },
  { args: ['issue', 'list'], shows: ['Leak', 'OPEN'] },
  { args: ['issue', 'view', '1'], shows: ['It drips', 'ada'] },
  { args: ['issue', 'view', '1', '--json', issueFields], shows: ['"title":"Leak"', '"state":"OPEN"'] },
  {
    args: ['issue', 'comment', '1', '--body', 'From a terminal'],
    shows: ['#issuecomment-'],
    reads: ({ at }) => lastComment(at, issue_number),
    is: { body: 'From a terminal' },
  },
  { args: ['issue', 'view', '1', '--comments'], shows: ['From a terminal'] },
  { args: ['issue', 'edit', '1', '--add-label', 'later'], reads: labelsOf, is: ['bug', 'later'] },
  {
    args: ['issue', 'edit', '1', '--title', 'A leak', '--remove-label', 'bug'],
    reads: async (scene) => [(await issueOf(scene)).title, await labelsOf(scene)],
    is: ['A leak', ['later']],
  },
  {
    args: ['issue', 'close', '1', '--reason', 'not planned'],
    reads: issueOf,
    is: { state: 'closed', state_reason: 'not_planned' },
  },
  { args: ['issue', 'reopen', '1'], reads: issueOf, is: { state: 'open' } },
  {
    args: ['issue', 'lock', '1', '--reason', 'too_heated'],
    reads: issueOf,
    is: { locked: true, active_lock_reason: 'too heated' },
  },
  { args: ['issue', 'unlock', '1'], reads: issueOf, is: { locked: false } },
  {
    args: ['issue', 'create', '--title', 'Rust', '--body', 'Where it drips', '--label', 'bug'],
    shows: ['/issues/3'],
    reads: async ({ at }) => (await ada().issues.get({ ...at, issue_number: 3 })).data,
    is: { title: 'Rust', body: 'Where it drips', labels: [{ name: 'bug' }] },
  },
  { args: ['label', 'list'], shows: ['bug', 'later'] },
];

/** Issue 1 with a label, and pull request 2 with a comment, a review, a check and a status. */
async function setScene(): Promise<Scene> {
  const opened = await openPull(fixture, {
    by: 'ada',
    async first({ at }) {
      for (const name of ['bug', 'later']) await ada().issues.createLabel({ ...at, name, color: 'ff0000' });
      await ada().issues.create({ ...at, title: 'Leak', body: 'It drips', labels: ['bug'] });
    },
  });
  const { repository, at, sha } = opened;
  const run = { name: 'unit', head_sha: sha, status: 'completed', conclusion: 'success' } as const;
  await repository.bot.checks.create({ ...repository.at, ...run });
  await ada().repos.createCommitStatus({ ...repository.at, sha, state: 'success', context: 'lint' });
  await ada().issues.createComment({ ...at, issue_number: at.pull_number, body: 'Is it needed?' });
  await fixture.person('wil').pulls.createReview({ ...at, event: 'COMMENT', body: 'Looks good' });
  const names: Record<string, string> = {
    '{pull}': opened.node_id,
    '{issue}': (await ada().issues.get({ ...at, issue_number })).data.node_id,
    '{repository}': (await ada().repos.get(at)).data.node_id,
    '{repo}': at.repo,
  };
  for (const name of ['bug', 'later']) {
    names[`{${name}}`] = (await ada().issues.getLabel({ ...at, name })).data.node_id;
  }
  return { ...opened, names };
}

async function check({ shows = [], reads, is }: Step, scene: Scene, text: string): Promise<void> {
  for (const words of shows) expect(text).toContain(words);
  if (!reads) return;
  const read = await reads(scene);
  if (Array.isArray(is)) expect(read).toEqual(is);
  else expect(read).toMatchObject(is as object);
}

interface Recorded {
  args: string[];
  requests: { method: string; path: string; accept?: string; body: string }[];
}

const folder = new URL('../fixtures/gh/', import.meta.url);

for (const file of readdirSync(folder)) {
  test(`the requests of gh ${file.replace('.json', '')} are answered`, async () => {
    const recorded: Recorded[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    const scene = await setScene();
    for (const [index, step] of steps.entries()) {
      const { args, requests } = recorded[index] ?? { args: [], requests: [] };
      expect(args).toEqual(step.args);
      let text = '';
      for (const request of requests) text += await replay(request, scene);
      await check(step, scene, text);
    }
  });
}

async function replay({ method, path, accept, body }: Recorded['requests'][number], scene: Scene) {
  const named = (text: string) =>
    Object.entries(scene.names).reduce((now, [name, value]) => now.replaceAll(name, value), text);
  const response = await fetch(fixture.forge.apiUrl + named(path), {
    method,
    headers: { authorization: `token ${fixture.token('ada')}`, ...(accept && { accept }) },
    ...(body && { body: named(body) }),
  });
  const text = await response.text();
  expect(response.ok && !text.startsWith('{"errors"'), text).toBe(true);
  return text;
}

test('gh itself lists, views, comments, merges and closes', { tags: ['gh'], timeout: 120_000 }, async () => {
  const scene = await setScene();
  const home = mkdtempSync(join(tmpdir(), 'gh-'));
  const recorded: Recorded[] = [];
  for (const step of steps) {
    sent.length = 0;
    const printed = await gh(home, scene, step.args);
    recorded.push({ args: step.args, requests: sent.map((request) => recordable(request, scene)) });
    await check(step, scene, printed);
  }
  const version = /\d[\d.]*/.exec(await gh(home, scene, ['--version']))?.[0];
  const record = process.env['COXSWAIN_RECORD_GH'];
  if (record) writeFileSync(join(record, `${version}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`);
  rmSync(home, { recursive: true });
});

/** For this host, `gh` speaks HTTP and knows no port, so that the forge is its proxy. */
async function gh(home: string, { repository }: Scene, args: string[]): Promise<string> {
  const GH_TOKEN = fixture.token('ada');
  const forge = { HTTP_PROXY: fixture.forge.url, GH_HOST: 'github.localhost', GH_REPO: repository.name };
  const env = { PATH: process.env['PATH'], HOME: home, ...forge, GH_TOKEN, GH_NO_UPDATE_NOTIFIER: '1' };
  return (await promisify(execFile)('gh', args, { cwd: home, env })).stdout;
}

function recordable({ method, path, headers, body }: ForgeRequest, { names }: Scene) {
  const unnamed = (text: string) =>
    Object.entries(names).reduce((now, [name, value]) => now.replaceAll(value, name), text);
  const { accept } = headers;
  const isText = accept && /diff/.test(accept);
  return { method, path: unnamed(path), ...(isText && { accept }), body: unnamed(body.toString('utf8')) };
}
