import { describe, expect, test } from 'vitest';
import {
  type AppendPlan,
  bounded,
  entryFrom,
  keptEnd,
  maxPerOutput,
  maxPerRun,
  planAppend,
  withoutArtefacts,
  withoutCode,
} from '../../src/ledger/append-batch.ts';
import { type Attachments, checkArtefact, codeRef, codeUpdate } from '../../src/ledger/attachments.ts';
import type { LedgerHead } from '../../src/ledger/format.ts';
import type { Decide } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';
import { appendingId, eventOf, nothing, saidIn } from './sample.ts';

/** What is to be written, decided without any remote. */

const entry = (id: string, decide: Decide = appendingId(id), attachments?: Attachments) =>
  entryFrom({ event: eventOf(id), decide }, attachments);

/** The ledger after a plan, as if it had been written. */
function headAfter({ end }: AppendPlan): LedgerHead {
  if (end === undefined) throw new Error('nothing was planned');
  return { ...end, commit: 'c', key: null };
}

const recording = () => planAppend(undefined, [entry('a'), entry('b')]);
const move = { branch: 'work', from: 'a1', to: 'b2' };
const attached: Attachments = {
  code: move,
  artefacts: [{ path: 'iterations/0/a.md', content: 'hello' }],
  otherwise: ({ message }) => ({ event: eventOf(`instead: ${message}`), decide: nothing }),
};

describe('events', () => {
  test('are decided one after the other, each on what the one before it left', () => {
    const recorded = recording();
    expect(recorded.commits.map(({ state }) => saidIn(state))).toEqual([['a'], ['a', 'b']]);
    expect(recorded.answers).toMatchObject([{ recorded: { fresh: true } }, { recorded: { fresh: true } }]);
    expect(recorded.end?.log).toBe(`${JSON.stringify(eventOf('a'))}\n${JSON.stringify(eventOf('b'))}\n`);
    expect(recorded.commits[0]).toMatchObject({ at: 1795255200, namespace: 'open' });
    expect(recorded.commits[0]?.text).toBe(`${JSON.stringify(recorded.commits[0]?.state, undefined, 2)}\n`);
    expect(recorded.commits[0]?.message).toEqual({ subject: 'Note a', event: 'a' });
  });

  test('are recorded once, by their whole ids', () => {
    const plan = planAppend(headAfter(recording()), [entry('b'), entry('bb'), entry('')]);
    expect(plan.commits.map(({ message }) => message.event)).toEqual(['bb', '']);
    expect(plan.answers[0]).toMatchObject({ recorded: { fresh: false } });
    expect([...(plan.end?.seen ?? [])]).toEqual(['a', 'b', 'bb', '']);
  });

  test('that change nothing make no commit', () => {
    expect(planAppend(undefined, [entry('a', nothing)])).toMatchObject({
      commits: [],
      answers: [{ recorded: { state: undefined, fresh: false } }],
      end: undefined,
    });
  });

  test('that cannot be decided keep the others from nothing', () => {
    const fails: Decide = () => {
      throw new Error('no');
    };
    const plan = planAppend(undefined, [entry('a', fails), entry('b')]);
    expect(plan.answers).toMatchObject([{ failed: new Error('no') }, { recorded: { fresh: true } }]);
  });

  test('have ids of at most 500 characters, and times', () => {
    const [long, longer] = [500, 501].map((length) => 'x'.repeat(length));
    const plan = planAppend(undefined, [entry(long ?? ''), entry(longer ?? '')]);
    expect(plan.commits).toHaveLength(1);
    expect(plan.answers[1]).toMatchObject({
      failed: new Error(
        `could not record ${'x'.repeat(60)}…: its id has 501 characters, at most 500 are allowed`,
      ),
    });
    const timeless = entryFrom({ event: eventOf('t', 'soon'), decide: appendingId('t') }, undefined);
    expect(planAppend(undefined, [timeless]).answers).toMatchObject([
      { failed: new Error('could not read the time "soon"') },
    ]);
  });
});

