import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as errors from '../../src/ledger/errors.ts';
import {
  brokenRef,
  keptRef,
  type LedgerIdentity,
  ledgerRef,
  logLine,
  messageOf,
  namespaceOf,
  parseHead,
  type RawHead,
  sealedCommit,
  textAbove,
  trailersOf,
} from '../../src/ledger/format.ts';
import { checkKept } from '../../src/ledger/remote-ledger.ts';
import { isPhase } from '../../src/steering/phases/table.ts';
import type { State } from '../../src/steering/state/state.ts';
import { sealedBy, seals, unsealed } from './identity.ts';
import { eventOf } from './sample.ts';

/** When the newest commit of a ledger is believed. */

const action = { ...unsealed, number: 7 };
const app = { ...sealedBy, number: 7 };
const tree = 'a'.repeat(40);
const parent = 'b'.repeat(40);
const state = { version: 3, seq: 2, run: { number: 7 }, standing: { phase: 'queued' } };

interface Written {
  readonly state?: object | string;
  readonly log?: string;
  readonly event?: string;
  readonly seq?: number;
  readonly seal?: string | ((proven: string) => string | undefined);
  readonly namespace?: RawHead['namespace'];
  readonly raw?: Partial<RawHead>;
}

/** As the ledger writes them; built by hand, for nothing of ours may run before the tests do. */
const line = (event: object) => `${JSON.stringify(event)}\n`;
const twoEvents = line(eventOf('a')) + line(eventOf('b'));

