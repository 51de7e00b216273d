import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { unsealed } from './identity.ts';
import { appendingId, eventOf } from './sample.ts';

const open7 = 'refs/coxswain/open/7';
const closed7 = 'refs/coxswain/closed/7';

test('the log of a ledger is what Git lists, whoever wrote it and wherever it is', async () => {
  const { server, open } = await started();
  const one = open('one');
  await record(one, 'a');
  await record(one, 'b');
  const commits = await listed(server, open7);
  expect(commits.map(({ subject }) => subject)).toEqual(['Note a', 'Note b']);
  expect(Date.parse(commits[0]?.at ?? '')).toBe(Date.parse(eventOf('a').at));
  expect(await one.log()).toEqual({ ref: open7, commits, omitted: 0 });
  // Another process has read only the newest commit.
  const two = open('two');
  await two.read();
  expect(await two.log()).toEqual({ ref: open7, commits, omitted: 0 });
  await record(two, 'c', 'done');
  const log = await one.log();
  expect(log).toEqual({ ref: closed7, commits: await listed(server, closed7), omitted: 0 });
  expect(log?.commits).toHaveLength(3);
});

test('a ledger that does not exist has no log', async () => {
  const { open } = await started();
  expect(await open('one').log()).toBeUndefined();
});

async function started(): Promise<{ server: GitServer; open: (name: string) => RunLedger }> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-log-'));
  const server = await startGitServer();
  const opened: RunLedger[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((ledger) => ledger.close()));
    await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
  });
  const open = (name: string) => {
    const place = { dir: join(folder, name), remote: server.remote, number: 7 };
    const ledger = openLedger({ ...unsealed, ...place, onFault: () => undefined });
    opened.push(ledger);
    return ledger;
  };
  return { server, open };
}

function record(ledger: RunLedger, id: string, phase?: 'done') {
  return ledger.record(eventOf(id), appendingId(id, phase && { phase }));
}

async function listed(server: GitServer, ref: string) {
  const lines = (await server.git('log', '--reverse', '--format=%cI|%s', ref)).split('\n');
  return lines.map((line) => {
    const [at = '', subject = ''] = line.split('|');
    return { at, subject };
  });
}
