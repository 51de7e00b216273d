import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '../../src/git/git.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';

/** A run's ledger as read with Git. */
export interface LedgerContent {
  readonly ref: string;
  readonly state: State;
  readonly events: readonly Event[];
  /** Of the newest commit, in order. */
  readonly paths: readonly string[];
  /** Oldest first. */
  readonly commits: readonly { readonly sha: string; readonly parents: number; readonly subject: string }[];
}

/** Reads the ledger of a pull request; undefined if there is none, throws if there are several. */
export async function readLedger(
  url: string,
  token: string,
  number: number,
): Promise<LedgerContent | undefined> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-ledger-'));
  try {
    const remote = { url, token: async () => token };
    await git(['init', '--quiet', '--bare', dir]);
    const pattern = `+refs/coxswain/*/${number}:refs/coxswain/*/${number}`;
    await git(['fetch', '--quiet', url, pattern], { cwd: dir, remote });
    const refs = (await git(['for-each-ref', '--format=%(refname)'], { cwd: dir })).trim().split('\n');
    const [ref = '', ...others] = refs;
    if (others.length > 0) throw new Error(`#${number} has the ledgers ${refs.join(', ')}`);
    return ref === '' ? undefined : await readAt(dir, ref);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readAt(dir: string, ref: string): Promise<LedgerContent> {
  const show = (path: string) => git(['show', `${ref}:${path}`], { cwd: dir });
  const log = await git(['log', '--reverse', '--format=%H%x09%P%x09%s', ref], { cwd: dir });
  const commits = log
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([sha = '', parents = '', subject = '']) => {
      return { sha, parents: parents.split(' ').filter(Boolean).length, subject };
    });
  const lines = (await show('events.jsonl')).trim().split('\n');
  // Our own files, just written by the code under test.
  const events = lines.map((line) => JSON.parse(line) as Event);
  const tree = await git(['ls-tree', '-r', '--name-only', ref], { cwd: dir });
  const paths = tree.trim().split('\n');
  return { ref, commits, events, paths, state: JSON.parse(await show('state.json')) as State };
}

/** Checks the invariants of every ledger: linear history, one commit per event, and no duplicate event. */
export function problemsIn({ commits, events, state }: LedgerContent): readonly string[] {
  const ids = events.map(({ id }) => id);
  const problems = [
    commits.some(({ parents }, index) => parents !== Math.min(index, 1)) && 'the history is not linear',
    new Set(ids).size !== ids.length && `duplicate event: ${ids.join(' ')}`,
    commits.length !== events.length && `${events.length} events, but ${commits.length} commits`,
    state.seq !== commits.length && `the state says ${state.seq}, but there are ${commits.length} commits`,
  ];
  return problems.filter((problem) => problem !== false);
}
