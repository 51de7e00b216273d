import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readObjects } from '../../src/git/objects.ts';
import { trailersOf } from '../../src/ledger/format.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { type WorkCopy, workCopy } from '../git/work-copy.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf, saidIn } from './sample.ts';
import type { Orders } from './writer.ts';

const branch = 'coxswain/fix-1';

let built: string;
let server: GitServer;
let work: WorkCopy;
let folder: string;
let commits: string[];

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'coxswain-writer-'));
  const bundle = await rolldown({ input: join(import.meta.dirname, 'writer.ts'), platform: 'node' });
  await bundle.write({ file: join(built, 'writer.mjs'), format: 'esm' });
  await bundle.close();
});

afterAll(() => rm(built, { recursive: true, force: true }));

beforeEach(async () => {
  server = await startGitServer();
  work = await workCopy();
  folder = await mkdtemp(join(tmpdir(), 'coxswain-writers-'));
  commits = [await work.commit()];
  await work.git('push', '--quiet', server.repository, `HEAD:refs/heads/${branch}`);
  for (let count = 0; count < 12; count++) commits.push(await work.commit({ 'a.txt': `${count}\n` }));
});

afterEach(async () => {
  await Promise.all([server.close(), work.remove(), rm(folder, { recursive: true, force: true })]);
});

const start = (name: string, orders: Partial<Orders> = {}): ChildProcess => {
  const all: Orders = {
    name,
    url: server.remote.url,
    dir: join(folder, name),
    rounds: 3,
    objects: join(work.gitDir, 'objects'),
    commits: [],
    ...orders,
  };
  return spawn(process.execPath, [join(built, 'writer.mjs'), JSON.stringify(all)], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
};

/** How a writer ended, with what it complained about. */
const endOf = async (writer: ChildProcess): Promise<{ code: number; stderr: string }> => {
  let stderr = '';
  writer.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [code] = await once(writer, 'close');
  return { code, stderr };
};

const idsOf = (name: string, rounds: number): string[] =>
  Array.from({ length: rounds }, (_, round) => [`${name}-${round}`, `${name}-${round}-too`]).flat();

interface Link {
  readonly sha: string;
  readonly parents: number;
  readonly event: string | undefined;
  readonly seq: number | undefined;
  readonly said: readonly string[];
  readonly logged: readonly string[];
}

/** Every commit of the ledger, oldest first, with the content of its tree. */
const chain = async (): Promise<readonly Link[]> => {
  const ref = await server.git('for-each-ref', '--format=%(refname)', 'refs/coxswain');
  expect(ref.split('\n')).toHaveLength(1);
  const shas = (await server.git('log', '--reverse', '--format=%H', ref)).split('\n');
  const names = shas.flatMap((sha) => [sha, `${sha}:state.json`, `${sha}:events.jsonl`]);
  const objects = await readObjects(server.repository, names);
  return shas.map((sha, index) => {
    const [commit = '', state = '', log = ''] = objects
      .slice(index * 3, index * 3 + 3)
      .map((each) => each?.content);
    const logged = log
      .trim()
      .split('\n')
      .map((line) => String(JSON.parse(line).id));
    const parents = commit.match(/^parent /gm)?.length ?? 0;
    return { sha, parents, ...trailersOf(commit), said: saidIn(JSON.parse(state)), logged };
  });
};

const expectSound = (links: readonly Link[]): void => {
  const events = links.map(({ event }) => event);
  for (const [index, link] of links.entries()) {
    const soFar = events.slice(0, index + 1);
    expect(link).toMatchObject({ parents: index === 0 ? 0 : 1, seq: index + 1, said: soFar, logged: soFar });
  }
};

test('eight processes lose nothing, record nothing twice and revive nothing', {
  timeout: 150_000,
}, async () => {
  const names = Array.from({ length: 8 }, (_, index) => `writer-${index}`);
  const writers = names.map((name, index) => start(name, index < 2 ? { commits, rounds: 3 } : { rounds: 2 }));
  const ends = writers.map(endOf);
  const head = () => server.git('rev-parse', `refs/heads/${branch}`);
  await expect.poll(head, { timeout: 60_000 }).not.toBe(commits[0]);
  await server.git('update-ref', '-d', `refs/heads/${branch}`); // a human deletes the branch
  expect(await Promise.all(ends)).toEqual(names.map(() => ({ code: 0, stderr: '' })));

  const links = await chain();
  expectSound(links);
  const events = links.map(({ event }) => String(event));
  expect(new Set(events).size).toBe(events.length);
  const shared = ['all-0', 'all-1', 'all-2'];
  const plain = events.filter((id) => !id.includes('-code'));
  expect(plain.sort()).toEqual(
    [...names.flatMap((name, index) => idsOf(name, index < 2 ? 3 : 2)), ...shared].sort(),
  );
  const code = events.filter((id) => id.includes('-code')).map((id) => id.replace('-refused', ''));
  expect(code.sort()).toEqual(
    ['writer-0', 'writer-1'].flatMap((name) => [0, 1, 2].map((n) => `${name}-${n}-code`)),
  );
  expect(events.some((id) => id.endsWith('-refused'))).toBe(true);
  expect(await server.git('for-each-ref', 'refs/heads')).toBe('');
});

test('a writer that is killed between writing and pushing leaves nothing behind', async () => {
  const ledger = openLedger({
    ...sealedBy,
    dir: join(folder, 'first'),
    remote: server.remote,
    number: 7,
    onFault: () => undefined,
  });
  await ledger.record(eventOf('begin'), appendingId('begin'));
  const held = server.hold(/info\/refs\?service=git-receive-pack/);
  const doomed = start('doomed', { rounds: 1 });
  await held;
  doomed.kill('SIGKILL');
  await once(doomed, 'exit');
  expect((await chain()).map(({ event }) => event)).toEqual(['begin']);

  const again = start('doomed', { rounds: 1 });
  expect((await once(again, 'exit'))[0]).toBe(0);
  const links = await chain();
  expectSound(links);
  expect(links.map(({ event }) => event)).toEqual(['begin', 'doomed-0', 'doomed-0-too', 'all-0']);
});
