import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LedgerDeclined } from '../../src/ledger/errors.ts';
import { outcomesRef } from '../../src/ledger/format.ts';
import { maxLines, Outcomes, outcomeLine, writeOutcomes } from '../../src/ledger/outcomes.ts';
import { parseSealKeys } from '../../src/seal/seal-keys.ts';
import { openSeals } from '../../src/seal/seals.ts';
import type { Outcome } from '../../src/steering/shapes/task.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { seals } from './identity.ts';

let server: GitServer;
let folder: string;
let notices: string[];

beforeEach(async () => {
  server = await startGitServer();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-outcomes-'));
  notices = [];
});

afterEach(async () => {
  await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
});

const others = openSeals(parseSealKeys(`other:${Buffer.alloc(32, 9).toString('base64')}`));

/** A process with its own folder. */
const processOf = (name = 'one', with_ = seals): Outcomes =>
  new Outcomes({
    ...{ dir: join(folder, name), remote: server.remote, repositoryId: 1, seals: with_ },
    onNotice: (text) => notices.push(text),
  });

const outcomeOf = (number: number, changed: Partial<Outcome> = {}): Outcome => ({
  ...{ version: 1, repository_id: 1, number, seq: 9, event: 'closed:x', outcome: 'merged' },
  ...{ approved_by: 'people', agents: ['scripted'], iterations: 1, attempts: 1, score: 1, band: 'high' },
  ...{ formula: '1', cost: {}, worked_s: 60, head: 'abc', base: 'main' },
  ...{ started_at: '2026-11-21T10:00:00Z', ended_at: '2026-11-21T11:00:00Z' },
  ...changed,
});

const stored = async (): Promise<readonly string[]> =>
  (await server.git('show', `${outcomesRef}:outcomes.jsonl`)).trim().split('\n');

/** Somebody with write access puts this file in the place of ours. */
async function force(lines: readonly string[]): Promise<void> {
  const file = `${lines.join('\n')}\n`;
  const at = '2026-11-21T12:00:00Z';
  const commit = await writeOutcomes(server.repository, { parent: null, file, subject: 'Mine', at });
  await server.git('update-ref', outcomesRef, commit);
}

const numbersIn = async (outcomes: Outcomes): Promise<readonly number[]> =>
  (await outcomes.read()).lines.map(({ outcome }) => outcome.number);

test('an outcome is there once, however often it is written', async () => {
  expect(await processOf().read()).toEqual({ lines: [] });
  await processOf().append(outcomeOf(7));
  // The process ended before it could note that it was done.
  await processOf('after a crash').append(outcomeOf(7));
  expect(await stored()).toHaveLength(1);
  expect(await numbersIn(processOf('two'))).toEqual([7]);
  expect(await server.git('rev-list', '--count', outcomesRef)).toBe('1');
});

test('a push that is forbidden is not tried again while others wait', async () => {
  server.failNext(/receive-pack/, { status: 403 });
  await expect(processOf().append(outcomeOf(7))).rejects.toThrow(LedgerDeclined);
  await processOf().append(outcomeOf(7));
  expect(await stored()).toHaveLength(1);
});

test('the later end of a run takes the place of the earlier one, in whatever order they come', async () => {
  const one = processOf();
  await one.append(outcomeOf(7, { outcome: 'rejected', seq: 20 }));
  await one.append(outcomeOf(7, { outcome: 'closed', seq: 10 }));
  await one.append(outcomeOf(8));
  expect((await one.read()).lines.map(({ outcome }) => [outcome.number, outcome.outcome])).toEqual([
    [7, 'rejected'],
    [8, 'merged'],
  ]);
  await one.append(outcomeOf(7, { outcome: 'merged', seq: 30 }));
  expect((await processOf('two').read()).lines.map(({ outcome }) => outcome.seq)).toEqual([9, 30]);
  expect(await stored()).toHaveLength(2);
});

test('several processes that write at once lose nothing', async () => {
  const numbers = [1, 2, 3, 4, 5, 6];
  await Promise.all(numbers.map((number) => processOf(`process ${number}`).append(outcomeOf(number))));
  expect([...(await numbersIn(processOf()))].sort()).toEqual(numbers);
  expect(await server.git('rev-list', '--count', outcomesRef)).toBe('6');
});

