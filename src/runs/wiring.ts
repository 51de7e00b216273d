import { join } from 'node:path';
import { createPresenter, type Presenter } from '../github/show/present.ts';
import { openLedger, type RunLedger } from '../ledger/ledger.ts';
import type { LedgerStep } from '../ledger/ledger-steps.ts';
import { messageOf } from '../repository/faults.ts';
import { othersMayRecord } from '../repository/other-processes.ts';
import { mirrorDir } from '../repository/repository.ts';
import { isBlockedAnew, tryToLook } from './dependencies/waking.ts';
import { prepare } from './facts/facts.ts';
import { checkAgain } from './finish/check-again.ts';
import { confirmedState } from './finish/check-finish.ts';
import { mergeAgain } from './finish/merge-run.ts';
import { perform } from './perform.ts';
import { orTell } from './run/background-work.ts';
import { LiveRuns, type RepositoryRuns } from './run/live-runs.ts';
import { drawnSeq } from './run/lost-run.ts';
import { fireTimer } from './run/overdue.ts';
import { sourcesOf } from './run/reply-context.ts';
import type { Run, Wiring } from './run/run.ts';
import type { Services } from './run/services.ts';
import { linksFound } from './spawning/spawn-runs.ts';

/** The runs of a process, each joined to its facts, its effects and other runs. */
export function openRuns(services: Services): LiveRuns {
  return new LiveRuns(services, wiringOf);
}

function wiringOf(runs: RepositoryRuns): Wiring {
  return {
    ledger: ledgerOf,
    presenter: presenterOf,
    prepare: (told, run) => prepare(told, run, runs),
    perform: (effect, state, run) => perform(effect, state, run, runs),
    finish: async (part, state, run) => {
      await (part === 'check' ? checkAgain(run, state) : mergeAgain(run, state));
    },
    fire: (deadline, run) => {
      const doing = `act on a ${deadline.kind} timer of ${run.name}; the sweep will retry`;
      return orTell(run.services.log, doing, () => fireTimer(run, deadline));
    },
    linksOf: (run) => linksFound(run, runs),
    recorded: async (decided, run) => {
      if (isBlockedAnew(decided)) await tryToLook(run, runs);
    },
  };
}

function ledgerOf(run: Run, onSteps: (steps: readonly LedgerStep[]) => void): RunLedger {
  const { repository, number, services } = run;
  const { presenter, seals, log } = services;
  return openLedger({
    dir: join(services.data, 'ledgers', String(repository.id), String(number)),
    remote: repository.remote,
    repositoryId: repository.id,
    number,
    presenter,
    seals,
    drawnSeq: (head) => drawnSeq(run, head),
    objects: [join(mirrorDir(services, repository), 'objects')],
    onSteps,
    onForeign: (head) => services.others?.read(head),
    onNotice: (text) => log.warn(`${repository.owner}/${repository.name}: ${text}`),
    onFault: (fault) =>
      log.warn(`could not record which effects of ${run.name} are done: ${messageOf(fault)}`),
  });
}

/** What draws a run; what permits merging only as far as GitHub confirms it. */
export function presenterOf(run: Run): Presenter {
  const { log, clock, renderAfterMs, secrets, seals, others, detailsUrl } = run.services;
  const { octokit, own, owner, name: repo } = run.repository;
  const sources = sourcesOf(run);
  const reread = async () => (await run.readLedger())?.state;
  return createPresenter({
    octokit,
    own,
    where: { owner, repo },
    reread,
    newest: async () => (othersMayRecord(run.services) ? reread() : run.newest),
    confirm: (state, pull) => confirmedState(run, state, pull),
    tip: () => run.ledger.tip,
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
