import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '../../src/git/git.ts';
import { type AppFixture, name } from './app-fixture.ts';
import type { PullClient } from './pull-client.ts';

/**
 * Pushes, as Bob, the newest commit of a ledger once more, with a higher number and a key that nobody knows:
 * nothing can be recorded then. Returns how to put the ledger back.
 */
export async function freezeLedger(
  { forge, bob }: Pick<AppFixture, 'forge' | 'bob'>,
  pull: PullClient,
): Promise<() => Promise<void>> {
  const { ref } = await pull.ledger();
  let original = '';
  await inClone(async (run, url) => {
    await run(['fetch', '--quiet', url, `${ref}:${ref}`]);
    original = await run(['rev-parse', ref]);
    const message = (await run(['log', '-1', '--format=%B', ref]))
      .replace(/Coxswain-Seq: (\d+)/, (_, seq) => `Coxswain-Seq: ${Number(seq) + 5}`)
      .replace(/(Coxswain-Seal: v1) \S+/, '$1 nobodys');
    const commit = await run(['commit-tree', `${ref}^{tree}`, '-p', ref, '-F', '-'], `${message}\n`);
    await run([
      'push',
      '--quiet',
      '--force',
      url,
      `${commit}:${ref}`,
      `${original}:refs/original/${pull.number}`,
    ]);
  });
  return () =>
    inClone(async (run, url) => {
      await run(['fetch', '--quiet', url, `refs/original/${pull.number}`]);
      await run(['push', '--quiet', '--force', url, `${original}:${ref}`]);
    });

  async function inClone(
    act: (run: (args: readonly string[], input?: string) => Promise<string>, url: string) => Promise<void>,
  ): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'coxswain-freezer-'));
    const url = `${forge.url}/${name}.git`;
    const remote = { url, token: async () => bob.token };
    const run = async (args: readonly string[], input = '') =>
      (await git(args, { cwd: dir, env: identity, input, remote })).trim();
    try {
      await run(['init', '--quiet', '--bare', dir]);
      await act(run, url);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
}

const identity = {
  GIT_AUTHOR_NAME: 'Mallory',
  GIT_AUTHOR_EMAIL: 'mallory@example.org',
  GIT_COMMITTER_NAME: 'Mallory',
  GIT_COMMITTER_EMAIL: 'mallory@example.org',
};