describe('a state', () => {
  const numbered =
    (seq: number): Decide =>
    (state) => {
      const verdict = appendingId('n')(state);
      return verdict.outcome === 'next' ? { ...verdict, state: { ...verdict.state, seq } as State } : verdict;
    };

  test.each([2, 4, 0])('must follow the one before it: %i does not', (seq) => {
    const plan = planAppend(headAfter(recording()), [entry('n', numbered(seq))]);
    const failed = new Error(`could not record n: its state is number ${seq}, expected 3`);
    expect(plan).toMatchObject({ commits: [], answers: [{ failed }] });
  });

  test('that begins a ledger continues the number of a lost one, from 1 on', () => {
    expect(planAppend(undefined, [entry('n', numbered(42))]).commits).toHaveLength(1);
    const failed = new Error('could not record n: its state is number 0, expected 1');
    expect(planAppend(undefined, [entry('n', numbered(0))]).answers).toMatchObject([{ failed }]);
  });

  test('of an ended run is settled only when nothing is owed', () => {
    const owed = [{ id: 'e', do: 'close' } as const];
    const messages = [
      appendingId('a', { phase: 'done' }),
      appendingId('b', { phase: 'done', owed }),
      appendingId('c', { phase: 'paused' }),
    ].map((decide, index) => planAppend(undefined, [entry(`${index}`, decide)]).commits[0]?.message);
    expect(messages.map((message) => message?.settled)).toEqual([true, undefined, undefined]);
  });
});

describe('code', () => {
  const taken = appendingId('a', { code: true });

  test('is pushed with the event that takes it, and with no other', () => {
    expect(planAppend(undefined, [entry('a', taken, attached)]).code).toBe(move);
    expect(planAppend(undefined, [entry('a', appendingId('a'), attached)]).code).toBeUndefined();
    expect(planAppend(undefined, [entry('a', taken, attached), entry('b')]).code).toBe(move);
  });

  test('that changes nothing is left out for what is kept, if there is anything', () => {
    const still = { ...attached, code: { ...move, to: move.from } };
    expect(entry('a', taken, still).code).toBeUndefined();
    const kept = { ref: 'refs/coxswain/kept/7/b2', to: 'b2' };
    expect(entry('a', taken, { ...still, kept }).code).toBe(kept);
    expect(entry('a', taken, { otherwise: attached.otherwise, kept }).code).toBe(kept);
    expect(codeUpdate(kept)).toEqual({ ref: kept.ref, from: null, to: 'b2' });
    expect(codeUpdate(move)).toEqual({ ref: 'refs/heads/work', from: 'a1', to: 'b2' });
    expect([codeRef(kept), codeRef(move)]).toEqual([kept.ref, 'refs/heads/work']);
  });

  test('that the remote refuses leads to the other event, with the same files', () => {
    const other = withoutCode(entry('a', taken, attached), { kind: 'moved', message: 'it moved' });
    expect(other).toMatchObject({ event: { id: 'instead: it moved' }, artefacts: attached.artefacts });
    expect(other.code).toBeUndefined();
    const plain = entry('a');
    expect(withoutCode(plain, { kind: 'moved', message: '' })).toBe(plain);
    const { code: _, ...rest } = attached;
    const codeless = entry('a', taken, rest);
    expect(withoutCode(codeless, { kind: 'moved', message: '' })).toBe(codeless);
  });

  test('stays when only the files are refused, with a note of it', () => {
    const less = withoutArtefacts(entry('a', taken, attached), 'too large');
    const note = 'The artefacts were refused and left out: too large';
    expect(less).toMatchObject({ artefacts: [], note, code: move });
    expect(planAppend(undefined, [less]).commits[0]?.message.note).toBe(note);
    const plain = entry('a');
    expect(withoutArtefacts(plain, 'too large')).toBe(plain);
  });
});

