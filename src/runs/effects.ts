import { MissingPermission } from '../github/octokit/fault.ts';
import { readPull } from '../github/read/pulls.ts';
import { createPresenter, type Presenter } from '../github/show/present.ts';
import type { Owed } from '../steering/pending-effect.ts';
import type { World } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { checkFinish, vouchable } from './finish.ts';
import type { Lane } from './live-run.ts';
import { mergeRun } from './merge.ts';
import { markerOf, tellMissing } from './missing-permission.ts';
import type { Workshop } from './services.ts';
import { sourcesOf } from './sources.ts';

export interface BodyEdit {
  readonly by: { readonly login: string };
  readonly before: string;
  readonly after: string;
}

/** The world of one run: its engine, its pull request, and what it owes to people. */
export interface RunWorld extends World {
  /** Puts back what a human lost by our write, and draws again what they removed of ours. */
  mend(edit: BodyEdit, state: State): Promise<void>;
  /** Draws at once what waits to be drawn. */
  flush(): Promise<void>;
}

export function openWorld(lane: Lane, workshop: Workshop): RunWorld {
  const presenter = presenterOf(lane, workshop);
  const begun = new Map<string, Promise<void>>();
  // Where an App and an Action both listen, the run's first event says which of them acts.
  const isOurs = (state: State) => state.run.presenter === workshop.presenter;
  return {
    engage: (state) => {
      if (!isOurs(state)) return;
      workshop.engine.engage(lane, state);
      workshop.timers.watch(lane, state);
    },
    pay: async (owed, state) => {
      if (isOurs(state)) await once(begun, owed.id, () => pay(owed, state, { lane, presenter, workshop }));
    },
    present: async (state) => {
      if (!isOurs(state) || !(await isVouchedFor(lane, state, workshop))) return;
      await presenter.present(state).catch(async (fault: unknown) => {
        if (fault instanceof MissingPermission)
          await once(begun, markerOf(fault), () => tellMissing(lane, fault));
        throw fault;
      });
    },
    mend: async (edit, state) => {
      if (!isOurs(state)) return;
      if (edit.by.login === lane.repository.own.login) await presenter.restore(edit, state);
      else await presenter.present(state);
    },
    flush: () => presenter.flush(),
  };
}

function presenterOf(lane: Lane, { log }: Workshop): Presenter {
  const { octokit, own, owner, name: repo } = lane.repository;
  return createPresenter({
    octokit,
    own,
    where: { owner, repo },
    reread: async () => (await lane.recall())?.state,
    sources: sourcesOf(lane),
    log,
  });
}

interface Means {
  readonly lane: Lane;
  readonly presenter: Presenter;
  readonly workshop: Workshop;
}

async function pay(owed: Owed, state: State, { lane, presenter, workshop }: Means): Promise<void> {
  switch (owed.do) {
    case 'react':
    case 'reply':
      return presenter.pay(owed, state);
    case 'check_finish':
      await checkFinish(lane, state, workshop);
      return;
    case 'merge':
      // GitHub merges no draft, and its rules want our check to be green.
      await presenter.present(state);
      return mergeRun(lane, owed, workshop);
  }
}

/**
 * A green check lets a pull request be merged, so a ledger that says "approved" is not enough for it: once in
 * each process GitHub is asked whether it is so. When it is not, what is told then is drawn instead.
 */
async function isVouchedFor(lane: Lane, state: State, workshop: Workshop): Promise<boolean> {
  const { standing, approvals } = state;
  if (standing.phase === 'done' && approvals.length > 0) {
    return (
      lane.vouched === vouchable(state) ||
      !(await readPull(lane.repository.octokit, lane.repository, lane.number)).open
    );
  }
  if (standing.phase !== 'approved' || standing.finish !== 'finished') return true;
  return lane.vouched === vouchable(state) || checkFinish(lane, state, workshop);
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
