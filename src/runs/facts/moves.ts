import { GitError } from '../../git/git.ts';
import type { Told } from '../../github/listen/heard.ts';
import { askedBy } from '../../repository/configuration.ts';
import { isNewBase, isUndoneOn, retargetId } from '../../steering/branch/outdated-answers.ts';
import type { EventOf } from '../../steering/state/event.ts';
import { changeOf } from '../run/missed-moves.ts';
import type { Run } from '../run/run.ts';

/**
 * Whether the pull request was closed, or reopened, and is no longer. Deliveries arrive late and out of
 * order, and what has been undone since must not end a run or pause it; only merging cannot be undone.
 */
export async function isUndone(event: EventOf<'closed' | 'reopened'>, run: Run): Promise<boolean> {
  if (event.type === 'closed' && event.merged) return false;
  return isUndoneOn(await run.pull(), event);
}

/**
 * A change of base, as it is now and with the settings for it; undefined if the ledger has this base, or
 * there is no ledger, because the pull request is no run.
 */
export async function withSettings(
  told: Extract<Told, { type: 'retargeted' }>,
  run: Run,
): Promise<EventOf<'retargeted'> | undefined> {
  const known = await run.readLedger();
  if (known === undefined) return undefined;
  const { state, seen } = known;
  const pull = await run.pull();
  const { base_ref: base, default_branch } = pull;
  if (!isNewBase(state, pull)) return undefined;
  const same_commit = await isSameCommit(run, { before: state.run.base, now: base });
  const reading = await run.readSettings({ base, default_branch, ...askedBy(state) });
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { at, by } = told.base === base ? told : await changeOf(run, pull);
  const id = retargetId({ base, at }, { seen, seq: state.seq });
  return { type: 'retargeted', id, at, base, settings, same_commit, by };
}

/** Whether the new base is where we last saw the former one, which need not exist any more. */
async function isSameCommit(
  { repository }: Run,
  { before, now }: { readonly before: string; readonly now: string },
): Promise<boolean> {
  const mirror = await repository.mirror();
  const seen = await mirror.resolve(`refs/heads/${before}`);
  try {
    await mirror.fetchBranches(now);
  } catch (fault) {
    // The new base is gone already; the verification finds out.
    if (fault instanceof GitError && /couldn't find remote ref/.test(fault.stderr)) return false;
    throw fault;
  }
  return seen !== undefined && seen === (await mirror.resolve(`refs/heads/${now}`));
}
