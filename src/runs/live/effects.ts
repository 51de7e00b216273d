import { type GitHubFault, isFinalRefusal, MissingPermission } from '../../github/octokit/fault.ts';
import { lastReopening, readPull } from '../../github/read/pulls.ts';
import { hasOtherBlock } from '../../github/show/block.ts';
import { createPresenter, type Presenter } from '../../github/show/present.ts';
import { requestReviews } from '../../github/write/open-pull.ts';
import { Comments } from '../../github/write/write-comments.ts';
import { messageOf } from '../../repository/faults.ts';
import { othersMayRecord } from '../../repository/other-processes.ts';
import { isOver } from '../../steering/phases/table.ts';
import { hasFailed, repaired, tried } from '../../steering/process-state.ts';
import type { Performable } from '../../steering/state/pending-effect.ts';
import type { Effects } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { missingPermissionText } from '../../words/own-faults.ts';
import { checkAgain, checkFirst } from '../finish/check-again.ts';
import { confirmedState } from '../finish/check-finish.ts';
import {
  finishAgain,
  isWaitingToMerge,
  type Merging,
  mergeRun,
  mergeWaitId,
  replyMergeWait,
} from '../finish/merge-run.ts';
import { recordMissedEnd } from '../run/missed-moves.ts';
import { sourcesOf, targetOf } from '../run/reply-context.ts';
import type { BodyEdit, OtherRuns, Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { tellIssue } from '../run/tell-issue.ts';
import { WorkDisplay } from './work-display.ts';

/** The effects of one run: its engine, its pull request, and its replies to people. */
export interface RunEffects extends Effects {
  /** Puts our labels right after someone changed them. */
  repairLabels(state: State): Promise<void>;
  /** Restores a human's text that our edit overwrote, or our own text that they removed. */
  repairBody(edit: BodyEdit, state: State): Promise<void>;
  /** Checks once more what an approval rests on, and tries again what GitHub did not allow to be merged. */
  finishAgain(state: State, only?: 'check'): Promise<void>;
  /** Does something else to the pull request between two renderings; the next one reads GitHub again. */
  interrupt(work: () => Promise<void>): Promise<void>;
  /** Renders at once what is still waiting. */
  flush(): Promise<void>;
  /** From now on nothing is drawn by itself. */
  close(): void;
}

export function openEffects(run: Run, services: Services, others: OtherRuns): RunEffects {
  const presenter = presenterOf(run, services);
  const started = new Map<string, Promise<void>>();
  const tell: Merging['tell'] = (wait, state) =>
    once(started, mergeWaitId(state, wait), () => replyMergeWait(run, { wait, state, services }));
  const hasTold: Merging['hasTold'] = (state) => started.has(mergeWaitId(state));
  const performer: Performer = { run, others, presenter, services, tell, hasTold };
  const nameMissing = (state: State) => async (fault: unknown) => {
    if (fault instanceof MissingPermission)
      await once(started, missingPermissionId(fault), () =>
        replyMissingPermission(run, { fault, state, services }),
      );
    throw fault;
  };
  const mayRepair = repairing(run, services);
  const work = new WorkDisplay(run, services, {
    show: (line) => presenter.showWork(line),
    draw: (state) => presenter.present(state),
  });
  return {
    engage: (state) => {
      services.engine.engage(run, state);
      services.timers.watch(run, state);
    },
    perform: async (effect, state) => {
      try {
        const performing = once(started, effect.id, () => perform(effect, state, performer));
        await (effect.do === 'merge' ? performing.catch(nameMissing(state)) : performing);
        return { outcome: 'done' };
      } catch (fault) {
        if (!isImpossible(effect, fault)) throw fault;
        services.log.warn(`${run.name}: GitHub refuses a ${effect.do} for good: ${fault.message}`);
        return { outcome: 'impossible', reason: shortened(fault.reason, 300) };
      }
    },
    present: (state) => presenter.present(state).catch(nameMissing(state)),
    repairLabels: async (state) => {
      if (mayRepair('a label')) await presenter.present(state);
    },
    repairBody: async (edit, state) => {
      if (edit.by.login === run.repository.own.login) await presenter.restore(edit, state);
      else if (!hasOtherBlock(edit)) await presenter.present(state);
      else if (mayRepair('the block')) await presenter.redraw(state);
    },
    finishAgain: async (state, only) => {
      if (only === 'check') await checkAgain(run, state, services);
      else await mergeAgain(state, performer).catch(nameMissing(state));
    },
    interrupt: (work) => presenter.interrupt(work),
    flush: () => presenter.flush(),
    close: () => work.close(),
  };
}

function presenterOf(run: Run, services: Services): Presenter {
  const { log, clock, renderAfterMs, secrets, seals, others, detailsUrl } = services;
  const { octokit, own, owner, name: repo } = run.repository;
  const sources = sourcesOf(run, services);
  const reread = async () => (await run.readLedger())?.state;
  return createPresenter({
    octokit,
    own,
    where: { owner, repo },
    reread,
    newest: async () => (othersMayRecord(services) ? reread() : run.newest),
    confirm: (state, pull) => confirmedState(run, state, { services, pull }),
    tip: () => run.tip,
    sources,
    detailsUrl: (state) => detailsUrl?.({ owner, repo, number: run.number, web: sources.web, state }),
    seals,
    others,
    log,
    clock,
    secrets,
    renderAfterMs,
  });
}

interface Performer extends Merging {
  readonly run: Run;
  readonly others: OtherRuns;
  readonly presenter: Presenter;
}

async function perform(effect: Performable, state: State, performer: Performer): Promise<void> {
  const { run, presenter, services } = performer;
  switch (effect.do) {
    case 'reply':
      return presenter.send(effect, state);
    case 'withdraw':
      return presenter.withdraw(effect, () => run.newest ?? state);
    case 'close':
      if (await isWantedOpen(effect, run, state)) return;
      // Somebody may have merged it meanwhile, of which we were not told.
      return (await recordMissedEnd(run, services)) ? undefined : presenter.close(state);
    case 'draw':
      // Every state is drawn, and this counts as done only when that one is.
      return;
    case 'request_reviews':
      return tryToAsk(run, effect, services);
    case 'record_outcome':
      // The Action, which could not prove it, has no such runs.
      return services.formerRuns?.record(effect.outcome, run.repository);
    case 'spawn':
      return performer.others.spawn(run, state);
    case 'wake':
      return performer.others.wake(run, state);
    case 'tell_issue':
      return tellIssue(run, state, services);
    case 'close_issue':
      return performer.others.closeIssue(run, state);
    case 'read_checks':
      return run.readChecks();
    case 'check_finish':
      return checkFirst(run, state, { services, draw: () => presenter.presentNow(state) });
    case 'merge':
      await drawBeforeMerging(state, performer);
      return mergeRun(run, effect, performer);
  }
}

async function mergeAgain(state: State, performer: Performer): Promise<void> {
  if (isWaitingToMerge(state)) await drawBeforeMerging(state, performer);
  await finishAgain(performer.run, state, performer);
}

/** GitHub does not merge drafts, and its rules may require our check to succeed. */
async function drawBeforeMerging(state: State, { presenter }: Performer): Promise<void> {
  await presenter.presentNow(state);
}

/**
 * Whether somebody has reopened it since the run ended, as far as the ledger or GitHub knows: another process
 * may have closed it before.
 */
async function isWantedOpen(
  { at }: Extract<Performable, { do: 'close' }>,
  { repository, number, newest }: Run,
  state: State,
): Promise<boolean> {
  if (!isOver((newest ?? state).standing.phase)) return true;
  const reopening = await lastReopening(repository.octokit, repository, number);
  return reopening !== undefined && at !== undefined && Date.parse(reopening.at) > Date.parse(at);
}

/** What is only said need not be; all other effects are tried again until they are done. */
function isImpossible(effect: Performable, fault: unknown): fault is GitHubFault {
  return effect.do === 'reply' && isFinalRefusal(fault);
}

/** Starts each piece of work only once, unless it failed. */
async function once(
  started: Map<string, Promise<void>>,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  const known = started.get(id);
  if (known !== undefined) return known;
  const doing = work();
  started.set(id, doing);
  try {
    await doing;
  } catch (fault) {
    started.delete(id);
    throw fault;
  }
}

/** Enough for an outage of some minutes, with the sweep that follows it. */
const maxTries = 10;

/** Nothing depends on it: it is tried again a few times, and then left, which the operator is told. */
async function tryToAsk(
  run: Run,
  { id, of }: Extract<Performable, { do: 'request_reviews' }>,
  services: Services,
): Promise<void> {
  try {
    await askReviewers(run, of, services);
  } catch (fault) {
    run.process = tried(run.process, id, { failed: true });
    if (!hasFailed(run.process, id, maxTries) || fault instanceof MissingPermission) throw fault;
    const doing = `request reviews on ${run.name}`;
    services.log.warn(`gave up to ${doing} after ${maxTries} tries: ${messageOf(fault)}`);
  }
  run.process = tried(run.process, id, { failed: false });
}

/** Whether what others changed may be put right at once, which is logged where it first may not. */
function repairing(run: Run, { clock, log }: Services): (what: string) => boolean {
  let isReported = false;
  return (what) => {
    const now = repaired(run.process, clock.now());
    if (now !== undefined) run.process = now;
    else if (!isReported)
      log.warn(`someone keeps changing ${what} of ${run.name}; the next sweep puts it right`);
    isReported = now === undefined;
    return now !== undefined;
  };
}

/** Requests reviews from people and teams, as far as GitHub lets us; a workflow's token cannot ask teams. */
async function askReviewers(run: Run, of: readonly string[], services: Services): Promise<void> {
  const { repository, number } = run;
  const { author, open } = await readPull(repository.octokit, repository, number);
  if (!open) return;
  const askable = of.filter((name) => services.presenter === 'app' || !name.includes('/'));
  const target = targetOf(repository, number, services);
  const refused = await requestReviews(target, { of: askable, author });
  if (refused.length > 0)
    services.log.warn(`${run.name}: GitHub lets us request no review from ${refused.join(', ')}`);
}

/**
 * Without a permission the pull request cannot be updated, and nobody would know why. So a comment names the
 * permission and where to grant it, once for each permission, even across restarts.
 */
async function replyMissingPermission(
  { repository, number }: Run,
  { fault, state, services }: Missing,
): Promise<void> {
  const comments = new Comments(targetOf(repository, number, services), state.started_at);
  await comments.create({ kind: 'reply', id: missingPermissionId(fault) }, async () =>
    missingPermissionText(fault.message, state.run.presenter),
  );
}

interface Missing {
  readonly fault: MissingPermission;
  readonly state: State;
  readonly services: Services;
}

/** Identifies the reply, so that it is posted only once. */
function missingPermissionId({ permission }: MissingPermission): string {
  return `missing:${permission.replace(/[^\w=,;]/g, '_')}`;
}
