import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import { decide } from '../../src/steering/decide.ts';
import type { Event, EventOf } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { sealedBy } from './identity.ts';
import { bundle, type Left, recording } from './recording.ts';

/** Ledgers written by the previous version, in the repository that it left behind. */
let seeded: GitServer;
let server: GitServer;
let folder: string;
let opened: RunLedger[];

beforeAll(async () => {
  seeded = await startGitServer();
  await seeded.git('fetch', '--quiet', bundle, '+refs/*:refs/*');
});

afterAll(() => seeded.close());

beforeEach(async () => {
  server = await startGitServer({ copyOf: seeded.repository });
  folder = await mkdtemp(join(tmpdir(), 'coxswain-recorded-'));
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((ledger) => ledger.close()));
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
});

async function open(left: Left): Promise<RunLedger> {
  const dir = await mkdtemp(join(folder, `${left}-`));
  const onFault = (fault: unknown) => {
    throw fault;
  };
  const ledger = openLedger({
    ...sealedBy,
    repositoryId: recording.repository.id,
    unsealed: 'accepted',
    dir,
    remote: server.remote,
    number: recording.runs[left],
    onFault,
  });
  opened.push(ledger);
  return ledger;
}

function status(state: State): EventOf<'said'> {
  const id = 'comment:9999@2026-02-02T10:00:00Z';
  const at = '2026-02-02T10:00:00Z';
  const by = { login: 'ada', id: 1, bot: false, role: 'write' } as const;
  const source = { from: 'comment', comment_id: 9999, text_sha256: '', written_at: at } as const;
  expect(Date.parse(state.updated_at)).toBeLessThan(Date.parse(at));
  return { type: 'said', id, at, command: { type: 'status' }, by, source };
}

const places: Readonly<Record<Left, string>> = {
  awaiting_approval: 'open',
  working: 'open',
  approved: 'open',
  rejected: 'closed',
  burst: 'open',
};

const standings: Readonly<Record<Left, object>> = {
  awaiting_approval: { standing: { phase: 'awaiting_approval' }, iteration: 1, owed: [] },
  working: { standing: { phase: 'working', hold: { attempt: 1 } }, attempt: 1 },
  approved: { standing: { phase: 'approved', finish: 'finished' }, owed: [] },
  rejected: { standing: { phase: 'rejected', by: 'bob' }, owed: [] },
  burst: { standing: { phase: 'awaiting_approval' }, iteration: 0, owed: [] },
};

/** That version took nothing back from former heads, closed when it drew, kept no outcomes and woke nobody. */
const unknownThen: ReadonlySet<string> = new Set(['withdraw', 'close', 'record_outcome', 'wake']);

// The keys are the union's own.
const all = Object.keys(standings) as Left[];

describe('the ledger of the previous version', () => {
  test.each(all)('of a run left as %s is read as it was written', async (left) => {
    const ledger = await open(left);
    const snapshot = await ledger.read();
    const events = await ledger.events();
    const ref = `refs/coxswain/${places[left]}/${recording.runs[left]}`;
    expect(snapshot?.state).toMatchObject(standings[left]);
    expect(snapshot?.ref).toBe(ref);
    expect(snapshot?.seen).toEqual(new Set(events.map(({ id }) => id)));
    expect(await server.git('rev-list', '--count', ref)).toBe(String(events.length));
    expect(snapshot?.state.seq).toBe(events.length);
  });

  test.each(all)('of a run left as %s replays to the same state', async (left) => {
    const ledger = await open(left);
    const state = (await ledger.read())?.state;
    const { standing, iteration, attempt, head, approvals, ...again } = await replayed(ledger);
    const owed = again.owed.filter((effect) => !unknownThen.has(effect.do));
    expect(state).toMatchObject({ standing, iteration, attempt, head, owed, approvals });
  });

  test.each(all)('of a run left as %s can be continued', async (left) => {
    const ledger = await open(left);
    const before = await ledger.read();
    if (before === undefined) throw new Error(`there is no ledger of #${recording.runs[left]}`);
    const event = status(before.state);
    const { state, fresh } = await ledger.record(event, (now) => decide(now, event));
    expect(fresh).toBe(true);
    expect(state?.standing.phase).toBe(before.state.standing.phase);
    expect(state?.owed).toMatchObject([{ do: 'reply', words: { say: 'status' } }]);
    expect(await server.git('rev-parse', `${before.ref}^`)).toBe(before.commit);
    const again = await (await open(left)).read();
    expect(again).toMatchObject({ ref: before.ref, state: { seq: before.state.seq + 1 } });
    expect(again?.seen).toEqual(new Set([...before.seen, event.id]));
  });

  test('after a burst has an id too long for its trailer', async () => {
    const ref = `refs/coxswain/open/${recording.runs.burst}`;
    const message = await server.git('log', '-1', '--grep=^Coxswain-Event: settled:', '--format=%B', ref);
    expect(message).toMatch(/\nCoxswain-Event: settled:.{990,}…\n/);
    const ids = (await (await open('burst')).events()).map(({ id }) => id.length);
    expect(Math.max(...ids)).toBeGreaterThan(1_000);
  });
});

/** Replays every event with this version; each must change the state, as it did then. */
async function replayed(ledger: RunLedger): Promise<State> {
  const step = (state: State | undefined, event: Event): State => {
    const verdict = decide(state, event);
    // That version owed reactions, too.
    if (verdict.outcome === 'nothing' && state !== undefined && isOfReactions(event))
      return { ...state, seq: state.seq + 1 };
    if (verdict.outcome === 'nothing') throw new Error(`${event.id} changes nothing any more`);
    return verdict.state;
  };
  const state = (await ledger.events()).reduce(step, undefined as State | undefined);
  if (state === undefined) throw new Error('there are no events');
  return state;
}

function isOfReactions(event: Event): boolean {
  return event.type === 'settled' && event.paid.every((id) => id.endsWith(':react'));
}
