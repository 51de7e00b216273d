import { lastReopening } from '../../../src/github/read/pulls.ts';
import { CheckRuns } from '../../../src/github/show/check-runs.ts';
import { viewOf } from '../../../src/github/show/view.ts';
import { groundOf } from '../../../src/steering/approval/auto-approval.ts';
import { approvalKey, isFinished } from '../../../src/steering/approval/finish-reasons.ts';
import { spawningIn } from '../../../src/steering/iterations/interactions.ts';
import { isOver } from '../../../src/steering/phases/table.ts';
import type { PendingEffect } from '../../../src/steering/state/pending-effect.ts';
import type { Effects } from '../../../src/steering/state/ports.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { run } from '../samples.ts';
import { checkFinish } from './check-finish.ts';
import { own, repository, us } from './hub.ts';
import { apiOf } from './hub-api.ts';
import { closeAs } from './people.ts';
import type { Process } from './process.ts';

/** What a process does to GitHub, each thing in requests that may fail or seem to. */
export function effectsOf(process: Process): Effects {
  const { hub, started } = process;
  const log = { info: () => undefined, warn: () => undefined };
  const clock = { now: () => new Date(hub.at) };
  const target = { octokit: apiOf(hub), run, own, secrets: [], log, clock };
  const drawn = (state: State) => {
    const checks = new CheckRuns(target, () => undefined);
    const head = hub.pull.head;
    return checks.render(state, viewOf(state, 'https://github.test/acme/service').checks, head);
  };
  return {
    engage: () => undefined,
    perform: async (effect, state) => {
      const work = started.get(effect.id) ?? perform(effect, state);
      started.set(effect.id, work);
      await work.catch((fault: unknown) => {
        started.delete(effect.id);
        throw fault;
      });
      return { outcome: 'done' };
    },
    present: async (given) => {
      const recorded = process.read() ?? given;
      const state = await confirmed(recorded);
      if (state === undefined) return;
      await process.write(() => drawn(state));
      await process.write(() => hub.changePull({ draft: draftOf(state, hub.pull.draft) }));
    },
  };

  async function confirmed(state: State): Promise<State | undefined> {
    if (!isFinished(state)) return state;
    const isHere = hub.pull.head === state.head && hub.pull.base === state.run.base;
    if (process.confirmed === approvalKey(state) && isHere) return state;
    return checkFinish(process, state);
  }

  async function perform(effect: PendingEffect, state: State): Promise<void> {
    switch (effect.do) {
      case 'reply':
        return process.write(() => {
          // Its hidden mark says that it is there already.
          if (!hub.replies.has(effect.id)) hub.replies.set(effect.id, 1);
        });
      case 'withdraw':
        return process.write(() =>
          new CheckRuns(target, () => undefined).retire(effect.heads, process.newest ?? state),
        );
      case 'close':
        if (!isOver((process.newest ?? state).standing.phase)) return;
        return process.write(async () => {
          const reopening = await lastReopening(apiOf(hub), repository, run.number);
          const isWanted = reopening !== undefined && Date.parse(reopening.at) > Date.parse(effect.at ?? '');
          if (!hub.pull.open || isWanted) return;
          hub.closings += 1;
          closeAs(hub, us, false);
        });
      case 'draw':
      case 'record_outcome':
      case 'request_reviews':
      case 'wake':
      case 'tell_issue':
      case 'close_issue':
        return;
      case 'read_checks':
        return process.readChecks();
      case 'spawn':
        return spawn(effect.id, process.read() ?? state);
      case 'check_finish':
        if (groundOf(state) !== undefined) await process.write(() => drawn(state));
        await checkFinish(process, state);
        return;
      case 'merge':
        return merge(effect.head_sha);
    }
  }

  /** Other runs are made, unless one of them cannot be. */
  async function spawn(effect: string, state: State): Promise<void> {
    const spawning = spawningIn(state);
    if (spawning === undefined) return;
    const { cause, tasks } = spawning;
    const made = tasks.map(({ name }) => ({ name, number: hub.newId() }));
    const refused = hub.newId() % 3 === 0 ? { refused: { name: 'rest', why: 'the base is gone' } } : {};
    await process.pause();
    const id = `spawned:${effect}`;
    await process.record({ type: 'spawned', id, at: process.clock, cause, made, ...refused });
  }

  async function merge(head: string): Promise<void> {
    const state = process.read();
    if (state === undefined || !isFinished(state) || state.shown?.head_sha !== head) return;
    const finishable = await checkFinish(process, state);
    if (finishable === undefined || !hub.pull.open || finishable.settings.approval.finish === 'ready') return;
    await process.write(() => {
      if (hub.pull.open && hub.pull.head === head) closeAs(hub, us, true);
    });
  }
}

function draftOf(state: State, now: boolean): boolean {
  const { pull } = viewOf(state, '');
  return pull === 'untouched' ? now : pull === 'draft';
}
