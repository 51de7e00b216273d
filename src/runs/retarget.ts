import { GitError } from '../git/git.ts';
import { type BaseChange, lastBaseChange } from '../github/read/base-changes.ts';
import { type PullFacts, readPull } from '../github/read/pulls.ts';
import type { Event } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import { isBeforeBase } from './outdated.ts';
import type { Run } from './run.ts';

/** A change of base as a webhook told it. */
export interface ToldRetarget extends BaseChange {
  readonly base: string;
}

/** Records that someone changed the base, if that is news. A pull request without a run has no ledger. */
export async function recordRetarget(run: Run, told: ToldRetarget): Promise<void> {
  const state = (await run.readLedger())?.state;
  if (state === undefined) return;
  const { octokit } = run.repository;
  const event = await retargetIn(run, state, {
    pull: await readPull(octokit, run.repository, run.number),
    told,
  });
  if (event !== undefined) await run.record(event);
}

interface Seen {
  /** As it is now: deliveries arrive late and out of order. */
  readonly pull: PullFacts;
  readonly told?: ToldRetarget;
}

/** The event, if the base is not the one in the ledger. */
export async function retargetIn(run: Run, state: State, { pull, told }: Seen): Promise<Event | undefined> {
  const { base_ref: base, default_branch } = pull;
  if (base === state.run.base || isBeforeBase(state, pull)) return undefined;
  const same_commit = await isSameCommit(run, { before: state.run.base, now: base });
  const reading = await run.readSettings({ base, default_branch, overrides: state.overrides });
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { at, by } = told?.base === base ? told : await changeOf(run, pull);
  return { type: 'retargeted', id: `retargeted:${base}@${at}`, at, base, settings, same_commit, by };
}

async function changeOf({ repository }: Run, pull: PullFacts): Promise<BaseChange> {
  const { number, base_ref: base, updated_at } = pull;
  const change = await lastBaseChange(repository.octokit, repository, { number, base });
  return change ?? { at: updated_at, by: 'somebody' };
}

/** Whether the new base is where we last saw the former one, which need not exist any more. */
async function isSameCommit(
  { repository }: Run,
  { before, now }: { readonly before: string; readonly now: string },
): Promise<boolean> {
  const mirror = await repository.mirror();
  const seen = await mirror.resolve(`refs/heads/${before}`);
  try {
    await mirror.fetch([`+refs/heads/${now}:refs/heads/${now}`]);
  } catch (fault) {
    // The new base is gone already; the verification finds out.
    if (fault instanceof GitError && /couldn't find remote ref/.test(fault.stderr)) return false;
    throw fault;
  }
  return seen !== undefined && seen === (await mirror.resolve(`refs/heads/${now}`));
}
