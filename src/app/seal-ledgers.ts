import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../github/octokit/connect.ts';
import { LedgerOfApp } from '../ledger/errors.ts';
import { type LedgerSnapshot, openLedger, type RunLedger } from '../ledger/ledger.ts';
import { type ListedLedger, listLedgers } from '../ledger/list.ts';
import { messageOf } from '../runs/faults.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import type { Repository } from '../runs/repository.ts';
import { parseSealKeys } from '../seal/keys.ts';
import { openSeals, type Seals } from '../seal/seals.ts';
import { decide } from '../steering/decide.ts';
import type { EventOf } from '../steering/event.ts';
import { Installations } from './installations.ts';
import { listRepositories } from './repositories.ts';
import type { AppSettings } from './settings.ts';

/** A ledger that the current key has not sealed. */
export interface LedgerSeal {
  /** `owner/repo#n` */
  readonly run: string;
  readonly phase: string;
  /** The id of the key that sealed it; null if none did. */
  readonly key: string | null;
  readonly commit: string;
  /** `unchanged` if it was only listed; otherwise `sealed`, or why that was not possible. */
  readonly outcome: string;
}

interface SealOptions {
  /** Also the ledgers of ended runs. */
  readonly closed: boolean;
  /** Seals what it finds, as it is. */
  readonly write: boolean;
}

/**
 * Finds the ledgers of all installations that the current key has not sealed, and seals them on request.
 * A ledger without a seal may be anybody's, so only the operator can decide to believe it.
 */
export async function sealLedgers(
  settings: AppSettings,
  options: SealOptions,
  log: Log,
): Promise<readonly LedgerSeal[]> {
  const data = await mkdtemp(join(tmpdir(), 'coxswain-seal-'));
  const clock = new GitHubClock();
  const onClient: ConstructorParameters<typeof Installations>[0]['onClient'] = (client) =>
    clock.follow(client);
  const installations = new Installations({
    ...settings,
    data,
    log,
    onClient,
    onMirror: async () => undefined,
  });
  const sealing = {
    data,
    seals: openSeals(parseSealKeys(settings.ledgerKey)),
    now: () => clock.now(),
    ...options,
  };
  try {
    const found: LedgerSeal[] = [];
    for (const repository of await listRepositories(installations))
      found.push(...(await sealRepository(repository, sealing)));
    return found;
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

interface Sealing extends SealOptions {
  readonly data: string;
  readonly seals: Seals;
  now(): Date;
}

async function sealRepository(repository: Repository, sealing: Sealing): Promise<readonly LedgerSeal[]> {
  const dir = join(sealing.data, String(repository.id), 'all');
  const ledgers = await listLedgers(dir, repository.remote);
  const found: LedgerSeal[] = [];
  for (const ledger of ledgers.filter(({ namespace }) => sealing.closed || namespace === 'open')) {
    const result = await sealOne(repository, ledger, sealing);
    if (result !== undefined) found.push(result);
  }
  return found;
}

/** Undefined if there is nothing to seal. */
async function sealOne(
  repository: Repository,
  { number, commit }: ListedLedger,
  sealing: Sealing,
): Promise<LedgerSeal | undefined> {
  const run = `${repository.owner}/${repository.name}#${number}`;
  const ledger = openLedger({
    dir: join(sealing.data, String(repository.id), String(number)),
    remote: repository.remote,
    repositoryId: repository.id,
    number,
    presenter: 'app',
    seals: sealing.seals,
    unsealed: 'accepted',
    onFault: () => undefined,
  });
  try {
    const snapshot = await ledger.read();
    if (snapshot === undefined || !needsSeal(snapshot, sealing.seals)) return undefined;
    const { state, key } = snapshot;
    const outcome = sealing.write ? await write(ledger, snapshot, sealing) : 'unchanged';
    return { run, phase: state.standing.phase, key, commit, outcome };
  } catch (fault) {
    if (fault instanceof LedgerOfApp) return undefined;
    return { run, phase: '-', key: null, commit, outcome: `could not be read: ${messageOf(fault)}` };
  } finally {
    await ledger.close();
  }
}

/** The Action's ledgers have no seals. */
function needsSeal({ key, state }: LedgerSnapshot, { current }: Seals): boolean {
  return key !== current && state.run.presenter === 'app';
}

async function write(ledger: RunLedger, { state }: LedgerSnapshot, sealing: Sealing): Promise<string> {
  const key = sealing.seals.current;
  const at = sealing.now().toISOString();
  const event: EventOf<'sealed'> = { type: 'sealed', id: `sealed:${key}@${state.seq}`, at, key };
  try {
    await ledger.record(event, (before) => decide(before, event));
    return 'sealed';
  } catch (fault) {
    return `could not be sealed: ${messageOf(fault)}`;
  }
}
