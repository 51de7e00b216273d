import { join } from 'node:path';
import { inTemporaryFolder } from '../git/temporary-folder.ts';
import type { Log } from '../github/octokit/connect.ts';
import {
  LedgerBroken,
  LedgerKeyLost,
  LedgerKeyUnknown,
  LedgerOfApp,
  LedgerTooNew,
} from '../ledger/errors.ts';
import { type LedgerSnapshot, openLedger, type RunLedger } from '../ledger/ledger.ts';
import { type ListedLedger, listLedgers } from '../ledger/list-ledgers.ts';
import { messageOf } from '../repository/faults.ts';
import { GitHubClock } from '../repository/github-clock.ts';
import type { Repository } from '../repository/repository.ts';
import { parseSealKeys } from '../seal/seal-keys.ts';
import { openSeals, type Seals } from '../seal/seals.ts';
import { decide } from '../steering/decide.ts';
import type { Phase } from '../steering/shapes/standing.ts';
import type { EventOf } from '../steering/state/event.ts';
import { shortened, visible } from '../text/characters.ts';
import type { AppSettings } from './environment/app-settings.ts';
import { Installations } from './installations.ts';
import { listRepositories } from './known-repositories.ts';

/** A ledger that the current key has not sealed. */
export interface LedgerSeal {
  /** `owner/repo#n` */
  readonly run: string;
  /** Null if the ledger could not be read. */
  readonly phase: Phase | null;
  /** The id of the key that its seal names, without what a terminal would obey; null if there is none. */
  readonly key: string | null;
  readonly commit: string;
  readonly outcome: 'listed' | 'sealed' | 'failed' | 'unreadable';
  /** Why it failed or cannot be read. */
  readonly trouble?: ReturnType<typeof troubleFrom>;
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
  return inTemporaryFolder('seal', async (data) => {
    const clock = new GitHubClock();
    const installations = new Installations({
      ...settings,
      data,
      log,
      onClient: (client) => clock.follow(client),
      onMirror: async () => undefined,
    });
    const seals = openSeals(parseSealKeys(settings.ledgerKey));
    const sealing = { data, seals, now: () => clock.now(), ...options };
    const found: LedgerSeal[] = [];
    for (const repository of await listRepositories(installations))
      found.push(...(await sealRepository(repository, sealing)));
    return found;
  });
}

interface Sealing extends SealOptions {
  /** A folder for what is fetched. */
  readonly data: string;
  readonly seals: Seals;
  now(): Date;
}

/** Seals the ledgers of one repository. */
export async function sealRepository(
  repository: Repository,
  sealing: Sealing,
): Promise<readonly LedgerSeal[]> {
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
    const found = { run, phase: state.standing.phase, key, commit };
    return sealing.write
      ? { ...found, ...(await write(ledger, snapshot, sealing)) }
      : { ...found, outcome: 'listed' };
  } catch (fault) {
    if (fault instanceof LedgerOfApp) return undefined;
    return {
      run,
      phase: null,
      key: keyIn(fault),
      commit,
      outcome: 'unreadable',
      trouble: troubleFrom(fault),
    };
  } finally {
    await ledger.close();
  }
}

/** The Action's ledgers have no seals. */
function needsSeal({ key, state }: LedgerSnapshot, { current }: Seals): boolean {
  return key !== current && state.run.presenter === 'app';
}

async function write(
  ledger: RunLedger,
  { state }: LedgerSnapshot,
  sealing: Sealing,
): Promise<Pick<LedgerSeal, 'outcome' | 'trouble'>> {
  const key = sealing.seals.current;
  const at = sealing.now().toISOString();
  const event: EventOf<'sealed'> = { type: 'sealed', id: `sealed:${key}@${state.seq}`, at, key };
  try {
    await ledger.record(event, (before) => decide(before, event));
    return { outcome: 'sealed' };
  } catch (fault) {
    return { outcome: 'failed', trouble: troubleFrom(fault) };
  }
}

const anew = 'someone with the maintain role can use /resume on the pull request, which starts the run over';

/** Why a ledger cannot be read or sealed, and what an operator can do. Sentences without their full stops. */
function troubleFrom(fault: unknown): { readonly why: string; readonly remedy: string } {
  const key = `the key \`${keyIn(fault)}\``;
  if (fault instanceof LedgerKeyUnknown) {
    return fault.retired
      ? {
          why: `${key} is retired, but this run is open`,
          remedy: 'Remove the - before it until it is sealed again',
        }
      : { why: `${key} is not in COXSWAIN_LEDGER_KEY`, remedy: `Add it; if it is gone, ${anew}` };
  }
  if (fault instanceof LedgerKeyLost)
    return { why: `${key} is declared lost`, remedy: `Nothing it sealed is believed: ${anew}` };
  const why = visible(messageOf(fault));
  if (fault instanceof LedgerTooNew) return { why, remedy: 'Upgrade Coxswain' };
  if (fault instanceof LedgerBroken) return { why, remedy: `It is not believed: ${anew}` };
  return { why, remedy: 'Try again later' };
}

/** An id of ours is short; whatever else stands there is cut. */
const maxKey = 40;

/** The id of the key that stands in the way, without what a terminal would obey; null if it is not a key. */
function keyIn(fault: unknown): string | null {
  if (!(fault instanceof LedgerKeyUnknown || fault instanceof LedgerKeyLost)) return null;
  return shortened(visible(fault.key), maxKey);
}
