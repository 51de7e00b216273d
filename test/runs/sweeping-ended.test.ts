import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/ledger.ts';
import { decide } from '../../src/steering/decide.ts';
import type { Event, EventOf } from '../../src/steering/state/event.ts';
import { seals } from '../ledger/identity.ts';
import { ledgerOf, newestConclusion, number, saveApprovedRun } from './approved-run.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from './runs-fixture.ts';

/** An approved run. */
let saved: SavedForge;
let fixture: RunsFixture;

beforeAll(async () => {
  saved = await saveApprovedRun();
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

/** Records the event as a process does that dies before it acts. */
async function recordAndDie(event: Event): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-dying-'));
  const { repository } = fixture.run(number).run;
  const dying = openLedger({
    ...{ dir: join(dir, 'ledger'), remote: repository.remote, repositoryId: repository.id, number },
    ...{ presenter: 'app', seals, onFault: () => undefined },
  });
  await dying.record(event, (before) => decide(before, event));
  await dying.close();
  await rm(dir, { recursive: true });
  await fixture.restart();
}

/** A command by Mia. */
async function said(command: EventOf<'said'>['command']): Promise<EventOf<'said'>> {
  const { data: mia } = await fixture.ada.rest.users.getByUsername({ username: 'mia' });
  const time = new Date().toISOString();
  return {
    ...{ type: 'said', id: `comment:999@${time}`, at: time, command },
    by: { login: 'mia', id: mia.id, role: 'maintain', bot: false },
    source: { from: 'comment', comment_id: 999, text_sha256: '', written_at: time },
  };
}

const removeLabels = () => fixture.ada.rest.issues.removeAllLabels({ ...at, issue_number: number });

test.each([{ type: 'reject', reason: 'No.' }, { type: 'cancel' }] as const)(
  'a sweep takes an approval back after a crash at a $type',
  async (command) => {
    const { head } = (await ledgerOf(fixture)).state;
    expect(await newestConclusion(fixture, head)).toBe('success');
    await removeLabels();
    await recordAndDie(await said(command));
    await fixture.sweep();
    expect(await newestConclusion(fixture, head)).not.toBe('success');
    const { ref, state } = await ledgerOf(fixture);
    expect(ref).toBe(`refs/coxswain/closed/${number}`);
    expect(state.owed).toEqual([]);
  },
);

/** Bob merges it. */
async function merged(): Promise<EventOf<'closed'>> {
  const { data: pull } = await fixture.ada.rest.pulls.get({ ...at, pull_number: number });
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: number });
  const time = new Date().toISOString();
  return {
    ...{ type: 'closed', id: `closed:${time}`, at: time },
    ...{ by: 'bob', merged: true, base: pull.base.ref },
  };
}

test('a repository is swept until the end of its last run is drawn', async () => {
  await recordAndDie(await merged());
  expect(await fixture.sweep()).toBe(true);
  expect((await ledgerOf(fixture)).state.owed).toEqual([]);
  expect(await fixture.sweep()).toBe(false);
});

test('a sweep draws the end of a run that was merged just before a crash', async () => {
  await recordAndDie(await merged());
  await fixture.sweep();
  const { data: issue } = await fixture.ada.rest.issues.get({ ...at, issue_number: number });
  const labels = issue.labels.map((label) => (typeof label === 'string' ? label : label.name));
  expect(labels).toContain('coxswain:done');
  expect((await ledgerOf(fixture)).state.owed).toEqual([]);
});

/** How the run on the pull request ended, as later runs are trusted by. */
async function outcome(): Promise<unknown> {
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, '+refs/coxswain/outcomes:refs/outcomes');
  const lines = (await fixture.gitAsAda('show', 'refs/outcomes:outcomes.jsonl')).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '').outcome;
}

test('a run that somebody merged when it was rejected ended merged, though nobody told us', async () => {
  await recordAndDie(await said({ type: 'reject', reason: 'No.' }));
  await fixture.bob.rest.pulls.merge({ ...at, pull_number: number });
  await fixture.sweep();
  expect((await ledgerOf(fixture)).state.standing.phase).toBe('done');
  expect(await outcome()).toBe('merged');
});

/** Pushes, as Ada, a commit that is no ledger to these refs. */
async function forge(refs: readonly string[], message: string): Promise<void> {
  await fixture.gitAsAda('fetch', '--quiet', fixture.url, 'main');
  const tree = (await fixture.gitAsAda('rev-parse', 'FETCH_HEAD^{tree}')).trim();
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  const commit = (await fixture.gitAsAda(...identity, 'commit-tree', tree, '-m', message)).trim();
  const pushed = refs.map((ref) => `${commit}:${ref}`);
  await fixture.gitAsAda('push', '--quiet', '--force', fixture.url, ...pushed);
}

const flood = Array.from({ length: 20 }, (_, each) => `refs/coxswain/closed/${100_000 + each}`);
const settled = 'Nothing.\n\nCoxswain-Owes: nothing\nCoxswain-Event: x\nCoxswain-Seq: 99\n';

test.each<[string, () => Promise<unknown>]>([
  ['more ended runs than a sweep looks at', () => forge(flood, 'nothing')],
  [
    'no ledger at all',
    () => fixture.gitAsAda('push', '--quiet', fixture.url, `:refs/coxswain/closed/${number}`),
  ],
  ['a ledger that says that it is settled', () => forge([`refs/coxswain/closed/${number}`], settled)],
])('a sweep takes the approval back, too, if somebody leaves %s', async (_, leave) => {
  const { head } = (await ledgerOf(fixture)).state;
  await removeLabels();
  await recordAndDie(await said({ type: 'reject', reason: 'No.' }));
  await leave();
  await fixture.sweep();
  expect(await newestConclusion(fixture, head)).not.toBe('success');
});

test('a sweep does not read an ended run for which everything is done', async () => {
  await fixture.says('mia', number, '/reject No.');
  await removeLabels();
  await fixture.restart();
  const before = fixture.forge.requests.api.length;
  await fixture.sweep();
  const requests = fixture.forge.requests.api.slice(before).map(({ path }) => path);
  expect(requests.filter((path) => /\/pulls\//.test(path))).toEqual([]);
  expect(fixture.run(number).run.newest).toBeUndefined();
});
