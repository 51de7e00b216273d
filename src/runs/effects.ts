import { MissingPermission } from '../github/octokit/fault.ts';
import { readPull } from '../github/read/pulls.ts';
import { createPresenter, type Presenter } from '../github/show/present.ts';
import type { PendingEffect } from '../steering/pending-effect.ts';
import type { Effects } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { approvalKey, checkFinish } from './finish.ts';
import type { LiveRun } from './live-run.ts';
import { mergeRun } from './merge.ts';
import { markerOf, replyMissingPermission } from './missing-permission.ts';
import type { Services } from './services.ts';
import { sourcesOf } from './sources.ts';

export interface BodyEdit {
  readonly by: { readonly login: string };
  readonly before: string;
  readonly after: string;
}

/** The world of one run: its engine, its pull request, and what it owes to people. */
export interface RunEffects extends Effects {
  /** Puts back what a human lost by our write, and draws again what they removed of ours. */
  mend(edit: BodyEdit, state: State): Promise<void>;
  /** Draws at once what waits to be drawn. */
  flush(): Promise<void>;
}

export function openEffects(liveRun: LiveRun, services: Services): RunEffects {
  const presenter = presenterOf(liveRun, services);
  const begun = new Map<string, Promise<void>>();
  // Where an App and an Action both listen, the run's first event says which of them acts.
  const isOurs = (state: State) => state.run.presenter === services.presenter;
  return {
    engage: (state) => {
      if (!isOurs(state)) return;
      services.engine.engage(liveRun, state);
      services.timers.watch(liveRun, state);
    },
    pay: async (owed, state) => {
      if (isOurs(state)) await once(begun, owed.id, () => pay(owed, state, { liveRun, presenter, services }));
    },
    present: async (state) => {
      if (!isOurs(state) || !(await isConfirmed(liveRun, state, services))) return;
      await presenter.present(state).catch(async (fault: unknown) => {
        if (fault instanceof MissingPermission)
          await once(begun, markerOf(fault), () => replyMissingPermission(liveRun, fault));
        throw fault;
      });
    },
    mend: async (edit, state) => {
      if (!isOurs(state)) return;
      if (edit.by.login === liveRun.repository.own.login) await presenter.restore(edit, state);
      else await presenter.present(state);
    },
    flush: () => presenter.flush(),
  };
}

function presenterOf(liveRun: LiveRun, { log, drawAfterMs }: Services): Presenter {
  const { octokit, own, owner, name: repo } = liveRun.repository;
  return createPresenter({
    octokit,
    own,
    where: { owner, repo },
    reread: async () => (await liveRun.recall())?.state,
    sources: sourcesOf(liveRun),
    log,
    drawAfterMs,
  });
}

interface Means {
  readonly liveRun: LiveRun;
  readonly presenter: Presenter;
  readonly services: Services;
}

async function pay(
  owed: PendingEffect,
  state: State,
  { liveRun, presenter, services }: Means,
): Promise<void> {
  switch (owed.do) {
    case 'react':
    case 'reply':
      return presenter.pay(owed, state);
    case 'check_finish':
      await checkFinish(liveRun, state, services);
      return;
    case 'merge':
      // GitHub merges no draft, and its rules want our check to be green.
      await presenter.present(state);
      return mergeRun(liveRun, owed, services);
  }
}

/**
 * A green check lets a pull request be merged, so a ledger that says "approved" is not enough for it: once in
 * each process GitHub is asked whether it is so. When it is not, what is told then is drawn instead.
 */
async function isConfirmed(liveRun: LiveRun, state: State, services: Services): Promise<boolean> {
  const { standing, approvals } = state;
  if (standing.phase === 'done' && approvals.length > 0) {
    return (
      liveRun.confirmed === approvalKey(state) ||
      !(await readPull(liveRun.repository.octokit, liveRun.repository, liveRun.number)).open
    );
  }
  if (standing.phase !== 'approved' || standing.finish !== 'finished') return true;
  return liveRun.confirmed === approvalKey(state) || checkFinish(liveRun, state, services);
}

/** What is being done already, or has been, is not begun again; what failed may be. */
async function once(begun: Map<string, Promise<void>>, id: string, act: () => Promise<void>): Promise<void> {
  const known = begun.get(id);
  if (known !== undefined) return known;
  const work = act();
  begun.set(id, work);
  try {
    await work;
  } catch (fault) {
    begun.delete(id);
    throw fault;
  }
}