describe('a file of a ledger', () => {
  const check = (path: string, content = '{}') => checkArtefact({ path, content });

  test('is below iterations, and is no log', () => {
    check('iterations/0/1/prompt.md', 'text');
    check('iterations/0/log.txt', 'text');
    for (const path of ['iterations', 'other/a.md', 'x/iterations/a.md', 'iterations/a.log', 'iterations//a'])
      expect(() => check(path)).toThrow(`could not keep an artefact as ${JSON.stringify(path)}`);
    for (const step of ['.', '..', '.git', '.GIT', '']) expect(() => check(`iterations/${step}/a`)).toThrow();
    expect(() => check('iterations/a\nb')).toThrow('not a valid path');
  });

  test('is JSON if its name says so', () => {
    check('iterations/a.json');
    expect(() => check('iterations/a.json', 'text')).toThrow(SyntaxError);
  });
});

describe('the size of a ledger', () => {
  function planned() {
    const [commit] = planAppend(undefined, [entry('a', appendingId('a'), attached)]).commits;
    if (commit === undefined) throw new Error('nothing was planned');
    return commit;
  }
  const holding = (...artefacts: readonly { path: string; content: string }[]) => ({
    ...planned(),
    artefacts,
  });
  const path = (name: string) => `iterations/${name}`;

  test('counts its files, and leaves small ones alone', () => {
    const { commits, sizes } = bounded(new Map([[path('b'), 3]]), [planned(), holding()]);
    expect(commits).toEqual([planned(), holding()]);
    expect([...sizes]).toEqual([
      [path('b'), 3],
      [path('0/a.md'), 5],
    ]);
  });

  test('is kept by replacing the oldest large files with notes', () => {
    const before = new Map([
      [path('10/a.md'), 1_000_000],
      [path('2/a.json'), maxPerRun - 500_000],
      [path('1/small.md'), 1023],
    ]);
    const { commits, sizes } = bounded(before, [holding({ path: path('11/a.md'), content: 'new' })]);
    const note = `${maxPerRun - 500_000} bytes were left out to keep this run's ledger within ${maxPerRun} bytes`;
    const content = `${JSON.stringify({ left_out: note })}\n`;
    expect(commits[0]?.artefacts).toEqual([
      { path: path('11/a.md'), content: 'new' },
      { path: path('2/a.json'), content },
    ]);
    expect(sizes.get(path('2/a.json'))).toBe(content.length);
    expect(sizes.get(path('10/a.md'))).toBe(1_000_000);
  });

  test('has the end of a file that is too long, from a whole character on', () => {
    expect(keptEnd('short')).toBe('short');
    expect(keptEnd('12345', 5)).toBe('12345');
    const cut = keptEnd(`${'x'.repeat(50)}äöü`, 17);
    expect(cut).toBe('[truncated]\nöü');
    expect(keptEnd('x'.repeat(30), 5)).toBe('[truncated]\n');
    const { commits } = bounded(new Map(), [
      holding({ path: path('a.md'), content: 'y'.repeat(maxPerOutput + 1) }),
    ]);
    expect(commits[0]?.artefacts[0]?.content).toBe(`[truncated]\n${'y'.repeat(maxPerOutput - 12)}`);
  });

  test('has the ends of a verifier’s output, and of its errors at least half', () => {
    const cut = (file: object) => {
      const content = JSON.stringify(file);
      const { commits } = bounded(new Map(), [holding({ path: path('a.json'), content })]);
      return JSON.parse(commits[0]?.artefacts[0]?.content ?? '');
    };
    const [stdout, stderr] = ['o'.repeat(maxPerOutput), 'e'.repeat(maxPerOutput)];
    const both = cut({ name: 'test', stdout, stderr });
    expect(both).toMatchObject({ name: 'test', truncated: true });
    expect([both.stdout.length, both.stderr.length]).toEqual([maxPerOutput / 2, maxPerOutput / 2]);
    const few = cut({ stdout, stderr: 'oh' });
    expect([few.stdout.length, few.stderr]).toEqual([maxPerOutput - 2, 'oh']);
    const other = { text: 'z'.repeat(maxPerOutput + 1) };
    expect(cut(other)).toEqual(other);
    const fits = { stdout: 'o'.repeat(maxPerOutput - 2), stderr: 'oh' };
    expect(cut(fits)).toEqual(fits);
    expect(cut({ text: 'z'.repeat(6 * maxPerOutput) })).toEqual({
      left_out: expect.stringContaining('bytes were left out'),
    });
  });
});
