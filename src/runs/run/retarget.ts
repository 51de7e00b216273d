import { GitError } from '../../git/git.ts';
import { type BaseChange, lastBaseChange } from '../../github/read/base-changes.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import { somebody } from '../../steering/shapes/person.ts';
import type { Event } from '../../steering/state/event.ts';
import { askedBy } from '../repository/configuration.ts';
import { isBeforeBase, retargetId } from './outdated.ts';
import type { Run } from './run.ts';

/** A change of base as a webhook told it. */
export interface ToldRetarget extends BaseChange {
  readonly base: string;
}

/** Records that someone changed the base, if that is news. A pull request without a run has no ledger. */
export async function recordRetarget(run: Run, told: ToldRetarget): Promise<void> {
  const known = await run.readLedger();
  if (known === undefined) return;
  const pull = await readPull(run.repository.octokit, run.repository, run.number);
  const event = await retargetIn(run, known, { pull, told });
  if (event !== undefined) await run.record(event);
}

interface Shown {
  /** As it is now: deliveries arrive late and out of order. */
  readonly pull: PullFacts;
  readonly told?: ToldRetarget;
}

/** The event, if the base is not the one in the ledger. */
export async function retargetIn(
  run: Run,
  { state, seen }: Pick<LedgerSnapshot, 'state' | 'seen'>,
  { pull, told }: Shown,
): Promise<Event | undefined> {
  const { base_ref: base, default_branch } = pull;
  if (base === state.run.base || isBeforeBase(state, pull)) return undefined;
  const same_commit = await isSameCommit(run, { before: state.run.base, now: base });
  const reading = await run.readSettings({ base, default_branch, ...askedBy(state) });
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { at, by } = told?.base === base ? told : await changeOf(run, pull);
  const id = retargetId({ base, at }, { seen, seq: state.seq });
  return { type: 'retargeted', id, at, base, settings, same_commit, by };
}

async function changeOf({ repository }: Run, pull: PullFacts): Promise<BaseChange> {
  const { number, base_ref: base, updated_at } = pull;
  const change = await lastBaseChange(repository.octokit, repository, { number, base });
  return change ?? { at: updated_at, by: somebody };
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
