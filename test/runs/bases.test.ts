import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EventOf } from '../../src/steering/state/event.ts';
import { readLedger } from '../app/ledger-content.ts';
import { workCopy } from '../git/work-copy.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run into `main` waits for approval on #2. Webhooks of retargets never arrive here. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

const config = 'version: 1\nagent: { use: command, command: [sh, agent.sh] }\n';
const one = 'verifiers: [{ name: test, run: "true" }]\n';
const shared = "bases: [{ branches: 'release/*', check: release }]\n";

beforeAll(async () => {
  saved = await saveForge(async (forge) => {
    fixture = forge;
    await commits('main', { '.github/coxswain.yml': config + one + shared });
    for (const branch of ['release/1', 'release/2', 'easy']) await commits('main', {}, branch);
    const issue = await forge.ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await forge.says('ada', issue.data.number, '/run');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

test('an old answer of GitHub does not bring the former base back', async () => {
  const { data: former } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  fixture.wait(60);
  await retarget('easy');
  await fixture.sweep();
  const { octokit } = fixture.run(number).run.repository;
  let isOld = true;
  octokit.hook.wrap('request', async (request, options) => {
    const answer = await request(options);
    const isPull = options.method === 'GET' && /\/pulls\/(?:\d+|\{pull_number\})$/.test(options.url);
    return isOld && isPull ? { ...answer, data: former } : answer;
  });
  await fixture.sweep();
  isOld = false;
  await fixture.sweep();
  expect((await ledger()).state.run.base).toBe('easy');
});

describe('a retarget whose webhook is lost', () => {
  test('is found by the sweep, with its time and its author', async () => {
    await fixture.says('mia', number, '/approve');
    expect(await decisions()).toEqual({ Coxswain: 'success' });
    await retarget('easy');
    await fixture.sweep();
    const { state, events } = await ledger();
    const event = events.find((each): each is EventOf<'retargeted'> => each.type === 'retargeted');
    expect(event).toMatchObject({
      base: 'easy',
      by: 'ada',
      id: `retargeted:easy@${event?.at}`,
      same_commit: true,
    });
    expect(state).toMatchObject({
      run: { base: 'easy' },
      settings: { check: 'Coxswain (unlisted: easy)' },
      approvals: [],
      standing: { phase: 'awaiting_approval' },
    });
    expect(await decisions()).toEqual({
      Coxswain: 'cancelled',
      'Coxswain (unlisted: easy)': 'action_required',
    });
    expect(fixture.warnings).toEqual([]);
  });

  test('is found before an approval finishes, and by a new process too', async () => {
    await retarget('easy');
    await fixture.restart();
    await fixture.says('mia', number, '/approve');
    expect((await fixture.appComments(number)).join('\n')).toMatch(
      /no longer counts because ada changed the base from `main` to `easy`/,
    );
    expect(await decisions()).toMatchObject({ 'Coxswain (unlisted: easy)': 'action_required' });
    expect((await decisions())['Coxswain']).not.toBe('success');
    await fixture.says('mia', number, '/approve');
    expect(await decisions()).toMatchObject({ 'Coxswain (unlisted: easy)': 'success' });
    expect((await decisions())['Coxswain']).not.toBe('success');
  });

  test('changes nothing if the branches share a check and the commit is the same', async () => {
    await retarget('release/1');
    await fixture.sweep();
    await fixture.says('mia', number, '/approve');
    expect(await decisions()).toMatchObject({ 'Coxswain (release)': 'success' });
    await retarget('release/2');
    await fixture.sweep();
    const { state } = await ledger();
    expect(state).toMatchObject({ run: { base: 'release/2' }, standing: { phase: 'approved' } });
    expect(state.approvals).toHaveLength(1);
    expect(await decisions()).toMatchObject({ 'Coxswain (release)': 'success' });
  });

  test('counts if the branches share a check but not the commit', async () => {
    await commits('release/2', { 'more.txt': 'more\n' });
    await retarget('release/1');
    await fixture.sweep();
    await fixture.says('mia', number, '/approve');
    await retarget('release/2');
    await fixture.sweep();
    expect((await ledger()).state).toMatchObject({
      approvals: [],
      standing: { phase: 'awaiting_approval' },
    });
  });
});

describe('the configuration of the default branch', () => {
  test('is read again for each verification', async () => {
    const two = 'verifiers: [{ name: test, run: "true" }, { name: more, run: "true" }]\n';
    await commits('main', { '.github/coxswain.yml': config + two });
    await fixture.says('ada', number, '/verify');
    const { shown } = (await ledger()).state;
    expect(shown?.verifiers.map(({ name }) => name)).toEqual(['test', 'more']);
  });

  test('stops the run if it cannot be used, and /retry continues when it can', async () => {
    await commits('main', { '.github/coxswain.yml': `${config}verifiers: none\n` });
    await fixture.says('ada', number, '/steer mind the summer time');
    expect((await ledger()).state.standing).toMatchObject({
      phase: 'failed',
      because: 'configuration',
      what: expect.stringMatching(
        /^\.github\/coxswain\.yml on main is not valid: verifiers \(line 3\): expected/,
      ),
      resumes_with: 'attempt',
    });
    const [check] = (await checks()).filter(({ name }) => name === 'Coxswain');
    expect(check).toMatchObject({
      conclusion: 'failure',
      output: { title: 'Stopped: the configuration cannot be used' },
    });
    await commits('main', { '.github/coxswain.yml': config });
    await fixture.says('ada', number, '/retry');
    expect((await ledger()).state).toMatchObject({
      iteration: 1,
      settings: { verifiers: [] },
      standing: { phase: 'awaiting_approval' },
    });
  });

  test('stops the run if it is gone', async () => {
    await commits('main', { '.github/coxswain.yml': null });
    await fixture.says('ada', number, '/verify');
    expect((await ledger()).state.standing).toMatchObject({
      phase: 'failed',
      what: 'there is no .github/coxswain.yml on main',
    });
  });
});

async function ledger() {
  const found = await readLedger(fixture.url, fixture.adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

async function retarget(base: string): Promise<void> {
  await fixture.ada.rest.pulls.update({ ...at, pull_number: number, base });
}

async function checks() {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  const { data } = await fixture.ada.rest.checks.listForRef({ ...at, ref: pull.head.sha, per_page: 100 });
  return data.check_runs.toSorted((one, other) => one.id - other.id);
}

/** The conclusions of the decision's check runs on the head, by name. */
async function decisions(): Promise<Record<string, string | null>> {
  const found = (await checks()).filter(({ name }) => !name.includes(' / '));
  return Object.fromEntries(found.map(({ name, conclusion }) => [name, conclusion]));
}

/** Commits on top of a branch, and pushes there or to another one; null removes a file. */
async function commits(branch: string, files: Record<string, string | null>, to = branch): Promise<void> {
  const url = fixture.url.replace('://', `://x-access-token:${fixture.adasToken}@`);
  const copy = await workCopy();
  try {
    await copy.git('fetch', '--quiet', url, branch);
    await copy.git('checkout', '--quiet', '-b', 'here', 'FETCH_HEAD');
    if (Object.keys(files).length > 0) await copy.commit(files);
    await copy.git('push', '--quiet', url, `here:refs/heads/${to}`);
  } finally {
    await copy.remove();
  }
}