function written({
  state: given = state,
  log = twoEvents,
  event = 'b',
  seq = 2,
  ...rest
}: Written = {}): RawHead {
  const { namespace = 'open', seal = () => undefined, raw = {} } = rest;
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const above = textAbove({ subject: 'Note b' });
  const place = { repositoryId: 1, number: 7, namespace, tree, parent };
  const proven = seals.seal(sealedCommit({ ...place, seq, event, state: text, log, above }));
  const message = messageOf(
    { subject: 'Note b', event, seq },
    typeof seal === 'string' ? seal : seal(proven),
  );
  const who = 'Coxswain <coxswain@example.com> 1795255200 +0000';
  const object = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\n${message}`;
  return { commit: 'c1', namespace, object, state: text, log, ...raw };
}

const reading =
  (raw: RawHead, identity: LedgerIdentity = action) =>
  () =>
    parseHead(raw, identity);
const sound = (proven: string) => proven;

test('a ledger that agrees with itself is believed', () => {
  expect(twoEvents).toBe(logLine(eventOf('a')) + logLine(eventOf('b')));
  const head = reading(written())();
  expect(head).toMatchObject({ commit: 'c1', namespace: 'open', state, log: twoEvents, key: null });
  expect([...head.seen]).toEqual(['a', 'b']);
});

describe('a ledger is broken', () => {
  const { LedgerBroken } = errors;
  const cases: readonly (readonly [string, Written, string])[] = [
    ['without a commit', { raw: { object: 'blob' } }, 'it is not a commit of a ledger'],
    ['without a state', { raw: { state: undefined } }, 'state.json is missing'],
    ['with a state that is no JSON', { state: '{' }, 'state.json is not JSON'],
    ['with a state that is a list', { state: '[]' }, 'state.json is not an object'],
    ['with a state that is nothing', { state: 'null' }, 'state.json is not an object'],
    ['with the state of another run', { state: { ...state, run: { number: 8 } } }, 'belongs to #8'],
    ['without a run', { state: { ...state, run: 7 } }, 'is not a valid state'],
    ['without the number of its run', { state: { ...state, run: {} } }, 'is not a valid state'],
    ['without a phase', { state: { ...state, standing: {} } }, 'is not a valid state'],
    ['with an unknown phase', { state: { ...state, standing: { phase: 'odd' } } }, 'is not a valid state'],
    ['without a standing', { state: { ...state, standing: 'queued' } }, 'is not a valid state'],
    ['without a number', { state: { ...state, seq: 1.5 } }, 'is not a valid state'],
    ['without a version', { state: { ...state, version: '3' } }, 'is not a valid state'],
    ['without events', { raw: { log: undefined } }, 'it has no events'],
    ['with an event cut off', { log: twoEvents.trimEnd() }, 'ends in the middle of a line'],
    ['with an event that is no JSON', { log: `${twoEvents}x\n` }, 'event 3 is not JSON'],
    ['with an event without id', { log: '{"type":"said"}\n' }, 'event 1 has no id or no type'],
    ['with an event without type', { log: '{"id":"a"}\n' }, 'event 1 has no id or no type'],
    ['with an event twice', { log: twoEvents + line(eventOf('b')) }, 'it contains an event twice'],
    ['for another event than its last', { event: 'a' }, 'for event a, its last event is b'],
    ['with another number than its state', { seq: 3 }, 'is number 3, its state is number 2'],
  ];
  test.each(cases)('%s', (_, given, why) => {
    expect(reading(written(given))).toThrow(LedgerBroken);
    expect(reading(written(given))).toThrow(/^ledger of #7 at c1: /);
    expect(reading(written(given))).toThrow(why);
  });
});

test('a ledger of a newer version waits for an upgrade', () => {
  const newer = written({ state: { ...state, version: 4 } });
  expect(reading(newer)).toThrow(errors.LedgerTooNew);
  expect(reading(newer)).toThrow('its state has version 4, but this Coxswain supports version 3');
});

describe('the seal of a ledger', () => {
  test('of the App names its key', () => {
    expect(reading(written({ seal: sound }), app)().key).toBe('test');
  });

  test('proves every part of it', () => {
    const { LedgerBroken } = errors;
    const forged: readonly Partial<RawHead>[] = [
      { state: JSON.stringify({ ...state, odd: 1 }) },
      { log: line(eventOf('x')) + line(eventOf('b')) },
      { namespace: 'closed' },
    ];
    for (const raw of forged)
      expect(reading(written({ seal: sound, raw }), app)).toThrow('its seal is wrong, so it is not ours');
    for (const identity of [
      { ...app, repositoryId: 2 },
      { ...app, number: 8 },
    ])
      expect(reading(written({ seal: sound }), identity)).toThrow(LedgerBroken);
  });

  test('must be there for the App, unless its ledgers are being sealed', () => {
    expect(reading(written(), app)).toThrow(errors.LedgerUnsealed);
    expect(reading(written(), app)).toThrow('it is not sealed');
    expect(reading(written(), { ...app, unsealed: 'accepted' })().key).toBeNull();
  });

  test('with a key that is not known says so, and breaks nothing', () => {
    const unknown = reading(written({ seal: `v1 other ${'x'.repeat(43)}` }), app);
    expect(unknown).toThrow(errors.LedgerKeyUnknown);
    expect(unknown).toThrow('it is sealed with the key "other", which is not known here');
    expect(unknown).toThrow(expect.objectContaining({ key: 'other', seq: 2, retired: false }));
  });

  test('keeps the Action away, and so does the App’s name in it', () => {
    expect(reading(written({ seal: sound }))).toThrow(errors.LedgerOfApp);
    expect(reading(written({ seal: sound }))).toThrow('it is sealed, so the App presents this run');
    const presented = { ...state, run: { number: 7, presenter: 'app' } };
    expect(reading(written({ state: presented }))).toThrow('the App presents this run');
    expect(reading(written({ state: presented, seal: sound }), app)().key).toBe('test');
  });
});

test('a seal covers the same, in the same order, in every version', () => {
  const place = { repositoryId: 1, number: 7, namespace: 'open', seq: 2, event: 'b', parent, tree } as const;
  const sealed = sealedCommit({ ...place, state: '{}', log: '', above: 'Note b' });
  const [ofState, ofLog] = ['{}', ''].map((text) => createHash('sha256').update(text).digest('hex'));
  expect(sealed).toEqual({
    label: 'ledger',
    parts: ['1', '7', 'open', '2', 'b', parent, tree, ofState, ofLog, 'Note b'],
    ended: false,
  });
  const first = sealedCommit({ ...place, namespace: 'closed', parent: null, state: '', log: '', above: '' });
  expect(first).toMatchObject({ ended: true });
  expect(first.parts[5]).toBe('');
});

describe('a message', () => {
  const parts = { subject: 'Note\nb\u0007', event: 'b', seq: 2 };

  test('says what it is for, in one line each', () => {
    expect(messageOf(parts)).toBe('Note b\n\nCoxswain-Event: b\nCoxswain-Seq: 2\n');
    expect(messageOf({ ...parts, note: 'left\nout', settled: true }, 'v1 k m')).toBe(
      'Note b\n\nleft out\n\nCoxswain-Owes: nothing\nCoxswain-Seal: v1 k m\nCoxswain-Event: b\nCoxswain-Seq: 2\n',
    );
  });

  test('is read as it was written', () => {
    const read = trailersOf(messageOf({ ...parts, settled: true }, 'v1 k m'));
    expect(read).toEqual({
      ...{ above: 'Note b\n\nCoxswain-Owes: nothing\n', settled: true },
      ...{ seal: 'v1 k m', event: 'b', seq: 2 },
    });
    expect(trailersOf(messageOf(parts))).toMatchObject({ settled: false, seal: undefined });
    expect(trailersOf('Note')).toEqual({
      ...{ above: 'Note', settled: false, seal: undefined, event: undefined, seq: undefined },
    });
  });

  test('has no trailers but its last ones', () => {
    const subject = 'Coxswain-Event: a Coxswain-Seq: 9 Coxswain-Owes: nothing';
    expect(trailersOf(messageOf({ ...parts, subject }))).toMatchObject({
      settled: false,
      event: 'b',
      seq: 2,
    });
    expect(trailersOf('Coxswain-Event: a\nCoxswain-Seq: 9\nmore').event).toBeUndefined();
  });

  test('has at most 250 characters, and 500 of a note', () => {
    const [subject = '', note = ''] = messageOf({
      ...parts,
      subject: 'x'.repeat(300),
      note: 'y'.repeat(900),
    }).split('\n\n');
    expect([subject.length, note.length]).toEqual([250, 500]);
  });
});

describe('what a ledger once said', () => {
  const head = (ids: readonly string[], more: object = {}) => {
    const value = { ...state, seq: ids.length, ...more } as unknown as State;
    const rest = { commit: 'c', namespace: 'open', log: '', key: null } as const;
    return { ...rest, state: value, seen: new Set(ids) };
  };
  const check = (
    now: ReturnType<typeof head> | undefined,
    seen: ReturnType<typeof head> | undefined,
    expected = 0,
  ) => checkKept(7, { head: now, seen, expected });

  test('is still in it', () => {
    check(head(['a', 'b']), head(['a']), 2);
    check(head(['a']), undefined);
    check(undefined, undefined);
    expect(() => check(head(['b', 'c']), head(['a', 'b']))).toThrow(errors.LedgerPutBack);
    expect(() => check(head(['b', 'c']), head(['a', 'b']))).toThrow('reset to an older one, without a');
  });

  test('does not vanish', () => {
    expect(() => check(undefined, head(['a']))).toThrow(errors.LedgerVanished);
    expect(() => check(undefined, undefined, 1)).toThrow('ledger of #7: it no longer exists');
  });

  test('is at least what the pull request shows', () => {
    expect(() => check(head(['a', 'b']), undefined, 3)).toThrow(
      'ledger of #7: it was reset to number 2, but the pull request shows number 3',
    );
  });

  test('may be missing from one that was restored since, and only then', () => {
    const restored = { restored: { at: '2026-01-02T00:00:00Z' } };
    check(head(['x'], restored), head(['a']));
    check(head(['x'], restored), head(['a'], { restored: { at: '2026-01-01T00:00:00Z' } }));
    expect(() => check(head(['x'], restored), head(['a'], restored))).toThrow(errors.LedgerPutBack);
  });
});

test('each kind of trouble has a name, and says what cannot be done', () => {
  const { LedgerBusy, LedgerDeclined, LedgerKeyLost, LedgerKeyUnknown, LedgerVanished } = errors;
  expect([new LedgerBusy('x').name, new LedgerVanished('x').name]).toEqual(['LedgerBusy', 'LedgerVanished']);
  expect(new LedgerDeclined('the ledger of #7', 'no')).toMatchObject({
    ...{ name: 'LedgerDeclined', reason: 'no', message: 'could not write the ledger of #7: no' },
  });
  expect(new LedgerKeyLost('here', 'k')).toMatchObject({
    ...{
      name: 'LedgerKeyLost',
      key: 'k',
      message: 'here: it is sealed with the key k, which is declared lost',
    },
  });
  const retired = new LedgerKeyUnknown('here', { key: 'k'.repeat(50), seq: 3, retired: true });
  expect(retired).toMatchObject({ name: 'LedgerKeyUnknown', seq: 3, retired: true });
  expect(retired.message).toBe(
    `here: it is sealed with the key "${'k'.repeat(40)}", which is retired, but this run is open`,
  );
  const { LedgerBroken, LedgerPutBack, LedgerUnsealed, LedgerTooNew, LedgerOfApp } = errors;
  const others = { LedgerBroken, LedgerPutBack, LedgerUnsealed, LedgerTooNew, LedgerOfApp };
  for (const [name, Kind] of Object.entries(others)) expect(new Kind('x').name).toBe(name);
});

test('only ended runs have closed ledgers, each ref named after its pull request', () => {
  const running = ['queued', 'working', 'verifying', 'paused', 'approved', 'timed_out', 'failed'] as const;
  const asking = ['awaiting_approval', 'awaiting_permission', 'awaiting_resolution'] as const;
  const over = ['done', 'rejected', 'cancelled'] as const;
  expect(new Set([...running, ...asking].map(namespaceOf))).toEqual(new Set(['open']));
  expect(new Set(over.map(namespaceOf))).toEqual(new Set(['closed']));
  expect([ledgerRef('open', 7), brokenRef(7, 'a1'), keptRef(7, 'a1')]).toEqual([
    ...['refs/coxswain/open/7', 'refs/coxswain/broken/7-a1', 'refs/coxswain/kept/7/a1'],
  ]);
  expect([isPhase('paused'), isPhase('toString'), isPhase(3)]).toEqual([true, false, false]);
});
