import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Attachments } from '../../src/ledger/attachments.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { readLedger } from '../app/ledger-content.ts';
import { attemptOn } from './attempt-on.ts';
import { type GivenRun, startGivenRun } from './given-run.ts';
import { at, type RunsFixture, type SavedForge, saveForge, startRunsFixture } from './runs-fixture.ts';

/** Work that GitHub does not let onto the branch is not lost with the machine where the agent ran. */
let saved: SavedForge;
let fixture: RunsFixture;
const number = 2;

beforeAll(async () => {
  saved = await saveForge(async ({ ada }) => {
    await ada.rest.issues.create({ ...at, title: 'Fix the clock', body: 'It is late.' });
  });
});

afterAll(() => saved.remove());

beforeEach(async () => {
  fixture = await startRunsFixture(saved);
});

afterEach(() => fixture.end());

test('what rules of the branch refuse can be fetched, and people are told how', async () => {
  const { forge, says, appComments, gitAsAda, url, adasToken } = fixture;
  forge.seed.protect('acme/api', 'coxswain/*', { forbid_update: true });
  await says('ada', 1, '/run');
  const ledger = await readLedger(url, adasToken, number);
  const failed = ledger?.events.find((event) => event.type === 'work_failed');
  const ref = failed?.type === 'work_failed' ? failed.kept_ref : undefined;
  expect(failed).toMatchObject({ failure: { kind: 'push_refused' } });
  expect(ref).toMatch(/^refs\/coxswain\/kept\/2\/[0-9a-f]{40}$/);
  expect((await appComments(number)).join('\n')).toContain(`git fetch origin ${ref}`);
  await gitAsAda('fetch', '--quiet', url, String(ref));
  expect(await gitAsAda('show', 'FETCH_HEAD:notes.txt')).toContain('iteration 0');
});

const refusals = [
  ['a rule of the branch', 'GH006: Protected branch', 'kept'],
  ['push protection', 'GH013: Push cannot contain secrets', 'nowhere'],
  ['a hook of the server', 'pre-receive hook: credentials found in config.env', 'nowhere'],
  ['a scanner of the server', 'gitleaks: 1 leak found', 'nowhere'],
] as const;

test.each(refusals)('work that was refused because of %s is kept: %s: %s', async (_, message, expected) => {
  const given = await startGivenRun();
  const home = await mkdtemp(join(tmpdir(), 'coxswain-kept-'));
  try {
    const seen = await attachmentsOf(given, home);
    const { event, attachments } = seen?.otherwise({ kind: 'declined', message }) ?? {};
    const ref = `refs/coxswain/kept/${given.number}/${seen?.code?.to}`;
    const kept = expected === 'kept' ? { ref, to: seen?.code?.to } : undefined;
    expect(attachments?.kept).toEqual(kept);
    expect(event).toMatchObject({ failure: { kind: 'push_refused', message } });
    expect(event).toMatchObject(kept === undefined ? {} : { kept_ref: ref });
    const refusedAgain = attachments?.otherwise({ kind: 'declined', message: 'no' }).event;
    if (kept !== undefined) expect(refusedAgain).not.toHaveProperty('kept_ref');
  } finally {
    await given.end();
    await rm(home, { recursive: true, force: true });
  }
});

test('work whose branch moved meanwhile is kept, too, and the run goes on', async () => {
  const given = await startGivenRun();
  const home = await mkdtemp(join(tmpdir(), 'coxswain-kept-'));
  try {
    const head = 'f'.repeat(40);
    const push = { type: 'pushed', before: given.head, head, forced: false, by: 'ada' } as const;
    const seen = await attachmentsOf(given, home, { ...push, id: 'push:1', at: '2026-03-03T12:00:00Z' });
    expect(seen?.code).toBeUndefined();
    expect(seen?.kept?.ref).toMatch(/^refs\/coxswain\/kept\/\d+\/[0-9a-f]{40}$/);
    expect(seen?.otherwise({ kind: 'declined', message: 'no' }).event).toMatchObject({
      failure: { kind: 'branch_moved', message: expect.stringContaining('but the head is fffffff') },
    });
  } finally {
    await given.end();
    await rm(home, { recursive: true, force: true });
  }
});

/** What the attempt of a queued run brings to the ledger with its work; `meanwhile` comes first. */
async function attachmentsOf(
  given: GivenRun,
  home: string,
  meanwhile?: Event,
): Promise<Attachments | undefined> {
  let seen: Attachments | undefined;
  await attemptOn(given, home, {
    recorded: async (run, event, attachments) => {
      if (attachments?.code !== undefined || attachments?.kept !== undefined) seen = attachments;
      if (event.type === 'attempt_started' && meanwhile !== undefined) await run.record(meanwhile);
    },
  });
  return seen;
}
