import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GitHubReader } from '../../src/doors/reading/from-github.ts';
import { git } from '../../src/git/git.ts';
import { inTemporaryFolder } from '../../src/git/temporary-folder.ts';
import { seqMark } from '../../src/github/marks.ts';
import { connect } from '../../src/github/octokit/connect.ts';
import { forgeLedger } from './forged-ledger.ts';
import type { PullClient } from './pull-client.ts';
import { type FixtureWithRuns, startFixtureWithRuns } from './waiting-runs.ts';

let given: FixtureWithRuns;
let folder: string;

beforeAll(async () => {
  given = await startFixtureWithRuns();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-reading-'));
});

afterAll(async () => {
  await given.fixture.end();
  await rm(folder, { recursive: true, force: true });
});

const placeOf = ({ number }: PullClient) => ({ owner: 'acme', repo: 'widgets', number });

function reader({ app }: { app?: string } = {}) {
  const { forge, grace } = given.fixture;
  const octokit = connect({ baseUrl: forge.apiUrl, token: grace.token });
  const source = { octokit, web: forge.url, token: grace.token, scratch: folder, cache: folder };
  return new GitHubReader({ ...source, app });
}

test('whoever may read a repository reads its runs, which are verified by the check runs of the App', async () => {
  const pull = given.next();
  const at = placeOf(pull);
  const { report, doubt } = await reader().run(at);
  expect(doubt).toBeUndefined();
  expect(report).toMatchObject({
    trust: 'verified',
    phase: 'awaiting_approval',
    head_sha: await pull.head(),
  });
  const { report: diff } = await reader().diff(at, { lines: 1 });
  expect(diff).toMatchObject({ summary: '1 file changed, +2, -1', truncated: true, total_lines: 3 });
  expect(diff.files[0]?.diff).toMatch(/\n-as it was\n\.\.\. \(truncated\)$/);
  expect((await reader().diff(at, { lines: 9, file: 'docs' })).report).toMatchObject({
    files: [],
    summary: 'No changes',
  });
  const { report: logs } = await reader().logs(at, 'test');
  expect(logs.verifiers).toMatchObject([{ verifier: 'widgets:test', exit_code: 0 }]);
  const { report: whole } = await reader().whole(at);
  expect(whole.events.length).toBe(whole.history.entries.length);
  expect(await reader().history(at)).toEqual({ report: whole.history, doubt: undefined });
  expect((await reader().audit(at)).report).toEqual({
    run: `acme/widgets#${pull.number}`,
    resolutions: [],
    approvals: [],
  });
});

test('lists what waits from the bodies of pull requests, which prove nothing', async () => {
  const { entries, left_out } = await reader().inbox('acme/widgets');
  expect(entries.length).toBeGreaterThan(3);
  expect(entries[0]).toMatchObject({ kind: 'approval', risk_level: 'low', trust: 'unverified' });
  expect(left_out).toEqual([]);
  expect((await reader().runs()).entries).toHaveLength(entries.length);
  expect((await reader().inbox('acme/other').catch(String)) as unknown).toMatchObject({ entries: [] });
});

test('does not believe a ledger that somebody with write access has pushed', async () => {
  const { fixture } = given;
  const pull = given.next();
  await forgeLedger(fixture, fixture.bob, {
    pull,
    change: (state) => ({ ...state, task: { ...state.task, title: 'Harmless' } }),
  });
  const { report, doubt } = await reader().run(placeOf(pull));
  expect(report).toMatchObject({ trust: 'unverified', title: 'Harmless' });
  expect(doubt).toBe(
    "its ledger has gone on since number 4, which the App's newest check run names, to number 5",
  );

  // Nor if another App of the repository says so, whose key anybody may have taken from its secrets.
  await otherAppDraws(pull);
  expect((await reader().run(placeOf(pull))).doubt).toBe(doubt);
  expect((await reader({ app: 'releases' }).run(placeOf(pull))).doubt).toBeUndefined();
});

test('does not believe a check run that any workflow can make', async () => {
  const pull = given.next();
  const { doubt } = await reader({ app: 'github-actions' }).run(placeOf(pull));
  expect(doubt).toMatch(/any workflow of the repository/);
  const { doubt: other } = await reader({ app: 'absent' }).run(placeOf(pull));
  expect(other).toMatch(/^the App absent has not drawn a decision on [0-9a-f]{7}$/);
});

test('without a ledger, it says what the body says', async () => {
  const { fixture } = given;
  const pull = given.next();
  await pushes(`:refs/coxswain/open/${pull.number}`);
  const { report, doubt } = await reader().run(placeOf(pull));
  expect(doubt).toBe('it has no ledger');
  expect(report).toMatchObject({ trust: 'unverified', phase: 'awaiting_approval' });
  expect('status_text' in report).toBe(false);
  await expect(reader().logs(placeOf(pull))).rejects.toThrow(
    /^the ledger of acme\/widgets#\d+ cannot be read: it has/,
  );
  const issue = await fixture.ada.opensIssue('No run');
  await expect(reader().run({ ...placeOf(pull), number: issue })).rejects.toThrow('404');
});

async function otherAppDraws(pull: PullClient): Promise<void> {
  const { forge } = given.fixture;
  const app = forge.seed.createApp({
    slug: 'releases',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: 'secret',
    permissions: { checks: 'write' },
    events: [],
  });
  const auth = {
    appId: app.id,
    privateKey: app.private_key,
    installationId: forge.seed.installApp(app, ['acme/widgets']),
  };
  const octokit = new Octokit({ authStrategy: createAppAuth, auth, baseUrl: forge.apiUrl });
  const { state, commits } = await pull.ledger();
  await octokit.rest.checks.create({
    owner: 'acme',
    repo: 'widgets',
    name: 'Coxswain',
    head_sha: await pull.head(),
    external_id: `approval:${pull.number}:4`,
    status: 'in_progress',
    output: { title: 'Fine', summary: 'Fine', text: seqMark(state.seq, commits.at(-1)?.sha ?? '') },
  });
}

/** Pushes as somebody with write access. */
async function pushes(refspec: string): Promise<void> {
  const { forge, bob } = given.fixture;
  const url = `${forge.url}/acme/widgets.git`;
  await inTemporaryFolder('pusher', async (cwd) => {
    await git(['init', '--quiet', cwd]);
    await git(['push', '--quiet', url, refspec], { cwd, remote: { url, token: async () => bob.token } });
  });
}