const attacks: readonly [string, (own: string) => string][] = [
  ['is written by hand', (own) => own.replace('"number":7', '"number":8')],
  ['has another outcome', (own) => own.replace('"merged"', '"closed"')],
  ['has another place', (own) => own.replace('"place":1', '"place":2')],
  ['has no seal', (own) => own.replace(/,"seal":"[^"]*"/, '')],
  ['is of another repository', () => outcomeLine(outcomeOf(7, { repository_id: 2 }), 1, seals)],
  ['is not JSON', () => 'merged!'],
  ['is no object', () => '7'],
];

test.each(attacks)('with a line that %s nothing counts', async (_, forged) => {
  await processOf().append(outcomeOf(7));
  const [own = ''] = await stored();
  await force([own, forged(own)]);
  expect(await processOf('two').read()).toEqual({
    lines: [],
    why: 'it has 1 line that Coxswain did not write',
  });
});

test('after a line that is not ours the next outcome begins anew, with those that are', async () => {
  await processOf().append(outcomeOf(7));
  const [own = ''] = await stored();
  await force([own, own.replace('"merged"', '"closed"')]);
  await processOf('two').append(outcomeOf(9));
  expect(await numbersIn(processOf('three'))).toEqual([7, 9]);
  expect(notices).toEqual([expect.stringContaining('was begun anew, because it has 1 line')]);
  const kept = await server.git('for-each-ref', '--format=%(refname)', 'refs/coxswain/broken');
  expect(kept).toMatch(/outcomes-/);
});

test('a line that is there twice counts once', async () => {
  await processOf().append(outcomeOf(7));
  const [own = ''] = await stored();
  await force([own, own, own]);
  expect(await numbersIn(processOf('two'))).toEqual([7]);
});

test('a ref that is deleted or reset is no history for a process that knew more', async () => {
  const [one, two] = [processOf('one'), processOf('two')];
  await one.append(outcomeOf(7));
  const before = await server.git('rev-parse', outcomesRef);
  await one.append(outcomeOf(8));
  await two.read();
  await server.git('update-ref', outcomesRef, before);
  expect(await two.read()).toEqual({ lines: [], why: 'it was reset to an older one' });
  await server.git('update-ref', '-d', outcomesRef);
  expect(await one.read()).toEqual({ lines: [], why: 'it is gone' });
  await one.append(outcomeOf(9));
  expect(await numbersIn(two)).toEqual([9]);
});

test('what is sealed with an unknown key counts for nothing here, and is kept', async () => {
  await processOf('one', others).append(outcomeOf(7));
  const one = processOf();
  const why = 'it is sealed with a key that is not known here';
  expect(await one.read()).toEqual({ lines: [], why });
  await one.append(outcomeOf(8));
  expect(await one.read()).toEqual({ lines: [], why });
  expect(await stored()).toHaveLength(2);
});

test('something else in place of the file is set aside', async () => {
  const blob = await server.git('hash-object', '-w', '--stdin');
  await server.git('update-ref', outcomesRef, blob);
  expect((await processOf().read()).why).toBe('it has no outcomes.jsonl of ours');
  await processOf('two').append(outcomeOf(7));
  expect(await numbersIn(processOf('three'))).toEqual([7]);
});

test('a ref below that of the outcomes does not keep them from being written', async () => {
  const blob = await server.git('hash-object', '-w', '--stdin');
  await server.git('update-ref', `${outcomesRef}/mine`, blob);
  await processOf().append(outcomeOf(7));
  expect(await numbersIn(processOf('two'))).toEqual([7]);
});

test('an outage is waited for, and a refusal is not', async () => {
  server.failNext(/git-receive-pack$/, 'cut_after');
  await processOf().append(outcomeOf(7));
  expect(await stored()).toHaveLength(1);
  await server.hook('pre-receive', 'echo "refs are protected here" >&2; exit 1');
  await expect(processOf().append(outcomeOf(8))).rejects.toThrow('refs are protected here');
});

test('ten thousand runs are read, and the oldest gives way to the next', { timeout: 60_000 }, async () => {
  const lines = Array.from({ length: maxLines }, (_, n) => outcomeLine(outcomeOf(n + 1), n + 1, seals));
  await force(lines);
  const one = processOf();
  expect((await one.read()).lines).toHaveLength(maxLines);
  await one.append(outcomeOf(maxLines + 1));
  const { lines: kept } = await one.read();
  expect(kept).toHaveLength(maxLines);
  expect([kept[0]?.outcome.number, kept.at(-1)?.outcome.number]).toEqual([2, maxLines + 1]);
});
