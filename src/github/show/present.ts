import type { Seals } from '../../seal/seals.ts';
import type { PendingEffect } from '../../steering/pending-effect.ts';
import type { State } from '../../steering/state.ts';
import { redactAll } from '../../text/redact.ts';
import type { Octokit } from '../octokit/connect.ts';
import type { Own } from '../own.ts';
import { addressed, replyText, type Sources, settledAsk } from '../words/index.ts';
import { Comments } from '../write/comments.ts';
import type { PresenterLog, PullTarget } from '../write/pull-target.ts';
import { react } from '../write/reactions.ts';
import { CheckRuns } from './check-runs.ts';
import { mergeEdit } from './merge-edit.ts';
import { Pull } from './pull.ts';
import { RenderScheduler } from './render-scheduler.ts';
import { ReplyQueue } from './reply-queue.ts';
import { type View, viewOf } from './view.ts';

/** Renders one run on its pull request and answers people there. */
export interface Presenter {
  /**
   * Renders the state on the pull request, writing only what differs. Resolves when it is rendered or a newer
   * state has replaced it, which can take a while; nothing should wait for it.
   */
  present(state: State): Promise<void>;
  /** Replies or reacts exactly once, however often it is called. */
  send(message: Message, state: State): Promise<void>;
  /** Restores text that our own edit overwrote; false if nothing was lost. */
  restore(edit: { readonly before: string; readonly after: string }, state: State): Promise<boolean>;
  /** Renders at once what is still waiting. */
  flush(): Promise<void>;
}

/** An effect that people see on the pull request. */
export type Message = Extract<PendingEffect, { do: 'react' | 'reply' }>;

export interface PresenterOptions {
  readonly octokit: Octokit;
  readonly own: Own;
  /** The repository by its current names; those in the ledger may be outdated or forged. */
  readonly where: { readonly owner: string; readonly repo: string };
  /** The current state in the ledger; undefined if there is none. */
  readonly reread: () => Promise<State | undefined>;
  /**
   * The state as far as GitHub confirms it; undefined: do not render it. Every rendering asks, because the
   * ledger alone is not proof. By default every state is rendered.
   */
  readonly confirm?: (state: State) => Promise<State | undefined>;
  readonly sources: Sources;
  /** The App's, with which it seals the block in the body. */
  readonly seals?: Seals | undefined;
  readonly log?: PresenterLog;
  /** Values to redact from everything that is posted; none by default. */
  readonly secrets?: readonly string[];
  /** How long a phase with work in progress must last to be rendered, in milliseconds; 3000 by default. */
  readonly renderAfterMs?: number | undefined;
}

/** One per run; it caches its own writes so that it need not read them again. */
export function createPresenter(options: PresenterOptions): Presenter {
  const { sources, reread, renderAfterMs = 3000, secrets = [] } = options;
  const { confirm = async (state) => state } = options;
  let writer: PullWriter | undefined;
  const writerFor = (state: State): PullWriter => {
    writer ??= openWriter(options, state);
    return writer;
  };
  const scheduler = new RenderScheduler({
    renderAfterMs,
    reread,
    render: async (wanted, force) => {
      const confirmed = await confirm(wanted);
      // What the check recorded instead is rendered next.
      if (confirmed === undefined) return true;
      const state = { ...redactAll(confirmed, secrets), run: confirmed.run };
      return render(writerFor(state), { state, view: viewOf(state, sources.web), force });
    },
    forget: () => writer?.pull.forget(),
  });
  const sending = new Map<string, Promise<void>>();
  return {
    present: (state) => scheduler.schedule(state),
    flush: () => scheduler.flush(),
    send: (message, state) => {
      const underWay = sending.get(message.id) ?? send(writerFor(state), sources, { message, state });
      sending.set(message.id, underWay);
      return underWay.finally(() => sending.delete(message.id));
    },
    restore: (edit, state) => restore(writerFor(state), edit),
  };
}

const silent: PresenterLog = { info: () => undefined, warn: () => undefined };

/** The writers of a presenter. */
interface PullWriter {
  readonly target: PullTarget;
  readonly comments: Comments;
  readonly replies: ReplyQueue;
  readonly checks: CheckRuns;
  readonly pull: Pull;
}

function openWriter(options: PresenterOptions, state: State): PullWriter {
  const { octokit, own, where, seals, log = silent, secrets = [] } = options;
  const target: PullTarget = { octokit, own, log, seals, secrets, run: { ...state.run, ...where } };
  const comments = new Comments(target, state.started_at);
  return {
    target,
    comments,
    replies: new ReplyQueue(comments, { combines: state.run.presenter === 'app' }),
    checks: new CheckRuns(target),
    pull: new Pull(target),
  };
}

interface Rendering {
  readonly state: State;
  readonly view: View;
  /** Even over a body that claims to show a later state. */
  readonly force: boolean;
}

/** The check runs and the question come first, the body last. False if a later state is already shown. */
async function render(writer: PullWriter, rendering: Rendering): Promise<boolean> {
  const { state, view, force } = rendering;
  await renderDecision(writer, rendering);
  const outcome = await writer.pull.render(state, view, force);
  if (outcome === 'rendered') return true;
  writer.checks.forget();
  writer.comments.forget();
  if (outcome === 'newer') return false;
  // Another process rendered in between, so our cache was outdated.
  await renderDecision(writer, rendering);
  return true;
}

async function renderDecision({ checks, comments }: PullWriter, { state, view }: Rendering): Promise<void> {
  await checks.render(state, view.checks);
  if (view.ask !== null)
    await comments.createOrUpdate({ kind: 'ask', id: view.ask.interaction }, view.ask.text);
  for (const interaction of view.settled) {
    await comments.update({ kind: 'ask', id: interaction.id }, (asked) => settledAsk(asked, interaction));
  }
}

interface Sending {
  readonly message: Message;
  readonly state: State;
}

async function send(writer: PullWriter, sources: Sources, { message, state }: Sending): Promise<void> {
  if (message.do === 'react') return reactTo(writer.target, message);
  const { words, to, id } = message;
  const mark = { kind: 'reply', id } as const;
  if (await writer.comments.has(mark)) return;
  const text = await replyText(words, state, sources);
  await writer.replies.add({ mark, text: to === null ? text : addressed(to, text) });
}

async function reactTo({ octokit, run, log }: PullTarget, { to, as }: Extract<Message, { do: 'react' }>) {
  const { comment_id } = to;
  const found = await react(octokit, { owner: run.owner, name: run.repo }, { comment_id, content: as });
  if (!found) log.info(`comment ${comment_id} of ${run.id} no longer exists, so it gets no ${as}`);
}

async function restore(
  { pull, target }: PullWriter,
  edit: { before: string; after: string },
): Promise<boolean> {
  const restored = await pull.rewrite((current) => mergeEdit({ ...edit, run: target.run.id, current }));
  if (restored) target.log.warn(`restored an edit of ${target.run.id} that our own edit overwrote`);
  return restored;
}
