import { listRemote } from '../../src/git/remote.ts';
import { openLedger, type RunLedger } from '../../src/ledger/ledger.ts';
import type { Phase } from '../../src/steering/shapes/standing.ts';
import { sealedBy } from './identity.ts';
import { appendingId, eventOf } from './sample.ts';

/** The JSON on a writer's command line. */
export interface Orders {
  readonly name: string;
  readonly url: string;
  readonly dir: string;
  readonly rounds: number;
  /** The object store with the commits for the branch, and their names, oldest first; none: no code. */
  readonly objects: string;
  readonly commits: readonly string[];
}

export const branch = 'coxswain/fix-1';

/** A process that writes to the shared ledger: its own events, and one that all writers record. */
async function write(orders: Orders): Promise<void> {
  const { dir, url, rounds, objects } = orders;
  const ledger = openLedger({
    ...sealedBy,
    dir,
    remote: { url },
    number: 7,
    objects: [objects],
    onFault: fail,
  });
  for (let round = 0; round < rounds; round++) {
    const id = `${orders.name}-${round}`;
    await Promise.all([
      ledger.record(eventOf(id), appendingId(id, { phase: phaseIn(round) })),
      ledger.record(eventOf(`${id}-too`), appendingId(`${id}-too`)),
      ledger.record(eventOf(`all-${round}`), appendingId(`all-${round}`)),
    ]);
    if (orders.commits.length > 0) await bringCode(ledger, orders, `${id}-code`);
  }
  await ledger.close();
}

/** The run closes and is reopened again and again. */
function phaseIn(round: number): Phase {
  return round % 2 === 0 ? 'done' : 'queued';
}

/** Moves the branch by one commit, or tries to if it should have been deleted. */
async function bringCode(ledger: RunLedger, { url, commits }: Orders, id: string): Promise<void> {
  const seen = (await listRemote({ url }, [`refs/heads/${branch}`])).get(`refs/heads/${branch}`);
  const namespace = seen === undefined ? 0 : commits.indexOf(seen);
  const from = commits[namespace] ?? '';
  const to = commits[namespace + 1] ?? '';
  const refused = `${id}-refused`;
  const otherwise = () => ({ event: eventOf(refused), decide: appendingId(refused) });
  await ledger
    .withAttachments({ code: { branch, from, to }, otherwise })
    .record(eventOf(id), appendingId(id, { code: true }));
}

function fail(error: unknown): never {
  throw error;
}

await write(JSON.parse(process.argv[2] ?? '{}') as Orders); // the parent is the only one who starts this
