import { isInProgress } from '../../steering/phases/table.ts';
import { comesLast, type PendingEffect } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';
import { redact, redactAll } from '../../text/redact.ts';
import { addressed, replyText, type Sources } from '../../words/index.ts';
import type { LedgerTip } from '../marks.ts';
import type { PullFacts } from '../read/pulls.ts';
import { dequeuePull, disableAutoMerge } from '../write/merge-pull.ts';
import type { PresenterLog, PullTarget } from '../write/pull-target.ts';
import { blockIn, humanText } from './block.ts';
import { openWriter, type PullWriter } from './pull-writer.ts';
import { render } from './render.ts';

/** Renders one run on its pull request and answers people there. */
export interface Presenter {
  /**
   * Renders the state on the pull request, writing only what differs. Resolves when it is rendered or a newer
   * state has replaced it, which can take a while; nothing should wait for it.
   */
  present(state: State): Promise<void>;
  /** Renders the state at once, for what rests on it: resolves only when it, or a newer one, is rendered. */
  presentNow(state: State): Promise<void>;
  /** Renders the state after someone changed the block, which is then drawn again even if it could wait. */
  redraw(state: State): Promise<void>;
  /** What is being done, in one line that the next renderings show while it is true; undefined: nothing. */
  showWork(line: string | undefined): void;
  /** Replies exactly once, however often it is called. */
  send(message: Message, state: State): Promise<void>;
  /**
   * Takes back what no longer holds: auto-merge where an approval fell, and the decisions on former heads.
   * `newest` is asked when its turn has come: a former head may be the head again by then.
   */
  withdraw(withdrawal: Withdrawal, newest: () => State): Promise<void>;
  close(state: State): Promise<void>;
  /** Does something else to the pull request between two renderings; the next one reads GitHub again. */
  interrupt(work: () => Promise<void>): Promise<void>;
  /** Restores text that our own edit overwrote; false if nothing was lost. */
  restore(edit: { readonly before: string; readonly after: string }, state: State): Promise<boolean>;
  /** Renders at once what is still waiting. */
  flush(): Promise<void>;
}

/** An effect that people see on the pull request. */
type Message = Extract<PendingEffect, { do: 'reply' }>;

/** An effect that takes something back. */
type Withdrawal = Extract<PendingEffect, { do: 'withdraw' }>;

type TargetOptions = Pick<PullTarget, 'octokit' | 'own' | 'detailsUrl' | 'seals' | 'clock' | 'others'> &
  Partial<Pick<PullTarget, 'log' | 'secrets'>>;

export interface PresenterOptions extends TargetOptions {
  /** The repository by its current names; those in the ledger may be outdated or forged. */
  readonly where: { readonly owner: string; readonly repo: string };
  /** The current state in the ledger; undefined if there is none. */
  readonly reread: () => Promise<State | undefined>;
  /**
   * The same where another process may have recorded something, and else what this process knows; by default
   * `reread`.
   */
  readonly newest?: () => Promise<State | undefined>;
  /**
   * The state as far as GitHub confirms it, given the pull request as it is now; undefined: do not render it.
   * Every rendering asks, because the ledger alone is not proof. By default every state is rendered.
   */
  readonly confirm?: (state: State, pull: PullFacts) => Promise<State | undefined>;
  /** How far the ledger has come, if known: every decision says so. */
  readonly tip?: () => LedgerTip | undefined;
  readonly sources: Sources;
  /** How long a phase with work in progress must last to be rendered, in milliseconds; 3000 by default. */
  readonly renderAfterMs?: number | undefined;
  /** How long to wait before each further look for a head that GitHub does not show yet, in milliseconds. */
  readonly headWaitsMs?: readonly number[];
}

const defaultHeadWaitsMs = [250, 500, 1000, 2000];

