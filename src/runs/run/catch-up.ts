import type { Hearing, Told } from '../../github/listen/heard.ts';
import { translate } from '../../github/listen/translate.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { type MissedCommand, missedCommands, type Subject } from '../../github/read/missed-commands.ts';
import { tooMany } from '../../github/read/pagination.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { type LiveRole, roleOf } from '../../github/read/roles.ts';
import { isOfLedger } from '../../ledger/errors.ts';
import type { LedgerSnapshot } from '../../ledger/ledger.ts';
import { isAlwaysAnswered } from '../../steering/approval/authorization.ts';
import { interruptIn, isResolution, spawningIn } from '../../steering/iterations/interactions.ts';
import { readUpTo } from '../../steering/process-state.ts';
import { steersOnTheirWay } from '../../steering/shapes/standing.ts';
import { isBefore, later } from '../../steering/shapes/time.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { missedClosing, missedPush, missedRetarget } from './missed-moves.ts';
import type { Run } from './run.ts';

/** GitHub's times have whole seconds, and events can be recorded out of order. */
const marginMs = 60_000;

/**
 * Records what happened on the pull request but is missing from the ledger: commands, pushes, another base,
 * closing. Every event has the same id as from its webhook, so what is already recorded changes nothing. One
 * command that cannot be read does not keep the others from being recorded. Returns what went wrong with such
 * commands: what they say is unknown.
 */
export async function catchUp(
  run: Run,
  { state, ...known }: LedgerSnapshot,
  log: Pick<Log, 'warn'>,
): Promise<readonly unknown[]> {
  const { repository, number } = run;
  const pull = await readPull(repository.octokit, repository, number);
  const seen = new Set([...known.seen, ...run.passedOver.keys()]);
  const faults = await recordCommands(run, { ...pull, repository, seen }, state);
  await recordMoves(run, { pull, state, seen }, log);
  return faults;
}

/**
 * Records what happened to the pull request and its branch before somebody decides about a task that failed:
 * of a push that GitHub has not told us of yet, nobody who decides has seen what it comes to.
 */
export async function catchUpBefore(event: Told, run: Run, log: Pick<Log, 'warn'>): Promise<void> {
  if (event.type !== 'said' || !isResolution(event.command.type)) return;
  // Looking costs requests, which not everybody may cause.
  if (!isAlwaysAnswered(event.by.role)) return;
  const { state, seen } = (await run.readLedger()) ?? {};
  if (state === undefined || seen === undefined || seen.has(event.id)) return;
  if (interruptIn(state) === undefined || spawningIn(state) !== undefined) return;
  const pull = await readPull(run.repository.octokit, run.repository, run.number);
  await recordMoves(run, { pull, state, seen }, log);
}

interface Looking {
  readonly pull: PullFacts;
  readonly state: State;
  readonly seen: ReadonlySet<string>;
}

/** Another base, pushes, and closing. */
async function recordMoves(run: Run, { pull, state, seen }: Looking, log: Pick<Log, 'warn'>): Promise<void> {
  const retarget = pull.open ? await missedRetarget(run, pull, state) : undefined;
  if (retarget !== undefined) await run.record(retarget);
  const news = pull.open
    ? await missedPush(run, pull, { state, log })
    : await missedClosing(run, pull, { seen, log });
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
  const roles = new Map<number, Promise<LiveRole>>();
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
 * Anyone may edit their comments for ever, so an edit must not use up the budget for pushes unless it can
 * matter. One per run.
 */
export class CommentEdits {
  readonly #run: Pick<Run, 'newest' | 'readLedger'>;
  /** Commands that are being recorded; one of them may be the steer that was edited. */
  readonly #recording = new Set<Promise<unknown>>();
  #reading: Promise<unknown> | undefined;

  constructor(run: Pick<Run, 'newest' | 'readLedger'>) {
    this.#run = run;
  }

  await(event: Pick<Event, 'type'>, recording: Promise<unknown>): void {
    if (event.type !== 'said') return;
    this.#recording.add(recording);
    void recording.catch(() => undefined).finally(() => this.#recording.delete(recording));
  }

  /** Whether an event is no edit, or one of a steer that is queued; one look at the ledger serves many. */
  async mayMatter(event: Told): Promise<boolean> {
    if (event.type !== 'comment_changed') return true;
    await Promise.allSettled(this.#recording);
    if (isQueued(this.#run.newest, event)) return true;
    this.#reading ??= this.#run.readLedger().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return isQueued(this.#run.newest, event);
  }
}
