import { createPresenter } from '../github/show/present.ts';
import { mergePull } from '../github/read/index.ts';
import type { Owed } from '../steering/owed.ts';
import type { World } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { checkFinish } from './finish.ts';
import type { Lane } from './lane.ts';
import { sourcesOf } from './sources.ts';
import type { Workshop } from './workshop.ts';

/** Performs what a run's state asks for: its engine, its pull request, and what it owes. */
export function openWorld(lane: Lane, workshop: Workshop): World {
  const { repository } = lane;
  const presenter = createPresenter({
    octokit: repository.octokit,
    own: repository.own,
    reread: async () => (await lane.recall())?.state,
    sources: sourcesOf(lane),
    log: workshop.log,
  });
  const paying = new Map<string, Promise<void>>();
  const isOurs = (state: State) => state.run.presenter === workshop.presenter;

  async function pay(owed: Owed, state: State): Promise<void> {
    switch (owed.do) {
      case 'react':
      case 'reply':
        return presenter.pay(owed, state);
      case 'check_finish':
        return checkFinish(lane, state, workshop);
      case 'merge':
        return mergeRun(lane, state, owed);
    }
  }

  return {
    engage: (state) => {
      if (isOurs(state)) workshop.engine.engage(lane, state);
    },
    pay: (owed, state) => (isOurs(state) ? once(paying, owed.id, () => pay(owed, state)) : Promise.resolve()),
    present: (state) => (isOurs(state) ? presenter.present(state) : Promise.resolve()),
  };
}

/** What is being done already, or has been, is not begun again; what failed may be. */
function once(begun: Map<string, Promise<void>>, id: string, act: () => Promise<void>): Promise<void> {
  const known = begun.get(id);
  if (known !== undefined) return known;
  const work = act();
  begun.set(id, work);
  work.catch(() => begun.delete(id));
  return work;
}
