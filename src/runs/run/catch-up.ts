import { remoteTip } from '../../git/remote.ts';
import type { Hearing, Told } from '../../github/listen/heard.ts';
import { translate } from '../../github/listen/translate.ts';
import { type MissedCommand, missedCommands, type Subject } from '../../github/read/missed-commands.ts';
import { tooMany } from '../../github/read/pagination.ts';
import { type BaseChange, lastBaseChange } from '../../github/read/pull-timeline.ts';
import { lastClosing, type PullFacts } from '../../github/read/pulls.ts';
import { roleOf } from '../../github/read/roles.ts';
import { isOfLedger } from '../../ledger/errors.ts';
import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import { historyOf } from '../../repository/contributors.ts';
import { messageOf } from '../../repository/faults.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import { isBeforeReopening, isNewBase } from '../../steering/branch/outdated-answers.ts';
import { interruptIn, isResolution, spawningIn } from '../../steering/iterations/interactions.ts';
import { doubtsSettled, readUpTo } from '../../steering/process-state.ts';
import { type Account, somebody } from '../../steering/shapes/people.ts';
import { steersOnTheirWay } from '../../steering/shapes/standing.ts';
import { isBefore, later } from '../../steering/shapes/time.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from './run.ts';

/** GitHub's times have whole seconds, and events can be recorded out of order. */
const marginMs = 60_000;

/**
 * Records what happened on the pull request but is missing from the ledger: commands, pushes, another base,
 * closing. Every event has the same id as from its webhook, so what is already recorded changes nothing. One
 * command that cannot be read does not keep the others from being recorded. Returns what went wrong with such
 * commands: what they say is unknown.
 */
export async function catchUp(run: Run, { state, ...known }: LedgerSnapshot): Promise<readonly unknown[]> {
  const { repository, process } = run;
  const pull = await run.pull();
  const seen = new Set([...known.seen, ...run.passedOver.keys()]);
  const faults = await recordCommands(run, { ...pull, repository, seen }, state);
  await recordMoves(run, { pull, state, seen });
  if (faults.length === 0) run.process = doubtsSettled(run.process, process.doubts);
  return faults;
}

/** The same for what must not go on otherwise: throws what went wrong. Returns whether there is a ledger. */
export async function requireCaughtUp(run: Run): Promise<boolean> {
  const snapshot = await run.readLedger();
  const [fault] = snapshot === undefined ? [] : await catchUp(run, snapshot);
  if (fault !== undefined) throw fault;
  return snapshot !== undefined;
}

/**
 * Records what happened to the pull request and its branch before somebody decides about a task that failed:
 * of a push that GitHub has not told us of yet, nobody who decides has seen what it comes to.
 */
export async function catchUpBefore(event: Told, run: Run): Promise<void> {
  if (event.type !== 'said' || !isResolution(event.command.type)) return;
  // Looking costs requests, which not everybody may cause.
  if (!isAlwaysAnswered(event.by.role)) return;
  const { state, seen } = (await run.readLedger()) ?? {};
  if (state === undefined || seen === undefined || seen.has(event.id)) return;
  if (interruptIn(state) === undefined || spawningIn(state) !== undefined) return;
  const pull = await run.pull();
  await recordMoves(run, { pull, state, seen });
}

interface Looking {
  readonly pull: PullFacts;
  readonly state: State;
  readonly seen: ReadonlySet<string>;
}

/** Another base, pushes, and closing. */
async function recordMoves(run: Run, { pull, state, seen }: Looking): Promise<void> {
  const retarget = pull.open ? await missedRetarget(run, pull, state) : undefined;
  if (retarget !== undefined) await run.record(retarget);
  const news = pull.open ? await missedPush(run, pull, state) : await missedClosing(run, pull, seen);
  if (news !== undefined) await run.record(news);
}

/** Those since the last time that all were recorded; if one cannot be, the same are read again. */
async function recordCommands(run: Run, subject: Subject, state: State): Promise<readonly unknown[]> {
  const { octokit, own } = run.repository;
  const { events, unread, read_at, complete } = await missedCommands(
    octokit,
    subject,
    unreadSince(run, state),
  );
  const faults: unknown[] = [...unread];
  const isWaitedFor = waiting(run, state);
  for (const incoming of events) {
    try {
      if (await isWaitedFor(incoming)) await recordMissed(run, incoming, { octokit, own, trigger: '' });
    } catch (fault) {
      // Nothing else can be recorded either.
      if (isOfLedger(fault)) throw fault;
      faults.push(fault);
    }
  }
  if (faults.length === 0 && read_at !== undefined) run.process = readUpTo(run.process, read_at);
  return complete ? faults : [...faults, tooMany(subject, 'comments')];
}

async function recordMissed(run: Run, incoming: MissedCommand, hearing: Hearing): Promise<void> {
  for (const heard of await translate(incoming, hearing)) {
    if (heard.kind !== 'event') continue;
    const { event } = heard;
    // The ledger was read just now; edits that change nothing come back in every sweep.
    if (event.type !== 'comment_changed' || isQueued(run.newest, event)) await run.record(event);
  }
}

/**
 * A new process reads everything, because what was recorded last does not tell what was not. Commands from
 * before the ledger was restored were answered, or recorded in the lost one.
 */
function unreadSince({ process: { read_up_to } }: Run, { started_at, restored }: State): string {
  const since = read_up_to === undefined ? started_at : before(read_up_to);
  return later(restored?.at, since);
}

/**
 * Whether an answer is still waited for. What people without write access said long ago may have been too
 * much to be answered, and changes nothing; each of them costs one request.
 */
function waiting({ repository }: Run, { updated_at }: State): (said: MissedCommand) => Promise<boolean> {
  const recent = before(updated_at);
  const roles = new Map<number, ReturnType<typeof roleOf>>();
  return async ({ action, at, author }) => {
    if (!isBefore(at, recent) || (action !== 'created' && action !== 'submitted')) return true;
    const asked = roles.get(author.id) ?? roleOf(repository.octokit, repository, author);
    roles.set(author.id, asked);
    return isAlwaysAnswered((await asked).role);
  };
}

function before(time: string): string {
  return new Date(Date.parse(time) - marginMs).toISOString();
}

/**
 * Whether a comment that was edited or deleted is a steer that still waits, in the queue or on its way to an
 * agent; no other edit matters.
 */
export function isQueued(state: State | undefined, { comment_id }: EventOf<'comment_changed'>): boolean {
  if (state === undefined) return false;
  const waiting = [...steersOnTheirWay(state), ...state.queue];
  return waiting.some(({ source }) => source.from === 'comment' && source.comment_id === comment_id);
}

/**
 * Whether an event is no edit, or one of a steer that is queued. Anyone may edit their comments for ever, so
 * an edit must not use up the budget for pushes unless it can matter.
 */
export async function mayMatter(
  event: Told,
  run: Pick<Run, 'newest' | 'recordingWords' | 'reread'>,
): Promise<boolean> {
  if (event.type !== 'comment_changed') return true;
  // One of them may be the steer that was edited.
  await run.recordingWords.done();
  if (isQueued(run.newest, event)) return true;
  await run.reread();
  return isQueued(run.newest, event);
}

/** The closing of a pull request that is closed, and who did it. */
async function missedClosing(
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
async function missedRetarget(
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
async function missedPush(
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
