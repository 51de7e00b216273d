import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readBlock } from '../../src/github/show/block.ts';
import { readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** A run waits for approval in iteration 1 on #2; then someone with write access damages its ledger. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;
const ref = 'refs/coxswain/open/2';

beforeAll(async () => {
  saved = await saveForge(async ({ ada, says }) => {
    const issue = await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
    await says('ada', issue.data.number, '/run');
    await says('ada', number, '/steer mind the summer time');
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

async function pull() {
  return (await fixture.ada.rest.pulls.get({ ...at, pull_number: number })).data;
}

async function block() {
  return readBlock((await pull()).body ?? '');
}

async function labels(): Promise<readonly string[]> {
  return (await pull()).labels.map(({ name }) => name).sort();
}

async function ledger() {
  const found = await readLedger(fixture.url, fixture.adasToken, number);
  if (found === undefined) throw new Error('there is no ledger');
  return found;
}

/** Our refs, without their common prefix, with their targets. */
async function refs(): Promise<ReadonlyMap<string, string>> {
  const lines = (await fixture.gitAsAda('ls-remote', fixture.url, 'refs/coxswain/*')).trim().split('\n');
  return new Map(
    lines.filter(Boolean).map((line) => [line.slice(line.indexOf('\t') + 15), line.slice(0, 40)]),
  );
}

const deleteLedger = () => fixture.gitAsAda('push', '--quiet', fixture.url, `:${ref}`);

/** Resets the ledger by some commits; returns the commit that the ref then points to. */
async function resetLedger(commits: number): Promise<string> {
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, `+${ref}:refs/kept`);
  await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, `refs/kept~${commits}:${ref}`);
  return (await fixture.gitAsAda('rev-parse', `refs/kept~${commits}`)).trim();
}

async function overwriteLedger(): Promise<string> {
  const { data } = await fixture.ada.rest.repos.getBranch({ ...at, branch: 'main' });
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, 'main');
  await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, `FETCH_HEAD:${ref}`);
  return data.commit.sha;
}

async function editBlock(change: (json: string) => string): Promise<void> {
  const body = (await pull()).body ?? '';
  const changed = body.replace(/(?<=coxswain:state )\{.*\}(?= -->)/, (json) => change(json));
  expect(changed).not.toBe(body);
  await fixture.ada.rest.pulls.update({ ...at, pull_number: number, body: changed });
}

/** Checks what must hold for every run that was restored and then verified. */
async function expectRestored(lost: string): Promise<void> {
  const { state, events, commits } = await ledger();
  expect(events.slice(0, 2)).toMatchObject([
    { type: 'restored', lost },
    { type: 'said', command: { type: 'resume' } },
  ]);
  expect(commits[0]?.subject).toMatch(/^Restore the ledger from the pull request for mia: it /);
  expect(state.standing.phase).toBe('awaiting_approval');
  expect(state.approvals).toEqual([]);
  expect(state.head).toBe((await pull()).head.sha);
  expect((await pull()).body).toMatch(/\*\*Restored\*\* from this pull request at .* by mia/);
  expect(await labels()).toEqual(['coxswain', 'coxswain:awaiting_approval']);
}

describe('a deleted ledger', () => {
  test('pauses the run, and a command is answered with how to continue', async () => {
    await deleteLedger();
    const before = await fixture.appComments(number);
    await fixture.says('ada', number, '/approve', 2);
    expect((await fixture.appComments(number)).slice(before.length)).toMatchInlineSnapshot(`
      [
        "@ada: The ledger of this run is missing: neither \`refs/coxswain/open/2\` nor \`refs/coxswain/closed/2\` exists. The run is paused and its approvals are void; someone with the role maintain can use \`/resume\` to rebuild the ledger from this pull request.",
      ]
    `);
    expect(await labels()).toEqual(['coxswain', 'coxswain:paused']);
    expect((await refs()).size).toBe(0);
  });

  test('is rebuilt by /resume, once, with the history of the pull request', async () => {
    const before = await block();
    await fixture.says('ada', number, `/approve ${before?.head_sha}`);
    expect((await block())?.phase).toBe('approved');
    await deleteLedger();
    await fixture.says('mia', number, '/resume', 2);
    await expectRestored('vanished');
    const { state, events } = await ledger();
    expect(events.filter(({ type }) => type === 'restored')).toHaveLength(1);
    expect(state).toMatchObject({ iteration: 1, max_iterations: 5, task: { title: 'Fix the clock' } });
    expect(state.restored).not.toHaveProperty('unproven');
    expect(state.iterations.map(({ prompt }) => prompt)).toEqual(['', 'mind the summer time']);
    expect(state.seq).toBeGreaterThan(before?.seq ?? 0);
    expect((await pull()).draft).toBe(true);
    expect(await fixture.appComments(number)).toContainEqual(
      expect.stringMatching(/^@mia: The run's ledger was missing, so a new one was built/),
    );
    await fixture.says('ada', number, '/approve');
    expect((await block())?.phase).toBe('approved');
  });

  test('is not rebuilt by someone who may only write', async () => {
    await deleteLedger();
    await fixture.says('ada', number, '/resume');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /^@ada: Rebuilding a ledger requires maintain on this repository, but your role is write\./,
    );
    expect((await refs()).size).toBe(0);
  });

  test('is not rebuilt by someone who may only read', async () => {
    await deleteLedger();
    await fixture.says('rea', number, '/resume');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /^@rea: Rebuilding a ledger requires maintain on this repository, but your role is read\. The ledger of this/,
    );
    const answered = await fixture.appComments(number);
    await fixture.says('rea', number, '/status');
    expect(await fixture.appComments(number)).toEqual(answered);
    expect((await refs()).size).toBe(0);
  });

  test('is reported by the sweep, once', async () => {
    await deleteLedger();
    const before = await fixture.appComments(number);
    await fixture.sweep();
    await fixture.sweep();
    expect((await fixture.appComments(number)).slice(before.length)).toEqual([
      expect.stringMatching(/^The ledger of this run is missing: neither/),
    ]);
    expect(await labels()).toEqual(['coxswain', 'coxswain:paused']);
  });

  test('is not replaced by /run, which would lose its history', async () => {
    await deleteLedger();
    await fixture.says('ada', number, '/run something else');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /^There is already a run, but it cannot continue/,
    );
    expect((await refs()).size).toBe(0);
  });
});

