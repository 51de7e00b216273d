import { hasLabel, ourLabel } from '../github/names.ts';
import { type MissedStart, missedStarts } from '../github/read/missed-starts.ts';
import { type OpenPull, openPulls } from '../github/read/pulls.ts';
import { hasBlock } from '../github/show/block.ts';
import type { LedgerSnapshot } from '../ledger/ledger.ts';
import type { ListedLedger } from '../ledger/list-ledgers.ts';
import { messageOf } from '../repository/faults.ts';
import type { Repository } from '../repository/repository.ts';
import { removeUnsigned } from '../repository/signing.ts';
import { setupBranch } from '../words/setup-texts.ts';
import { unbegunText } from '../words/start-texts.ts';
import { listedLedgers } from './dependencies/dependencies.ts';
import { takeTurns } from './dependencies/turns.ts';
import { lookAgain } from './dependencies/waking.ts';
import { checkUnread } from './finish/check-again.ts';
import { handleGitHubEvent } from './handle-event.ts';
import { completeOwed, findLostLedgers, reportSweepFault, sweepReopened } from './restore/find-lost.ts';
import { orTell } from './run/background-work.ts';
import { catchUp } from './run/catch-up.ts';
import { reportChecks } from './run/ci-checks.ts';
import type { RepositoryRuns } from './run/live-runs.ts';
import { fireDue, noteBase, releaseLost, type SweepOptions } from './run/overdue.ts';
import type { Run } from './run/run.ts';
import type { Services } from './run/services.ts';
import { claimOn } from './start/claim.ts';
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
  runs: RepositoryRuns,
  options: SweepRepositoryOptions,
): Promise<boolean> {
  const { open, lost, reopened, ended, hasRuns } = await look(runs).catch(async (fault: unknown) => {
    for (const run of runs.open) await checkAnyway(run, fault);
    throw fault;
  });
  await findLostLedgers(runs, lost);
  await tellUnbegun(runs, lost);
  await sweepReopened(runs, reopened);
  await sweepOpen(runs, open, options);
  await sweepTurns(runs);
  const { sweepGroups } = await import('./queue/settle-group.ts');
  await sweepGroups(runs);
  await sweepEnded(runs, ended);
  await sweepStarts(runs, options.startOptions);
  // Nothing depends on what is left.
  await removeUnsigned(runs.repository).catch((fault: unknown) => runs.services.log.warn(messageOf(fault)));
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

async function look(runs: RepositoryRuns): Promise<Found> {
  const { repository, services, passedOver } = runs;
  const ledgers = await listedLedgers(runs);
  const there = await openPulls(repository.octokit, repository).catch((fault: unknown) => {
    services.log.warn(`could not look for lost ledgers of ${runs.name}: ${messageOf(fault)}`);
    return [];
  });
  const open = ledgers.filter(({ namespace }) => namespace === 'open');
  const closed = ledgers.filter(({ namespace }) => namespace === 'closed');
  const pulls = there.filter(showsRun(repository, services));
  const isLeft = closed.some((ledger) => !ledger.settled && !passedOver.has(keyOf(ledger)));
  const unled = pulls.filter(({ number }) => !has(open, number));
  return {
    open: mostLikely(
      open.filter((ledger) => !passedOver.has(keyOf(ledger))),
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

async function sweepOpen(
  runs: RepositoryRuns,
  open: readonly ListedLedger[],
  options: SweepOptions,
): Promise<void> {
  for (const ledger of open) {
    const run = runs.of(ledger.number);
    await sweepRun(run, runs, options).catch(async (fault: unknown) => {
      await checkAnyway(run, fault);
      if (await reportSweepFault(run, fault)) runs.passedOver.set(keyOf(ledger), true);
    });
  }
}

/** Others may have ended unheard, and the configuration may let more be open by now. */
async function sweepTurns(runs: RepositoryRuns): Promise<void> {
  const waits = ({ newest }: Run) => newest?.standing.phase === 'blocked' && newest.standing.behind;
  if (!runs.open.some(waits)) return;
  await orTell(runs.services.log, `look whose turn it is in ${runs.name}`, () => takeTurns(runs));
}

/** What was approved may have fallen, whether or not that can be recorded. */
async function checkAnyway(run: Run, fault: unknown): Promise<void> {
  await orTell(run.services.log, `check ${run.name}`, () => checkUnread(run, fault));
}

/** A ledger is left alone for as long as it is at the same commit. */
function keyOf({ number, commit }: Pick<ListedLedger, 'number' | 'commit'>): string {
  return `${number}@${commit}`;
}

/**
 * Completes what was missed of one run. What an approval rests on is checked again whatever else fails, but
 * then nothing is merged.
 */
async function sweepRun(run: Run, runs: RepositoryRuns, options: SweepOptions): Promise<void> {
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const faults: unknown[] = [];
  const noteFault = (fault: unknown) => void faults.push(fault);
  await complete(run, snapshot, runs, options).catch(noteFault);
  await run.finishAgain(faults.length > 0 ? 'check' : undefined).catch(noteFault);
  if (faults.length > 0) throw faults[0];
}

/** Completes what was missed; throws if a command could not be read. */
async function complete(
  run: Run,
  snapshot: LedgerSnapshot,
  runs: RepositoryRuns,
  options: SweepOptions,
): Promise<void> {
  const [unread] = await catchUp(run, snapshot);
  await releaseLost(run, snapshot.state, options);
  // Someone may have answered in a comment that could not be read.
  if (unread === undefined) {
    await reportChecks(run);
    await noteBase(run);
    await fireDue(run);
  }
  if (run.newest?.standing.phase === 'blocked') await lookAgain(run, runs);
  await sealAgain(run, snapshot);
  // The events above were acted on already; this also covers a run without new events.
  if (run.newest !== undefined) run.resume(run.newest);
  if (unread !== undefined) throw unread;
}

/**
 * Seals a ledger with the current key if another one sealed it, so that an old key can be removed. Does
 * nothing to a ledger that is sealed with it already.
 */
async function sealAgain(run: Run, { key: sealedWith, state }: LedgerSnapshot): Promise<void> {
  const key = run.services.seals?.current;
  if (key === undefined || sealedWith === key) return;
  await run.record({ type: 'sealed', id: `sealed:${key}@${state.seq}`, at: run.now(), key });
}

/** How long a job may take from opening the pull request to beginning its run, in milliseconds. */
const patienceMs = 10 * 60_000;

/**
 * Says on the pull request of a run that was started by hand that its job ended before the run began. Only
 * that job knows the task, and it goes on where it stopped when somebody runs it again; what an issue asks
 * for is started by the sweep.
 */
async function tellUnbegun(runs: RepositoryRuns, pulls: readonly OpenPull[]): Promise<void> {
  const { clock, log, presenter } = runs.services;
  // Only a workflow is started by hand.
  if (presenter !== 'action') return;
  const since = clock.now().getTime() - patienceMs;
  const ours = pulls.filter(({ author }) => author === runs.repository.own.login);
  for (const { number } of ours.filter(({ updated_at }) => Date.parse(updated_at) < since)) {
    const run = runs.of(number);
    await orTell(log, `tell that the run on ${run.name} never began`, () => tell(run));
  }
}

async function tell(run: Run): Promise<void> {
  const { head_ref, created_at, url, body } = await run.pull();
  if (hasBlock(body)) return;
  const claim = await claimOn(run.repository, head_ref);
  const [, job] = /^Coxswain-Cause: dispatch:(\d{1,15})$/m.exec(claim?.text ?? '') ?? [];
  if (job === undefined) return;
  const text = unbegunText(new URL(`../actions/runs/${job}`, url).href);
  await run.say(`unbegun:${run.number}`, text, { since: created_at });
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
async function sweepStarts(runs: RepositoryRuns, startOptions: StartOptions = {}): Promise<void> {
  const { repository, services, passedOver, startsReadUpTo: last } = runs;
  const now = services.clock.now();
  const from = last === undefined ? now.getTime() - usualMs : Date.parse(last) - marginMs;
  let isComplete = true;
  const since = new Date(from).toISOString().replace(/\.\d+Z$/, 'Z');
  const trigger = await runs.trigger();
  for (const start of await missedStarts(repository.octokit, repository, { since, trigger })) {
    const key = idOf(start);
    if (passedOver.has(key)) continue;
    await handleGitHubEvent(start, runs, { startOptions, isLookedFor: true }).then(
      () => void passedOver.set(key, true),
      (fault: unknown) => {
        isComplete = false;
        const issue = `${runs.name}#${start.issue.number}`;
        const why = `the next sweep will retry: ${messageOf(fault)}`;
        services.log.warn(`could not start the run for ${issue}; ${why}`);
      },
    );
  }
  if (isComplete) runs.startsReadUpTo = now.toISOString();
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
async function sweepEnded(runs: RepositoryRuns, ledgers: readonly Ended[]): Promise<void> {
  const { passedOver, tries } = runs;
  const due = ledgers.filter((each) => (each.isShown || !each.settled) && !passedOver.has(keyOf(each)));
  const triesOf = ({ number }: Ended) => tries.get(number) ?? 0;
  const next = due
    .toSorted(
      (one, other) =>
        Number(other.isShown) - Number(one.isShown) ||
        triesOf(one) - triesOf(other) ||
        other.number - one.number,
    )
    .slice(0, maxEnded);
  for (const ended of next) {
    tries.set(ended.number, triesOf(ended) + 1);
    const found = await completeOwed(runs.of(ended.number));
    if (found !== 'left') passedOver.set(keyOf(ended), true);
  }
}
