import { MissingPermission } from '../github/octokit/fault.ts';
import { hasSucceeded } from '../github/read/own-checks.ts';
import { createPresenter, type Message, type Presenter } from '../github/show/present.ts';
import type { PendingEffect } from '../steering/pending-effect.ts';
import type { Effects } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { approvalKey, checkFinish } from './finish.ts';
import { mergeRun } from './merge.ts';
import { missingPermissionId, replyMissingPermission } from './missing-permission.ts';
import type { BodyEdit, Run } from './run.ts';
import type { Services } from './services.ts';
import { sourcesOf } from './sources.ts';

/** The effects of one run: its engine, its pull request, and its replies to people. */
export interface RunEffects extends Effects {
  /** Restores a human's text that our edit overwrote, or our own text that they removed. */
  repairBody(edit: BodyEdit, state: State): Promise<void>;
  /** Renders at once what is still waiting. */
  flush(): Promise<void>;
}

export function openEffects(run: Run, services: Services): RunEffects {
  const presenter = presenterOf(run, services);
  const started = new Map<string, Promise<void>>();
  const performer: Performer = { run, presenter, services };
  return {
    engage: (state) => {
      services.engine.engage(run, state);
      services.timers.watch(run, state);
    },
    perform: async (pending, state) => {
      const start = (effect: PendingEffect) =>
        once(started, effect.id, () => perform(effect, state, performer));
      await Promise.all(pending.filter(isMessage).map(start));
      for (const effect of pending) await start(effect);
    },
    present: async (state) => {
      await presenter.present(state).catch(async (fault: unknown) => {
        if (fault instanceof MissingPermission)
          await once(started, missingPermissionId(fault), () =>
            replyMissingPermission(run, { fault, state, services }),
          );
        throw fault;
      });
    },
    repairBody: async (edit, state) => {
      if (edit.by.login === run.repository.own.login) await presenter.restore(edit, state);
      else await presenter.present(state);
    },
    flush: () => presenter.flush(),
  };
}

function presenterOf(run: Run, services: Services): Presenter {
  const { log, renderAfterMs, secrets, seals } = services;
  const { octokit, own, owner, name: repo } = run.repository;
  return createPresenter({
    octokit,
    own,
    where: { owner, repo },
    reread: async () => (await run.readLedger())?.state,
    confirm: (state) => confirmedState(run, state, services),
    sources: sourcesOf(run),
    seals,
    log,
    secrets,
    renderAfterMs,
  });
}

interface Performer {
  readonly run: Run;
  readonly presenter: Presenter;
  readonly services: Services;
}

async function perform(
  effect: PendingEffect,
  state: State,
  { run, presenter, services }: Performer,
): Promise<void> {
  switch (effect.do) {
    case 'react':
    case 'reply':
      return presenter.send(effect, state);
    case 'check_finish':
      await checkFinish(run, state, services);
      return;
    case 'merge':
      // GitHub does not merge drafts, and its rules may require our check to succeed.
      await presenter.present(state);
      return mergeRun(run, effect, services);
  }
}

/** Messages are sent together, so that a burst of commands is answered in a few comments. */
function isMessage(effect: PendingEffect): effect is Message {
  return effect.do === 'react' || effect.do === 'reply';
}

/**
 * A successful check allows merging, so a ledger that says "approved" is not enough for it: each process
 * confirms the approval on GitHub once. If that fails, the state recorded by the check is rendered instead.
 */
async function confirmedState(run: Run, state: State, services: Services): Promise<State | undefined> {
  const { standing, approvals } = state;
  if (run.confirmed === approvalKey(state)) return state;
  if (standing.phase === 'done' && approvals.length > 0) {
    const { octokit, own } = run.repository;
    const place = { where: run.repository, number: run.number, own };
    return (await hasSucceeded(octokit, place, { head: state.head, name: state.settings.check }))
      ? state
      : { ...state, approvals: [] };
  }
  if (standing.phase !== 'approved' || standing.finish !== 'finished') return state;
  return (await checkFinish(run, state, services)) ? state : undefined;
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
