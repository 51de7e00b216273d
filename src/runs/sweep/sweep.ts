import { join } from 'node:path';
import { hasLabel, ourLabel, setupBranch } from '../../github/names.ts';
import { type OpenPull, openPulls } from '../../github/read/pulls.ts';
import { type ListedLedger, listLedgers } from '../../ledger/list.ts';
import { messageOf } from '../faults.ts';
import { checkUnread } from '../finish/check-again.ts';
import type { LiveRuns } from '../live-runs.ts';
import type { Repository } from '../repository.ts';
import { findLostLedgers, reportSweepFault } from '../restore/find-lost.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import type { StartOptions } from '../start/starting.ts';
import type { SweepOptions } from './release-lost.ts';
import { type Ended, sweepEnded } from './sweep-ended.ts';
import { sweepReopened } from './sweep-reopened.ts';
import { sweepRun } from './sweep-run.ts';
import { sweepStarts } from './sweep-starts.ts';
import { tellUnbegun } from './tell-unbegun.ts';

export interface SweepRepositoryOptions extends SweepOptions {
  /** For runs that are started now because their events were lost. */
  readonly startOptions?: StartOptions | undefined;
}

/**
 * Completes what was missed in one repository: commands, expired leases, deadlines and pending effects.
 * Returns whether it has runs that have not ended, or for which something is left to do.
 */
export async function sweepRepository(
  repository: Repository,
  liveRuns: LiveRuns,
  options: SweepRepositoryOptions,
): Promise<boolean> {
  const { open, lost, reopened, ended, hasRuns } = await look(repository, liveRuns).catch(
    async (fault: unknown) => {
      for (const run of liveRuns.openIn(repository)) await checkAnyway(run, fault, liveRuns.services);
      throw fault;
    },
  );
  await findLostLedgers(repository, liveRuns, lost);
  await tellUnbegun(repository, liveRuns, lost);
  await sweepReopened(repository, liveRuns, reopened);
  await sweepOpen(repository, liveRuns, { open, options });
  await sweepEnded(repository, liveRuns, ended);
  await sweepStarts(repository, liveRuns, options.startOptions);
  return hasRuns;
}

/** What there is to sweep. */
interface Found {
  /** The ledgers of runs that have not ended, those of pull requests that show a run first. */
  readonly open: readonly ListedLedger[];
  /** Pull requests that show a run but have no ledger. */
  readonly lost: readonly OpenPull[];
  /** The numbers of open pull requests whose runs have ended. */
  readonly reopened: readonly number[];
  readonly ended: readonly Ended[];
  /** Whether anything of it may have to be swept again. */
  readonly hasRuns: boolean;
}

async function look(repository: Repository, { services, passedOver }: LiveRuns): Promise<Found> {
  const dir = join(services.data, 'ledgers', String(repository.id), 'all');
  const ledgers = await listLedgers(dir, repository.remote);
  const there = await openPulls(repository.octokit, repository).catch((fault: unknown) => {
    const where = `${repository.owner}/${repository.name}`;
    services.log.warn(`could not look for lost ledgers of ${where}: ${messageOf(fault)}`);
    return [];
  });
  const open = ledgers.filter(({ namespace }) => namespace === 'open');
  const closed = ledgers.filter(({ namespace }) => namespace === 'closed');
  const pulls = there.filter(showsRun(repository, services));
  const isLeft = closed.some((ledger) => !ledger.settled && !passedOver.has(keyOf(repository, ledger)));
  const unled = pulls.filter(({ number }) => !has(open, number));
  return {
    open: mostLikely(
      open.filter((ledger) => !passedOver.has(keyOf(repository, ledger))),
      pulls,
    ),
    lost: unled.filter(({ number }) => !has(closed, number)),
    reopened: unled.map(({ number }) => number).filter((number) => has(closed, number)),
    ended: closed.map((ledger) => ({ ...ledger, isShown: has(there, ledger.number) })),
    hasRuns: open.length > 0 || unled.length > 0 || isLeft,
  };
}

function has(all: readonly { readonly number: number }[], number: number): boolean {
  return all.some((each) => each.number === number);
}

/**
 * Whether a pull request may be a run's. Besides its proposals of a configuration the App opens nothing
 * else, and anyone with write access can remove the label; other workflows open pull requests in the name of
 * the Action's account.
 */
function showsRun({ own }: Repository, { presenter }: Services): (pull: OpenPull) => boolean {
  const isOurs = ({ author, head_ref }: OpenPull) => author === own.login && head_ref !== setupBranch;
  return (pull) => hasLabel(pull.labels, ourLabel) || (presenter === 'app' && isOurs(pull));
}

/** For one sweep: anyone with write access can push any number of refs that look like ledgers. */
const maxLedgers = 1000;

/** Those of pull requests that show a run come first. */
function mostLikely(ledgers: readonly ListedLedger[], pulls: readonly OpenPull[]): readonly ListedLedger[] {
  const shown = new Set(pulls.map(({ number }) => number));
  const [first, then] = [true, false].map((isShown) =>
    ledgers.filter(({ number }) => shown.has(number) === isShown),
  );
  return [...(first ?? []), ...(then ?? [])].slice(0, maxLedgers);
}

interface Opened {
  readonly open: readonly ListedLedger[];
  readonly options: SweepOptions;
}

async function sweepOpen(
  repository: Repository,
  liveRuns: LiveRuns,
  { open, options }: Opened,
): Promise<void> {
  const { clock, seals, log } = liveRuns.services;
  for (const ledger of open) {
    const run = liveRuns.of(repository, ledger.number);
    await sweepRun(run, { ...options, clock, seals, log }).catch(async (fault: unknown) => {
      await checkAnyway(run, fault, liveRuns.services);
      if (await reportSweepFault(run, fault, liveRuns))
        liveRuns.passedOver.set(keyOf(repository, ledger), true);
    });
  }
}

/** What was approved may have fallen, whether or not that can be recorded. */
async function checkAnyway(run: Run, fault: unknown, services: Services): Promise<void> {
  await checkUnread(run, { fault, services }).catch((again: unknown) =>
    services.log.warn(`could not check ${run.name}: ${messageOf(again)}`),
  );
}

/** A ledger is left alone for as long as it is at the same commit. */
function keyOf({ id }: Repository, { number, commit }: ListedLedger): string {
  return `${id}#${number}@${commit}`;
}
