import { join } from 'node:path';
import { hasLabel, ourLabel } from '../github/names.ts';
import { type MissedStart, missedStarts } from '../github/read/missed-starts.ts';
import { type OpenPull, openPulls, readPull } from '../github/read/pulls.ts';
import { hasBlock } from '../github/show/block.ts';
import { Comments } from '../github/write/write-comments.ts';
import type { LedgerSnapshot } from '../ledger/ledger.ts';
import { type ListedLedger, listLedgers } from '../ledger/list-ledgers.ts';
import { messageOf } from '../repository/faults.ts';
import type { Clock } from '../repository/github-clock.ts';
import type { Repository } from '../repository/repository.ts';
import { removeUnsigned } from '../repository/signing.ts';
import { settled } from '../steering/process-state.ts';
import { setupBranch } from '../words/setup-texts.ts';
import { unbegunText } from '../words/start-texts.ts';
import { lookAgain, takeTurns } from './dependencies/waking.ts';
import { checkUnread } from './finish/check-again.ts';
import { handleGitHubEvent } from './handle-event.ts';
import type { LiveRuns } from './live/live-runs.ts';
import { findLostLedgers, reportSweepFault, sweepReopened } from './restore/find-lost.ts';
import { catchUp } from './run/catch-up.ts';
import { fireDue, noteBase, releaseLost, type SweepOptions } from './run/overdue.ts';
import { targetOf } from './run/reply-context.ts';
import type { Run } from './run/run.ts';
import type { Services } from './run/services.ts';
import { claimAt } from './start/claim.ts';
import type { StartOptions } from './start/starting.ts';

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
  await sweepTurns(repository, liveRuns);
  const { sweepGroups } = await import('./queue/settle-group.ts');
  await sweepGroups({ repository, liveRuns });
  await sweepEnded(repository, liveRuns, ended);
  await sweepStarts(repository, liveRuns, options.startOptions);
  await sweepUnsigned(repository, liveRuns);
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
    await sweepRun(run, { ...options, clock, seals, log, liveRuns }).catch(async (fault: unknown) => {
      await checkAnyway(run, fault, liveRuns.services);
      if (await reportSweepFault(run, fault, liveRuns))
        liveRuns.passedOver.set(keyOf(repository, ledger), true);
    });
  }
}

/** Others may have ended unheard, and the configuration may let more be open by now. */
async function sweepTurns(repository: Repository, liveRuns: LiveRuns): Promise<void> {
  const waits = ({ newest }: Run) => newest?.standing.phase === 'blocked' && newest.standing.behind;
  if (!liveRuns.openIn(repository).some(waits)) return;
  await takeTurns({ repository, liveRuns }).catch((fault: unknown) => {
    const where = `${repository.owner}/${repository.name}`;
    liveRuns.services.log.warn(`could not look whose turn it is in ${where}: ${messageOf(fault)}`);
  });
}

/** Nothing depends on what is left, so that a fault is only told. */
async function sweepUnsigned(repository: Repository, { services }: LiveRuns): Promise<void> {
  await removeUnsigned(repository).catch((fault: unknown) => services.log.warn(messageOf(fault)));
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

/** What sweeping one run needs. */
interface Sweeping extends SweepOptions, Pick<Services, 'seals' | 'log'> {
  readonly clock: Clock;
  readonly liveRuns: LiveRuns;
}

/**
 * Completes what was missed of one run. What an approval rests on is checked again whatever else fails, but
 * then nothing is merged.
 */
async function sweepRun(run: Run, sweeping: Sweeping): Promise<void> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const faults: unknown[] = [];
  const noteFault = (fault: unknown) => void faults.push(fault);
  await complete(run, snapshot, sweeping).catch(noteFault);
  await run.finishAgain(faults.length > 0 ? 'check' : undefined).catch(noteFault);
  if (faults.length > 0) throw faults[0];
}

/** Completes what was missed; throws if a command could not be read. */
async function complete(
  run: Run,
  snapshot: LedgerSnapshot,
  { isGone, clock, seals, log, liveRuns }: Sweeping,
): Promise<void> {
  const { doubts } = run.process;
  const [unread] = await catchUp(run, snapshot, log);
  if (unread === undefined) run.process = settled(run.process, doubts);
  const now = clock.now();
  await releaseLost(run, snapshot.state, { isGone, now });
  // Someone may have answered in a comment that could not be read.
  if (unread === undefined) {
    await run.readChecks();
    await noteBase(run, { now, log });
    await fireDue(run, { clock, log });
  }
  if (run.newest?.standing.phase === 'blocked') await lookAgain(run, liveRuns);
  if (seals !== undefined) await sealAgain(run, snapshot, { key: seals.current, now });
  // The events above were acted on already; this also covers a run without new events.
  const newest = (await run.readLedger())?.state;
  if (newest !== undefined) run.resume(newest);
  if (unread !== undefined) throw unread;
}

/**
 * Seals a ledger with the current key if another one sealed it, so that an old key can be removed. Does
 * nothing to a ledger that is sealed with it already.
 */
async function sealAgain(
  run: Run,
  { key: sealedWith, state }: Pick<LedgerSnapshot, 'key' | 'state'>,
  { key, now }: { readonly key: string; readonly now: Date },
): Promise<void> {
  if (sealedWith === key) return;
  const id = `sealed:${key}@${state.seq}`;
  await run.record({ type: 'sealed', id, at: now.toISOString(), key });
}

/** How long a job may take from opening the pull request to beginning its run, in milliseconds. */
const patienceMs = 10 * 60_000;

/**
 * Says on the pull request of a run that was started by hand that its job ended before the run began. Only
 * that job knows the task, and it goes on where it stopped when somebody runs it again; what an issue asks
 * for is started by the sweep.
 */
