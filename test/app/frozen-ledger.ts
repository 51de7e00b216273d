import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitError, git } from '../../src/git/git.ts';
import { type AppFixture, name } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import type { PullClient } from './pull-client.ts';

/**
 * Pushes, as Bob, the newest commit of a ledger once more, with a higher number and a key that nobody knows:
 * nothing can be recorded then. Returns how to put the ledger back.
 */
export async function freezeLedger(place: Place, pull: PullClient): Promise<() => Promise<void>> {
  const { ref } = await pull.ledger();
  await inClone(place, async (run, url) => {
    const freezeOnce = async () => {
      await run(['fetch', '--quiet', '--force', url, `${ref}:${ref}`]);
      const message = (await run(['log', '-1', '--format=%B', ref]))
        .replace(/Coxswain-Seq: (\d+)/, (_, seq) => `Coxswain-Seq: ${Number(seq) + 5}`)
        .replace(/(Coxswain-Seal: v1) \S+/, '$1 nobodys');
      const commit = await run(['commit-tree', `${ref}^{tree}`, '-p', ref, '-F', '-'], `${message}\n`);
      const targets = [`${commit}:${ref}`, `${ref}:refs/original/${pull.number}`];
      await run(['push', '--quiet', '--force', '--atomic', url, ...targets]);
      return true;
    };
    // The App may be writing it.
    await eventually(`the ledger of #${pull.number} to be frozen`, () => freezeOnce().catch(unlessMoved));
  });
  return () => putBack(place, pull, ref);
}

function unlessMoved(fault: unknown): undefined {
  if (fault instanceof GitError && /cannot lock ref/.test(fault.stderr)) return undefined;
  throw fault;
}

/** Deletes a ledger as Bob. Returns how to put it back. */
export async function removeLedger(place: Place, pull: PullClient): Promise<() => Promise<void>> {
  const { ref } = await pull.ledger();
  await inClone(place, async (run, url) => {
    await run(['fetch', '--quiet', url, `${ref}:${ref}`]);
    await run(['push', '--quiet', url, `${ref}:refs/original/${pull.number}`, `:${ref}`]);
  });
  return () => putBack(place, pull, ref);
}

type Place = Pick<AppFixture, 'forge' | 'bob'>;

function putBack(place: Place, { number }: PullClient, ref: string): Promise<void> {
  return inClone(place, async (run, url) => {
    await run(['fetch', '--quiet', url, `refs/original/${number}`]);
    await run(['push', '--quiet', '--force', url, `FETCH_HEAD:${ref}`]);
  });
}

type Git = (args: readonly string[], input?: string) => Promise<string>;

async function inClone({ forge, bob }: Place, act: (run: Git, url: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-freezer-'));
  const url = `${forge.url}/${name}.git`;
  const remote = { url, token: async () => bob.token };
  const run: Git = async (args, input = '') =>
    (await git(args, { cwd: dir, env: identity, input, remote })).trim();
  try {
    await run(['init', '--quiet', '--bare', dir]);
    await act(run, url);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const identity = {
  GIT_AUTHOR_NAME: 'Mallory',
  GIT_AUTHOR_EMAIL: 'mallory@example.org',
  GIT_COMMITTER_NAME: 'Mallory',
  GIT_COMMITTER_EMAIL: 'mallory@example.org',
};