/** One per run; it caches its own writes so that it need not read them again. */
export function createPresenter(options: PresenterOptions): Presenter {
  const { sources, reread, newest = reread, renderAfterMs = 3000, secrets = [] } = options;
  const { confirm = async (state) => state } = options;
  const { tip = () => undefined, headWaitsMs = defaultHeadWaitsMs } = options;
  let writer: PullWriter | undefined;
  let atWork: string | undefined;
  const writerFor = (state: State): PullWriter => {
    writer ??= openWriter(targetOf(options, state), state.started_at, tip);
    writer.pull.showWork(atWork);
    return writer;
  };
  const redacted = (state: State) => ({ ...redactAll(state, secrets), run: state.run });
  const rendering = { confirm, redacted, web: sources.web, headWaitsMs };
  const scheduler = new RenderScheduler({
    renderAfterMs,
    reread,
    newest,
    render: (wanted, force) => render(writerFor(wanted), wanted, { ...rendering, force }),
    forget: () => writer?.pull.forget(),
    mayWait: () => writer?.checks.showsSuccess !== true,
  });
  const sending = new Map<string, Promise<void>>();
  return {
    present: (state) => scheduler.schedule(state),
    presentNow: (state) => scheduler.scheduleNow(state),
    redraw: (state) => {
      writerFor(state).pull.distrust();
      return scheduler.schedule(state);
    },
    showWork: (line) => {
      atWork = line === undefined ? undefined : redact(line, secrets);
    },
    flush: () => scheduler.flush(),
    send: (message, state) => {
      const underWay = sending.get(message.id) ?? send(writerFor(state), sources, { message, state });
      sending.set(message.id, underWay);
      return underWay.finally(() => sending.delete(message.id));
    },
    withdraw: (withdrawal, newest) =>
      scheduler.enqueue(() => withdraw(writerFor(newest()), withdrawal, newest())),
    close: (state) => scheduler.enqueue(() => writerFor(state).pull.close()),
    interrupt: (work) =>
      scheduler.enqueue(async () => {
        await work().finally(() => {
          writer?.checks.forget();
          writer?.pull.forget();
        });
      }),
    restore: (edit, state) => restore(writerFor(state), edit),
  };
}

const silent: PresenterLog = { info: () => undefined, warn: () => undefined };

function targetOf(options: PresenterOptions, state: State): PullTarget {
  return { log: silent, secrets: [], ...options, run: { ...state.run, ...options.where } };
}

/** An approval that fell must not be merged, so auto-merge and the place in a merge queue go first. */
async function withdraw(
  { target, pull, checks }: PullWriter,
  { approved, heads, queued }: Withdrawal,
  state: State,
): Promise<void> {
  if (approved) {
    const { octokit, run } = target;
    const now = await pull.read();
    if (now.open && now.auto_merge !== null) await disableAutoMerge(octokit, now);
    if (now.open && queued) await dequeuePull(octokit, { owner: run.owner, name: run.repo }, now);
  }
  await checks.retire(heads, state);
}

async function send(
  writer: PullWriter,
  sources: Sources,
  { message, state }: { readonly message: Message; readonly state: State },
): Promise<void> {
  const { words, to, id } = message;
  const mark = { kind: 'reply', id } as const;
  if (await writer.comments.has(mark)) return;
  const text = await replyText(words, state, sources);
  const replies = comesLast(message) ? writer.lastReplies : writer.replies;
  await replies.add({ mark, text: to === null ? text : addressed(to, text) });
}

async function restore(
  { pull, target }: PullWriter,
  edit: { before: string; after: string },
): Promise<boolean> {
  if (!losesText({ ...edit, run: target.run.id })) return false;
  const restored = await pull.rewrite((current) => mergeEdit({ ...edit, run: target.run.id, current }));
  if (restored) target.log.warn(`restored an edit of ${target.run.id} that our own edit overwrote`);
  return restored;
}

/** Our own edit of the body, and the body now. */
interface OwnEdit {
  readonly run: string;
  /** The body that our edit replaced. */
  readonly before: string;
  /** The body as our own edit left it. */
  readonly after: string;
  readonly current: string;
}

/** Whether the edit removed text that we did not know of; most only change our block. */
function losesText({ run, before, after }: Omit<OwnEdit, 'current'>): boolean {
  return humanText(before, run).trimEnd() !== humanText(after, run).trimEnd();
}

/**
 * GitHub has no conditional update, so our edit may overwrite text that someone saved after we read the body.
 * Returns the body with that text restored, or undefined if nothing was lost or someone has edited it since.
 */
export function mergeEdit({ run, before, after, current }: OwnEdit): string | undefined {
  const theirs = humanText(before, run).trimEnd();
  const ours = humanText(after, run).trimEnd();
  if (!losesText({ run, before, after }) || humanText(current, run).trimEnd() !== ours) return undefined;
  const block = blockIn(current, run);
  if (block === undefined) return theirs;
  return theirs === '' ? block : `${theirs}\n\n${block}`;
}

interface RenderSchedulerOptions {
  readonly renderAfterMs: number;
  /** False if a later state is already shown; `force` renders anyway. */
  readonly render: (state: State, force: boolean) => Promise<boolean>;
  /** The current state in the ledger. */
  readonly reread: () => Promise<State | undefined>;
  /**
   * The state in the ledger where another process may have recorded something, and else what this process
   * knows.
   */
  readonly newest: () => Promise<State | undefined>;
  /** Discards what is known of the pull request: someone may have changed it. */
  readonly forget: () => void;
  /** Whether what is shown may stay a little longer; not if it permits merging. */
  readonly mayWait: () => boolean;
}

