import { remoteTip } from '../../git/remote.ts';
import type { Told } from '../../github/listen/heard.ts';
import { type BaseChange, lastBaseChange } from '../../github/read/pull-timeline.ts';
import { lastClosing, type PullFacts } from '../../github/read/pulls.ts';
import { historyOf } from '../../repository/contributors.ts';
import { messageOf } from '../../repository/faults.ts';
import { isBeforeReopening, isNewBase } from '../../steering/branch/outdated-answers.ts';
import { type Account, somebody } from '../../steering/shapes/people.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from './run.ts';

/** The closing of a pull request that is closed, and who did it. */
export async function missedClosing(
  { repository, number, name, services }: Run,
  pull: PullFacts,
  seen: ReadonlySet<string>,
): Promise<EventOf<'closed'> | undefined> {
  const at = pull.closed_at ?? pull.updated_at;
  if (isBeforeReopening(seen, at)) return undefined;
  const id = `closed:${at}`;
  const asking = seen.has(id) ? undefined : lastClosing(repository.octokit, repository, number);
  const closing = await asking?.catch((fault: unknown) => {
    services.log.warn(`could not find out who closed ${name}: ${messageOf(fault)}`);
    return undefined;
  });
  const { merged, base_ref: base } = pull;
  return { type: 'closed', id, at, by: closing?.by ?? somebody, merged, base };
}

/**
 * Records that the pull request of a run that has ended, or is about to, was merged, if that was missed:
 * whoever merged it has said more of it than the run. Returns whether it is closed.
 */
export async function recordMissedEnd(run: Run): Promise<boolean> {
  const pull = await run.pull();
  if (pull.open) return false;
  const snapshot = pull.merged ? await run.readLedger() : undefined;
  const news = snapshot && (await missedClosing(run, pull, snapshot.seen));
  if (news !== undefined && !snapshot?.seen.has(news.id)) await run.record(news);
  return true;
}

/** Another base than the ledger's, and who has changed it. */
export async function missedRetarget(
  run: Run,
  pull: PullFacts,
  state: State,
): Promise<Extract<Told, { type: 'retargeted' }> | undefined> {
  if (!isNewBase(state, pull)) return undefined;
  const { base_ref: base } = pull;
  const { at, by } = await changeOf(run, pull);
  return { type: 'retargeted', id: `retargeted:${base}@${at}`, at, base, by };
}

/** When the base was changed to what it is now, and by whom. */
export async function changeOf({ repository }: Run, pull: PullFacts): Promise<BaseChange> {
  const { number, base_ref: base, updated_at } = pull;
  const change = await lastBaseChange(repository.octokit, repository, { number, base });
  return change ?? { at: updated_at, by: somebody };
}

/**
 * GitHub may show an earlier head for a while after a push, also after our own, so the branch itself is asked
 * when they differ. Whether somebody pushed with force is unknown here and does not matter.
 */
export async function missedPush(
  run: Run,
  { head_ref, head_sha, updated_at: at }: PullFacts,
  { head: before }: State,
): Promise<EventOf<'pushed'> | undefined> {
  if (head_sha === before) return undefined;
  const head = await remoteTip(run.repository.remote, head_ref);
  if (head === undefined || head === before) return undefined;
  const pusher = await pusherOf(run, { head_ref, head_sha: head }).catch((fault: unknown) => {
    run.services.log.warn(`could not find out who pushed to ${run.name}: ${messageOf(fault)}`);
    return undefined;
  });
  const { login: by, id: by_id } = pusher ?? { login: somebody, id: 0 };
  return { type: 'pushed', id: `push:${head}@${at}`, at, by, by_id, before, head, forced: false };
}

/** Who may approve what was pushed is asked again when it counts. */
async function pusherOf(
  { repository }: Run,
  branch: Pick<PullFacts, 'head_ref' | 'head_sha'>,
): Promise<Account | undefined> {
  const { moves } = await historyOf(repository, branch);
  return moves[0]?.by ?? undefined;
}