async function tellUnbegun(
  repository: Repository,
  liveRuns: LiveRuns,
  pulls: readonly OpenPull[],
): Promise<void> {
  const { clock, log, presenter } = liveRuns.services;
  // Only a workflow is started by hand.
  if (presenter !== 'action') return;
  const since = clock.now().getTime() - patienceMs;
  const ours = pulls.filter(({ author }) => author === repository.own.login);
  for (const { number } of ours.filter(({ updated_at }) => Date.parse(updated_at) < since)) {
    const where = `${repository.owner}/${repository.name}#${number}`;
    await tell(repository, liveRuns, number).catch((fault: unknown) =>
      log.warn(`could not tell that the run on ${where} never began: ${messageOf(fault)}`),
    );
  }
}

async function tell(repository: Repository, { services }: LiveRuns, number: number): Promise<void> {
  const { head_ref, created_at, url, body } = await readPull(repository.octokit, repository, number);
  if (hasBlock(body)) return;
  const mirror = await repository.mirror();
  await mirror.fetch([`+refs/heads/${head_ref}:refs/heads/${head_ref}`]);
  const claim = await claimAt(mirror, `refs/heads/${head_ref}`);
  const [, job] = /^Coxswain-Cause: dispatch:(\d{1,15})$/m.exec(claim?.text ?? '') ?? [];
  if (job === undefined) return;
  const comments = new Comments(targetOf(repository, number, services), created_at);
  await comments.create({ kind: 'reply', id: `unbegun:${number}` }, async () =>
    unbegunText(new URL(`../actions/runs/${job}`, url).href),
  );
}

/**
 * How far back a new process looks, in milliseconds: each job of the Action is one. Schedules stop for a
 * while, such as when the minutes of a month are used up.
 */
const usualMs = 7 * 24 * 60 * 60_000;

/** GitHub's times have whole seconds, and what happened during the last sweep may have been missed by it. */
const marginMs = 60_000;

/**
 * Starts the runs for which people have asked since the last sweep and whose webhooks never came, or whose
 * process ended before it had opened the pull request: the branch that it claimed is found again. What was
 * refused with a reply is over: who wants it then asks again.
 */
async function sweepStarts(
  repository: Repository,
  liveRuns: LiveRuns,
  startOptions: StartOptions = {},
): Promise<void> {
  const { services, passedOver, startsReadUpTo } = liveRuns;
  const now = services.clock.now();
  const last = startsReadUpTo.get(repository.id);
  const from = last === undefined ? now.getTime() - usualMs : Date.parse(last) - marginMs;
  let isComplete = true;
  const since = new Date(from).toISOString().replace(/\.\d+Z$/, 'Z');
  const trigger = await liveRuns.triggers.of(repository);
  for (const start of await missedStarts(repository.octokit, repository, { since, trigger })) {
    const key = `${repository.id}:${idOf(start)}`;
    if (passedOver.has(key)) continue;
    await handleGitHubEvent(start, { repository, liveRuns, startOptions, isLookedFor: true }).then(
      () => void passedOver.set(key, true),
      (fault: unknown) => {
        isComplete = false;
        const issue = `${repository.owner}/${repository.name}#${start.issue.number}`;
        const why = `the next sweep will retry: ${messageOf(fault)}`;
        services.log.warn(`could not start the run for ${issue}; ${why}`);
      },
    );
  }
  if (isComplete) startsReadUpTo.set(repository.id, now.toISOString());
}

function idOf(start: MissedStart): string {
  return start.kind === 'comment'
    ? `comment:${start.comment.id}`
    : `labelled:${start.issue.number}@${start.at}`;
}

/** The ledger of a run that has ended, as the remote lists it. */
interface Ended extends Pick<ListedLedger, 'number' | 'commit' | 'settled'> {
  /** Its pull request is open, and so it could be merged. */
  readonly isShown: boolean;
}

/**
 * For one sweep. Only a run that ended while nothing could be done is not settled, but earlier versions did
 * not write that, and anyone with write access can push any number of refs that look like ledgers.
 */
const maxEnded = 20;

/**
 * Completes runs that have ended, such as one that was rejected just before a crash: what permits merging it
 * must still be taken back. Those of open pull requests come first, and are looked at even if their ledgers
 * say that nothing is left to do, which is not proven; then those that were tried least often, then the
 * newest.
 */
async function sweepEnded(
  repository: Repository,
  liveRuns: LiveRuns,
  ledgers: readonly Ended[],
): Promise<void> {
  const { passedOver, tries } = liveRuns;
  const runOf = ({ number }: Ended) => `${repository.id}#${number}`;
  const keyOf = (ended: Ended) => `${runOf(ended)}@${ended.commit}`;
  const due = ledgers.filter((each) => (each.isShown || !each.settled) && !passedOver.has(keyOf(each)));
  const triesOf = (ended: Ended) => tries.get(runOf(ended)) ?? 0;
  const next = due
    .toSorted(
      (one, other) =>
        Number(other.isShown) - Number(one.isShown) ||
        triesOf(one) - triesOf(other) ||
        other.number - one.number,
    )
    .slice(0, maxEnded);
  for (const ended of next) {
    tries.set(runOf(ended), triesOf(ended) + 1);
    if (await completeEnded(liveRuns.of(repository, ended.number), liveRuns))
      passedOver.set(keyOf(ended), true);
  }
}

/** Returns true if there is nothing more to do until the ledger changes. */
async function completeEnded(run: Run, liveRuns: LiveRuns): Promise<boolean> {
  try {
    const snapshot = await run.readLedger();
    if (snapshot === undefined || snapshot.state.owed.length === 0) return true;
    run.resume(snapshot.state);
    return false;
  } catch (fault) {
    return reportSweepFault(run, fault, liveRuns);
  }
}