/** If the ledger changes during this many renderings in a row, other processes write it and render too. */
const maxTries = 5;

/** Passing phases may follow each other without end, so what is shown becomes at most this many waits old. */
const maxWaits = 5;

/** Schedules rendering: one at a time, only the newest state, and no phase that ends at once. */
export class RenderScheduler {
  readonly #options: RenderSchedulerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #wanted: State | undefined;
  #renderedSeq: number | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #endWait: () => void = () => undefined;
  /** What is waiting to be rendered. */
  #waiting: { readonly since: number; readonly seq: number; readonly until: number } | undefined;
  #flushing = false;

  constructor(options: RenderSchedulerOptions) {
    this.#options = options;
  }

  /** Resolves when the state is rendered, or a newer one has replaced it. */
  async schedule(state: State): Promise<void> {
    const rendering = this.#schedule(state, 1);
    this.#underWay.add(rendering);
    try {
      await rendering;
    } finally {
      this.#underWay.delete(rendering);
    }
  }

  /** Renders without any wait; resolves only when the state, or what has replaced it, is rendered. */
  async scheduleNow(state: State): Promise<void> {
    await Promise.all([this.schedule(state), this.flush()]);
    while ((this.#renderedSeq ?? 0) < state.seq && this.#underWay.size > 0) await this.flush();
  }

  /** Renders at once what is waiting; resolves when nothing is left. Failures go to the original callers. */
  async flush(): Promise<void> {
    this.#flushing = true;
    this.#endWait();
    await Promise.allSettled(this.#underWay);
    this.#flushing = false;
  }

  async #schedule(state: State, tries: number): Promise<void> {
    if (this.#wanted !== undefined && state.seq < this.#wanted.seq) return;
    this.#wanted = state;
    this.#endWait();
    if (this.#mayEndSoon(state)) await this.#wait(state);
    if (this.#wanted !== state) return;
    this.#waiting = undefined;
    const moved = await this.enqueue(() => this.#render(state));
    if (moved !== undefined && moved.seq > this.#wanted.seq && tries < maxTries)
      await this.#schedule(moved, tries + 1);
  }

  /** Phases in progress may end soon; all others wait for someone and are rendered at once. */
  #mayEndSoon(state: State): boolean {
    const renderedBefore = this.#renderedSeq !== undefined && this.#renderedSeq < state.seq;
    return renderedBefore && !this.#flushing && isPassing(state) && this.#options.mayWait();
  }

  /** Waits until the phase has lasted long enough, or a newer state has arrived. */
  async #wait({ seq }: State): Promise<void> {
    const { renderAfterMs } = this.#options;
    const now = performance.now();
    const since = this.#waiting?.since ?? now;
    const latest = since + maxWaits * renderAfterMs;
    // Another look at the same state is no reason to wait longer.
    const until = this.#waiting?.seq === seq ? this.#waiting.until : Math.min(now + renderAfterMs, latest);
    this.#waiting = { since, seq, until };
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, until - now);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Does something between two renderings. */
  async enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    // A failure goes to the caller of this turn and does not affect the next one.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the state that is now in the ledger. */
  async #render(state: State): Promise<State | undefined> {
    if (this.#wanted !== state) return undefined;
    const { render, reread, newest, forget } = this.#options;
    if (this.#renderedSeq === state.seq) forget();
    const isNewest = await render(state, false);
    if (isNewest) this.#renderedSeq = state.seq;
    // A body that claims to show a later state is not believed.
    const now = await (isNewest ? newest() : reread());
    if (isNewest || now === undefined || now.seq > state.seq) return now;
    // The block claims a sequence number that the ledger does not have; the ledger is right.
    await render(now, true);
    this.#renderedSeq = now.seq;
    return now;
  }
}

/** An agent waits for people, who have to hear of it at once. */
function isHeld(standing: State['standing']): boolean {
  return standing.phase === 'working' && standing.asking !== undefined;
}

/** Work in progress or the final check; after an approval that fell nothing is left as it was. */
function isPassing({ standing, owed }: State): boolean {
  if (owed.some((effect) => effect.do === 'withdraw' && effect.approved)) return false;
  if (isHeld(standing)) return false;
  return isInProgress(standing.phase) || (standing.phase === 'approved' && standing.finish === 'checking');
}
