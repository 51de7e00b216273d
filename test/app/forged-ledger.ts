import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '../../src/git/git.ts';
import { messageOf, sealedCommit, textAbove } from '../../src/ledger/format.ts';
import type { State } from '../../src/steering/state/state.ts';
import { seals } from '../ledger/identity.ts';
import { type AppFixture, name } from './app-fixture.ts';
import type { Person } from './person.ts';
import type { PullClient } from './pull-client.ts';

/** What someone puts into a ledger. */
interface Forgery {
  readonly pull: PullClient;
  readonly change: (state: State) => State;
  /** What its commit and its newest event say. */
  readonly words?: string;
  /** Seals it as the App does, with a key that was stolen from its operator. */
  readonly sealed?: true;
}

/** Pushes a changed state to the ledger as a person with write access; the result, whose commit is returned, is well-formed. */
export async function forgeLedger(
  { forge }: AppFixture,
  by: Person,
  { pull, change, sealed, words = 'Mark effects as done' }: Forgery,
): Promise<string> {
  const { ref, state, events } = await pull.ledger();
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-forger-'));
  const url = `${forge.url}/${name}.git`;
  const remote = { url, token: async () => by.token };
  const run = async (args: readonly string[], input = '') =>
    (await git(args, { cwd: dir, env: identity, input, remote })).trim();
  try {
    await run(['init', '--quiet', '--bare', dir]);
    await run(['fetch', '--quiet', url, `${ref}:${ref}`]);
    const forged = { ...change(state), seq: state.seq + 1 };
    const event = { type: 'settled', id: 'settled:forged', at: state.updated_at, paid: [words] };
    const log = [...events, event].map((each) => `${JSON.stringify(each)}\n`).join('');
    const files = { 'state.json': JSON.stringify(forged), 'events.jsonl': log };
    const blobs = Object.entries(files).map(async ([path, content]) => {
      return `100644 blob ${await run(['hash-object', '-w', '--stdin'], content)}\t${path}\n`;
    });
    const tree = await run(['mktree'], (await Promise.all(blobs)).join(''));
    const parts = { subject: words, event: event.id, seq: forged.seq };
    const place = {
      repositoryId: state.run.repository_id,
      number: state.run.number,
      namespace: 'open',
    } as const;
    const content = { tree, parent: await run(['rev-parse', ref]), state: files['state.json'], log };
    const seal = seals.seal(sealedCommit({ ...place, ...content, ...parts, above: textAbove(parts) }));
    const message = messageOf(parts, sealed && seal);
    const commit = await run(['commit-tree', tree, '-p', ref, '-F', '-'], message);
    await run(['push', '--quiet', '--force', url, `${commit}:${ref}`]);
    return commit;
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
