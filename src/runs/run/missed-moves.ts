import { remoteTip } from '../../git/remote.ts';
import type { Told } from '../../github/listen/heard.ts';
import { type BaseChange, lastBaseChange } from '../../github/read/pull-timeline.ts';
import { lastClosing, type PullFacts } from '../../github/read/pulls.ts';
import { historyOf } from '../../repository/contributors.ts';
import { messageOf } from '../../repository/faults.ts';
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

/** Whether the base is not the one in the ledger, by an answer of GitHub that is not older than that. */
export function isNewBase(state: State, pull: PullFacts): boolean {
  return pull.base_ref !== state.run.base && !isBeforeBase(state, pull);
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

/**
 * For a while GitHub may answer with what a pull request was before the last event in the ledger. Such an
 * answer must not be recorded: it would undo that event, which is in the ledger and not recorded again.
 */

/** Whether the base in the ledger is newer than what was read. */
export function isBeforeBase(
  { base_at }: Pick<State, 'base_at'>,
  pull: Pick<PullFacts, 'updated_at'>,
): boolean {
  return base_at !== undefined && Date.parse(pull.updated_at) < Date.parse(base_at);
}

/** Whether the ledger knows that the pull request was reopened after this closing. */
export function isBeforeReopening(seen: ReadonlySet<string>, closed_at: string): boolean {
  return isBefore(seen, { turn: 'reopened', at: closed_at });
}

/** Whether the ledger knows that the pull request was closed after this reopening. */
export function isBeforeClosing(seen: ReadonlySet<string>, reopened_at: string): boolean {
  return isBefore(seen, { turn: 'closed', at: reopened_at });
}

/** These events are named after their times. */
function isBefore(
  seen: ReadonlySet<string>,
  { turn, at }: { readonly turn: 'closed' | 'reopened'; readonly at: string },
): boolean {
  const named = `${turn}:`;
  const times = [...seen].filter((id) => id.startsWith(named)).map((id) => id.slice(named.length));
  return times.some((time) => Date.parse(time) > Date.parse(at));
}

/**
 * What a change of base is recorded as. GitHub's times have whole seconds, so an old answer from the second
 * of the change may have undone it in the ledger; the same change is then recorded once more.
 */
export function retargetId(
  { base, at }: { readonly base: string; readonly at: string },
  { seen, seq }: { readonly seen: ReadonlySet<string>; readonly seq: number },
): string {
  const id = `retargeted:${base}@${at}`;
  return seen.has(id) ? `${id}+${seq}` : id;
}