test('a run on whose branch nothing is left begins again when its ledger is rebuilt', async () => {
  const { head, base } = await pull();
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, head.ref);
  const commits = await fixture.gitAsAda('rev-list', '--first-parent', `${base.sha}..FETCH_HEAD`);
  const claim = commits.trim().split('\n').at(-1);
  await deleteLedger();
  await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, `${claim}:refs/heads/${head.ref}`);
  await fixture.says('mia', number, '/resume');
  const { state } = await ledger();
  expect(state.standing.phase).toBe('awaiting_approval');
  expect(state.head).not.toBe(claim);
});

describe('an invalid ledger', () => {
  test('is kept when a new one is created', async () => {
    const garbage = await overwriteLedger();
    await fixture.says('ada', number, '/status');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /^@ada: The ledger of this run, `refs\/coxswain\/open\/2`, is not sealed: someone else wrote it, or an older version of Coxswain\. The/,
    );
    await fixture.says('mia', number, '/resume');
    await expectRestored('unsealed');
    expect((await refs()).get(`broken/2-${garbage.slice(0, 7)}`)).toBe(garbage);
  });

  test('is not reported again by the sweep once a command was answered with it', async () => {
    const before = await fixture.appComments(number);
    await overwriteLedger();
    await fixture.says('ada', number, '/status');
    await fixture.sweep();
    await fixture.restart();
    await fixture.sweep();
    expect((await fixture.appComments(number)).slice(before.length)).toEqual([
      expect.stringMatching(/^@ada: .* is not sealed/),
    ]);
  });

  test('is reported by the sweep', async () => {
    await overwriteLedger();
    await fixture.sweep();
    expect((await fixture.appComments(number)).at(-1)).toMatch(/is not sealed/);
  });
});

describe('a ledger that was reset', () => {
  test('is recognized by the number in the pull request, even by a new process', async () => {
    const older = await resetLedger(2);
    await fixture.says('ada', number, '/approve');
    expect((await fixture.appComments(number)).at(-1)).toMatch(/is older than what this pull request shows/);
    await fixture.says('mia', number, '/resume');
    await expectRestored('put_back');
    expect((await refs()).get(`broken/2-${older.slice(0, 7)}`)).toBe(older);
    await fixture.restart();
    await fixture.sweep();
    await fixture.says('ada', number, '/approve');
    expect((await block())?.phase).toBe('approved');
  });

  test('is recognized by a process that has seen more of it', async () => {
    await fixture.says('rea', number, '/status');
    await resetLedger(1);
    await fixture.says('ada', number, '/approve');
    expect((await fixture.appComments(number)).at(-1)).toMatch(/is older than what this pull request shows/);
  });
});

describe('the data in a pull request', () => {
  test('grants no permission, approval, setting or head', async () => {
    const { head } = await pull();
    await editBlock((json) => {
      const forged = JSON.parse(json);
      return JSON.stringify({
        ...forged,
        head_sha: 'f'.repeat(40),
        phase: 'approved',
        approvals: [{ id: 'x', by: { login: 'rea', id: 4, role: 'admin', bot: false } }],
        settings: { approval: { by: [{ role: 'read' }] }, verifiers: [] },
        requested_by: { login: 'rea', id: 4, role: 'admin', bot: false },
        run: 'acme/other#2',
        max_iterations: 100,
      });
    });
    await deleteLedger();
    await fixture.says('mia', number, '/resume');
    const { state } = await ledger();
    expect(state).toMatchObject({
      head: head.sha,
      approvals: [],
      max_iterations: 5,
      people_unknown: true,
      restored: { unproven: true },
    });
    expect(state.run).toMatchObject({ id: 'acme/api#2', owner: 'acme', repo: 'api', base: 'main' });
    expect(state.settings.approval.by).toEqual([{ role: 'write' }]);
    expect(state.settings.verifiers).toHaveLength(1);
  });

  test('is ignored as a whole if it is inconsistent', async () => {
    await editBlock((json) => json.replace(/"iteration":\d+/, '"iteration":900000'));
    await deleteLedger();
    await fixture.says('mia', number, '/resume');
    await expectRestored('vanished');
    const { state } = await ledger();
    expect(state).toMatchObject({ iteration: 0, task: { title: 'Fix the clock', id: 'issue-1' } });
    expect(state.seq).toBeLessThan(100);
  });
});
