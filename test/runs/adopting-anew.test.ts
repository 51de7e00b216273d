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

/** Checks what must hold for every run that was begun anew and then verified. */
async function expectBegunAnew(how: string): Promise<void> {
  const { state, events, commits } = await ledger();
  const { head, body } = await pull();
  expect(events[0]).toMatchObject({ type: 'run_started', lost: { how }, people_unknown: true });
  expect(commits[0]?.subject).toMatch(/^Start over for mia, because the ledger /);
  expect(state).toMatchObject({
    standing: { phase: 'awaiting_approval' },
    ...{ head: head.sha, approvals: [], iteration: 0, max_iterations: 5, pushed_while_shown: true },
    ...{ task: { title: 'Fix the clock' }, run: { adopted: true, issue: 1 } },
  });
  expect(body).toMatch(/\*\*Started over\*\* at .* by mia/);
  expect(await labels()).toEqual(['coxswain', 'coxswain:awaiting_approval']);
}

describe('a deleted ledger', () => {
  test('pauses the run, and a command is answered with how to continue', async () => {
    await deleteLedger();
    const before = await fixture.appComments(number);
    await fixture.says('ada', number, '/approve', 2);
    expect((await fixture.appComments(number)).slice(before.length)).toMatchInlineSnapshot(`
      [
        "@ada: The ledger of this run is missing: neither \`refs/coxswain/open/2\` nor \`refs/coxswain/closed/2\` exists. The run is paused and its approvals are void; someone with the maintain role can use \`/resume\` to start it over from what is on this branch.",
      ]
    `);
    expect(await labels()).toEqual(['coxswain', 'coxswain:paused']);
    expect((await refs()).size).toBe(0);
  });

  test('lets /resume begin the run anew, once, with the issue as it reads now', async () => {
    const before = await block();
    await fixture.says('ada', number, `/approve ${before?.head_sha}`);
    expect((await block())?.phase).toBe('approved');
    await fixture.bob.rest.issues.update({ ...at, issue_number: 1, body: 'It is early.' });
    await deleteLedger();
    await fixture.says('mia', number, '/resume', 2);
    await expectBegunAnew('vanished');
    const { state } = await ledger();
    expect(state.seq).toBeGreaterThan(before?.seq ?? 0);
    expect((await pull()).draft).toBe(true);
    const said = (await fixture.appComments(number)).filter((text) =>
      text.startsWith("@mia: The run's ledger"),
    );
    expect(said).toEqual([
      expect.stringMatching(/was missing, so the run starts over[\s\S]*> It is early\./),
    ]);
    await fixture.says('ada', number, '/approve');
    expect((await block())?.phase).toBe('awaiting_approval');
    await fixture.says('ada', number, `/approve ${state.head}`);
    expect((await block())?.phase).toBe('approved');
  });

  test.each(['ada', 'rea'] as const)('is nothing that %s may begin anew', async (login) => {
    await deleteLedger();
    await fixture.says(login, number, '/resume');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /: Starting a run over requires maintain access to this repository, but your role is (?:write|read)\./,
    );
    const answered = await fixture.appComments(number);
    if (login === 'rea') await fixture.says('rea', number, '/status');
    expect(await fixture.appComments(number)).toEqual(answered);
    expect((await refs()).size).toBe(0);
  });

  test('leaves the title and the text of a pull request that names no issue', async () => {
    await fixture.ada.rest.pulls.update({
      ...at,
      pull_number: number,
      title: 'Clocks',
      body: 'All of them.',
    });
    await deleteLedger();
    await fixture.says('mia', number, '/resume');
    const { state } = await ledger();
    expect(state.task).toMatchObject({ id: 'pull-2', title: 'Clocks' });
    expect(state.task.description).toContain('All of them.');
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

  test('is not replaced by /run', async () => {
    await deleteLedger();
    await fixture.says('ada', number, '/run something else');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /^There is already a run, but it cannot continue/,
    );
    expect((await refs()).size).toBe(0);
  });
});

describe('an invalid ledger', () => {
  test('is kept when a new one is created', async () => {
    const garbage = await overwriteLedger();
    await fixture.says('ada', number, '/status');
    expect((await fixture.appComments(number)).at(-1)).toMatch(
      /^@ada: The ledger of this run, `refs\/coxswain\/open\/2`, is not sealed: it was written by someone else or by an older version of Coxswain\. The/,
    );
    await fixture.says('mia', number, '/resume');
    await expectBegunAnew('unsealed');
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
    await expectBegunAnew('put_back');
    expect((await refs()).get(`broken/2-${older.slice(0, 7)}`)).toBe(older);
    await fixture.restart();
    await fixture.sweep();
    await fixture.says('ada', number, `/approve ${(await pull()).head.sha}`);
    expect((await block())?.phase).toBe('approved');
  });

  test('is recognized by a process that has seen more of it', async () => {
    await fixture.says('rea', number, '/status');
    await resetLedger(1);
    await fixture.says('ada', number, '/approve');
    expect((await fixture.appComments(number)).at(-1)).toMatch(/is older than what this pull request shows/);
  });
});
