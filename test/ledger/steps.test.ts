import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LedgerBroken } from '../../src/ledger/errors.ts';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import { type LedgerStep, type LedgerSteps, readSteps } from '../../src/ledger/ledger-steps.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { unsealed } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';

const open7 = 'refs/coxswain/open/7';

test('the steps of a ledger are its events with the states before and after them, whoever reads', async () => {
  const { open } = await started();
  const one = open('one');
  for (const id of ['a', 'b', 'c']) await record(one, id);
  const all = ['1 a: a', '2 b: a -> a b', '3 c: a b -> a b c'];
  expect(told(await one.steps(0))).toEqual(all);
  expect(told(await one.steps(2))).toEqual(all.slice(2));
  expect(await one.steps(3)).toEqual({ steps: [], hasMore: false });
  const two = open('two');
  expect(told(await two.steps(1))).toEqual(all.slice(1));
  expect(told(await two.steps(0))).toEqual(all);
});

test('each entry of a ledger that was written in one push is a step, and a run that ended has them too', async () => {
  const { open } = await started();
  const one = open('one');
  await record(one, 'a');
  await Promise.all(['b', 'c', 'd'].map((id) => record(one, id)));
  await record(one, 'e', 'done');
  const two = open('two');
  await two.read();
  await record(two, 'f');
  expect(told(await two.steps(4)).slice(0, 1)).toEqual(['5 e: a b c d -> a b c d e']);
  expect(told(await one.steps(0))).toHaveLength(6);
});

test('what a process records itself, it is told in order and as it would read it', async () => {
  const { open } = await started();
  const heard: LedgerStep[] = [];
  const one = open('one', (steps) => heard.push(...steps));
  await Promise.all(['a', 'b'].map((id) => record(one, id)));
  one.defer(eventOf('c'), appendingId('c'));
  await record(open('two'), 'x');
  await record(one, 'a');
  await record(one, 'd');
  expect(heard.map(({ seq, event }) => `${seq} ${event.id}`)).toEqual(['1 a', '2 b', '4 c', '5 d']);
  const read = (await open('three').steps(0))?.steps ?? [];
  expect(heard).toEqual(read.filter(({ seq }) => seq !== 3));
});

test('a ledger that does not exist has no steps', async () => {
  const { open } = await started();
  expect(await open('one').steps(0)).toBeUndefined();
});

test('a ledger that was begun anew begins without a state before it, whatever number is asked for', async () => {
  const { server, open } = await started();
  const one = open('one');
  for (const id of ['a', 'b', 'c']) await record(one, id);
  await server.git('update-ref', open7, await commitOf(server, `${open7}^{tree}`));
  const anew = open('two').recreating();
  await anew.record(eventOf('z'), () => {
    const decided = appendingId('z')(undefined);
    if (decided.outcome !== 'next') throw new Error('the event is recorded');
    return { ...decided, state: { ...decided.state, seq: 40 } };
  });
  const three = open('three');
  await record(three, 'y');
  for (const after of [0, 3, 39, 500]) {
    expect(told(await three.steps(after))).toEqual(['40 z: z', '41 y: z -> z y']);
  }
  expect(told(await three.steps(40))).toEqual(['41 y: z -> z y']);
});

test('only so many steps are read at once, and the answer says when there are more', async () => {
  const { open } = await started();
  const one = open('one');
  const ids = Array.from({ length: 620 }, (_, index) => `e${index + 1}`);
  await Promise.all(ids.map((id) => record(one, id)));
  const first = await open('two').steps(10);
  expect(first?.hasMore).toBe(true);
  expect(first?.steps.map(({ event }) => event.id)).toEqual(ids.slice(10, 510));
  const rest = await open('two').steps(510);
  expect(rest?.hasMore).toBe(false);
  expect(rest?.steps.map(({ seq }) => seq)).toEqual(ids.slice(510).map((id) => Number(id.slice(1))));
});

test('the steps are read from any repository that has the commits, without a key', async () => {
  const { server, open } = await started();
  const one = open('one');
  for (const id of ['a', 'b', 'c']) await record(one, id);
  const commit = await server.git('rev-parse', `${open7}~1`);
  expect(told(await readSteps(server.repository, commit, 1))).toEqual(['2 b: a -> a b']);
});

test('commits that do not have one event each are refused', async () => {
  const { server, open } = await started();
  const one = open('one');
  for (const id of ['a', 'b']) await record(one, id);
  const tree = `${open7}^{tree}`;
  const twice = await commitOf(server, '-p', open7, tree);
  await expect(readSteps(server.repository, twice, 0)).rejects.toThrow(LedgerBroken);
  const cut = await commitOf(server, tree);
  await expect(readSteps(server.repository, cut, 0)).rejects.toThrow('only 1 of 2 commits are there');
});

/** A commit that is not Coxswain's. */
function commitOf(server: GitServer, ...what: readonly string[]): Promise<string> {
  const somebody = ['-c', 'user.name=x', '-c', 'user.email=x'];
  return server.git(...somebody, 'commit-tree', '-m', 'x', ...what);
}

function told(read: LedgerSteps | undefined): readonly string[] {
  return (read?.steps ?? []).map(({ seq, event, before, after }) => {
    const was = before === undefined ? '' : `${saidIn(before).join(' ')} -> `;
    return `${seq} ${event.id}: ${was}${saidIn(after).join(' ')}`;
  });
}

type Open = (name: string, onSteps?: (steps: readonly LedgerStep[]) => void) => RunLedger;

async function started(): Promise<{ server: GitServer; open: Open }> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-steps-'));
  const server = await startGitServer();
  const opened: RunLedger[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((ledger) => ledger.close()));
    await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
  });
  const open: Open = (name, onSteps = () => undefined) => {
    const place = { dir: join(folder, name), remote: server.remote, number: 7 };
    const ledger = openLedger({ ...unsealed, ...place, onSteps, onFault: () => undefined });
    opened.push(ledger);
    return ledger;
  };
  return { server, open };
}

function record(ledger: RunLedger, id: string, phase?: 'done') {
  return ledger.record(eventOf(id), appendingId(id, phase && { phase }));
}
