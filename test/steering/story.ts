import { decide } from '../../src/steering/decide.ts';
import { deadlines } from '../../src/steering/handlers/deadlines.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { attemptDue, stageOf } from '../../src/steering/iterations/iteration.ts';
import type { ParkReason } from '../../src/steering/shapes/agent-progress.ts';
import type { AskedCall, Failure, GateHit, Observations } from '../../src/steering/shapes/attempt-result.ts';
import type { FinishFacts } from '../../src/steering/shapes/finishing.ts';
import type { Person, Source } from '../../src/steering/shapes/people.ts';
import type { AskedQuestion } from '../../src/steering/shapes/question.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';
import { isLeased, type LeaseId, type Phase, type TimerKind } from '../../src/steering/shapes/standing.ts';
import type { RunIdentity } from '../../src/steering/shapes/task.ts';
import type { Event, EventOf } from '../../src/steering/state/event.ts';
import {
  isNotification,
  mayStayPending,
  type PendingEffect,
  type Refusal,
  type ReplyContent,
} from '../../src/steering/state/pending-effect.ts';
import type { Reaction } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';
import { passChecks } from './checks.ts';
import {
  ada,
  automation,
  type Choices,
  changes,
  failureOf,
  finishedWork,
  keptRef,
  parkedWork,
  removal,
  report,
  run,
  settingsOf,
  sha,
  task,
  verifierOutputs,
} from './samples.ts';
import type {
  Button,
  Click,
  CommentOptions,
  FinishOptions,
  Left,
  Met,
  Push,
  StartOptions,
  Taken,
} from './story-options.ts';
import { parseCommand } from './story-words.ts';

/** A run as a sequence of calls: each one is an event, which is passed to `decide`. */
export function story(choices: Choices = {}): Story {
  return new Story(settingsOf(choices));
}

// Distributes over the union, so that each event keeps exactly its own fields.
type EventFields = Event extends infer E ? (E extends Event ? Omit<E, 'id' | 'at'> : never) : never;

type Merged = Pick<EventOf<'base_merged'>, 'type' | 'base' | 'base_sha'>;
type Beyond = Partial<Omit<EventOf<'verified'>, 'id' | 'at' | 'type' | 'hold' | 'head'>>;

export class Story {
  readonly events: Event[] = [];
  readonly subjects: string[] = [];
  readonly effects: PendingEffect[] = [];
  /** How comments were answered at a glance. */
  readonly reacted: Reaction[] = [];
  now = Date.parse('2025-03-03T12:00:00Z');
  readonly #settings: Settings;
  readonly #ids = new Set<string>();
  #state: State | undefined;
  #count = 0;
  #commits = 0;
  #tookCode = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Started by a label unless a source is given. */
  starts(identity: Partial<RunIdentity> = {}, given: StartOptions = {}): this {
    const fields = { task, settings: this.#settings, by: ada, source: null, ...given };
    return this.apply({ type: 'run_started', run: { ...run, ...identity }, ...fields });
  }

  /** The process that performs the attempts. */
  readonly engine = {
    /** With the settings that were read now: unchanged unless given, and for the base as it is. */
    takes: (holder = 'engine', read: Partial<Taken> = {}): this => {
      const { iteration, head, settings, run, standing } = this.state;
      const until = this.#iso(this.now + 32 * 60_000);
      const isStage =
        settings.stages !== undefined && standing.phase === 'queued' && standing.work === 'attempt';
      const stage = isStage && { stage: stageOf(this.state).name };
      const hold = { iteration, attempt: attemptDue(this.state), ...stage, holder, until };
      return this.apply({ type: 'attempt_started', hold, head, ...{ settings, base: run.base, ...read } });
    },
    /** Pushes an empty commit on which CI runs. */
    startsCi: (hold?: LeaseId): this => this.#pushesOwn({ type: 'ci_started' }, hold),
    /** Pushes a commit with the files of an earlier iteration. */
    undoes: (hold?: LeaseId): this => this.#pushesOwn({ type: 'undone' }, hold),
    /** Merges the base into the branch. */
    updates: (base_sha = sha(990)): this =>
      this.#pushesOwn({ type: 'base_merged', base: this.state.run.base, base_sha }),
    /** Puts allowed work on the branch. */
    lands: (): this => {
      if (this.phase === 'queued') this.engine.takes();
      const { standing } = this.state;
      if (standing.phase !== 'working' || standing.held === undefined) throw new Error('nothing is held');
      return this.apply({ type: 'work_finished', hold: this.hold, work: standing.held.work });
    },
    /** Takes the work on another head than the ledger's. */
    finds: (head: string): this => this.engine.takes('engine', { head }),
    isLost: (hold: LeaseId = this.hold): this => this.apply({ type: 'hold_lost', hold }),
    breaks: (what = 'the disk is full'): this => this.apply({ type: 'run_failed', reference: 'r-1', what }),
  };

  #pushesOwn(event: { type: 'ci_started' | 'undone' } | Merged, hold?: LeaseId): this {
    if (hold === undefined && this.phase === 'queued') this.engine.takes();
    const { head: head_before } = this.state;
    return this.apply({ ...event, hold: hold ?? this.hold, head_before, head: this.newCommit() });
  }

  readonly agent = {
    finishes: (done: FinishOptions = {}, hold?: LeaseId): this => {
      const { blocked, heard } = done;
      if (hold === undefined && this.phase === 'queued') this.engine.takes();
      const work = finishedWork(this.state.head, () => this.newCommit(), done);
      const met = { ...(blocked && { blocked }), ...(heard && { heard }) };
      return this.apply({ type: 'work_finished', hold: hold ?? this.hold, work, ...met });
    },
    /** A stage that plans ends with this, and with no commit. */
    plans: (text: string, dropped?: readonly string[]): this =>
      this.agent.finishes({ changesNothing: true, plan: { text, ...(dropped && { dropped }) } }),
    /** It finishes, but its work is not pushed because of these gates. */
    isHeld: (hits: readonly GateHit[] = [automation], hold?: LeaseId): this => {
      if (hold === undefined && this.phase === 'queued') this.engine.takes();
      const head = this.newCommit();
      const work = { head_before: this.state.head, head, report, changes, cost: {}, duration_s: 60 };
      const kept = hits.some(({ rule }) => rule === 'touches-secrets') ? null : keptRef(head);
      return this.apply({ type: 'work_held', hold: hold ?? this.hold, work, hits, kept });
    },
    /** It is held before a tool call for two minutes. */
    asks: (call: Partial<AskedCall> = {}, hold: LeaseId = this.hold): this => {
      const until = this.#iso(this.now + 2 * 60_000);
      return this.apply({ type: 'permission_requested', hold, call: { ...removal, ...call }, until });
    },
    lapses: (hold: LeaseId = this.hold, call = removal.id): this =>
      this.apply({ type: 'permission_lapsed', hold, call, because: 'timeout' }),
    /** It wants to know something, with these options if there are any, and is held. */
    wonders: (
      question: string,
      options: readonly string[] = [],
      asked: Partial<AskedQuestion> = {},
    ): this => {
      if (this.phase === 'queued') this.engine.takes();
      const all = { id: `ask-${this.#count + 1}`, question, ...(options && { options }), ...asked };
      return this.apply({ type: 'question_asked', hold: this.hold, asked: all });
    },
    /** It is stopped before it has finished; what it left is kept, unless it had changed nothing. */
    parks: (because: ParkReason = 'question', left: Left = {}, hold: LeaseId = this.hold): this =>
      this.apply({ type: 'work_parked', ...parkedWork(this.state, because, left), hold }),
    /** It hears, or cannot hear, the oldest steer on its way. */
    isTold: (how: 'injected' | 'restarted_turn' | 'unable', hold: LeaseId = this.hold): this => {
      const { standing } = this.state;
      const steer = (standing.phase === 'working' && standing.telling?.[0]?.id) || 'none';
      return this.apply({ type: 'steer_told', hold, steer, how });
    },
    fails: (kind: Failure['kind'] = 'exit', message?: string, met: Met = {}): this => {
      if (this.phase === 'queued') this.engine.takes();
      const { budget, tip, ...rest } = met;
      const failure = { ...failureOf(kind, message), ...(budget && { budget }), ...(tip && { tip }) };
      return this.apply({
        type: 'work_failed',
        hold: this.hold,
        failure,
        kept: null,
        duration_s: 60,
        ...rest,
      });
    },
  };

  readonly verifiers = {
    pass: (gates: readonly GateHit[] = [], met: Observations = {}): this => this.#verified([], gates, met),
    fail: (...red: readonly string[]): this => this.#verified(red, [], {}),
    /** With what was found out beyond them; the verifiers that are named fail. */
    find: (beyond: Beyond, ...red: readonly string[]): this => this.#verified(red, [], beyond),
  };

  /** One successful attempt, after which the run waits for a human. */
  works(options: FinishOptions = {}): this {
    this.agent.finishes(options);
    passChecks(this.verifiers.pass());
    return this;
  }

  says(by: Person, text: string, options: CommentOptions = {}): this {
    const comment_id = options.comment ?? this.#count + 1000;
    const { secondsAfterHead, via_app, up_to_date } = options;
    const through = { ...(via_app !== undefined && { via_app }), ...(up_to_date && { up_to_date }) };
    if (secondsAfterHead !== undefined) this.now = Date.parse(this.state.head_at) + secondsAfterHead * 1000;
    const written_at = this.#iso(this.now);
    const source = { from: 'comment', comment_id, text_sha256: `sha256 of ${text}`, written_at } as const;
    return this.apply({ type: 'said', command: parseCommand(text), by, source, ...through }, options.id);
  }

  reviews(
    by: Person,
    verdict: 'approves' | { readonly asks: string } | { readonly says: string },
    commit_id = this.state.head,
    review_id = 70,
  ): this {
    const source = { from: 'review', review_id, commit_id, text_sha256: 'sha256 of a review' } as const;
    const text =
      verdict === 'approves' ? '/approve' : 'says' in verdict ? verdict.says : `/steer ${verdict.asks}`;
    const command = parseCommand(text);
    return this.apply({ type: 'said', command, by, source });
  }

  clicks(by: Person, button: Button, click: Partial<Click> = {}): this {
    const { head_sha = this.state.head, interaction = openInteraction(this.state)?.id ?? 'none' } = click;
    const source = { from: 'click', check_run_id: 9, head_sha, interaction } as const;
    const command = button === 'reject' ? { type: button, reason: '' } : parseCommand(`/${button}`);
    return this.apply({ type: 'said', command, by, source });
  }

  dispatches(by: Person, text: string): this {
    const source: Source = { from: 'dispatch', workflow_run_id: 5 };
    return this.apply({ type: 'said', command: parseCommand(text), by, source });
  }

  dismisses(by: Person, review_id = 70): this {
    return this.apply({ type: 'review_dismissed', review_id, by: by.login });
  }

  edits(comment_id: number, text: string | null, { by = ada, by_author = true } = {}): this {
    return this.apply({ type: 'comment_changed', comment_id, by_author, by: by.login, text });
  }

  pushes(by: Person, { head = this.newCommit(), before = this.state.head, ...push }: Push = {}): this {
    const { forced = false, merges_base = false } = push;
    const who = { by: by.login, by_id: by.id };
    return this.apply({ type: 'pushed', before, head, forced, ...who, ...(merges_base && { merges_base }) });
  }

  deletesBranch(by: Person): this {
    return this.apply({ type: 'branch_deleted', by: by.login });
  }

  closes(by: Person): this {
    return this.apply({ type: 'closed', merged: false, by: by.login });
  }

  merges(by: Person, { base = this.state.run.base } = {}): this {
    return this.apply({ type: 'closed', merged: true, by: by.login, base });
  }

  /** Changes the base; the settings for it have a check of their own unless they are given. */
  retargets(
    by: Person,
    base: string,
    given: { settings?: Settings | null; same_commit?: boolean } = {},
  ): this {
    const { settings = { ...this.state.settings, check: `Coxswain (${base})` }, same_commit = false } = given;
    return this.apply({ type: 'retargeted', base, settings, same_commit, by: by.login });
  }

  reopens(by: Person): this {
    return this.apply({ type: 'reopened', by: by.login });
  }

  /** The facts that GitHub confirms just before finishing: unchanged, except those given. */
  confirms(changed: Partial<FinishFacts> = {}): this {
    const { approvals, settings, shown } = this.state;
    const facts = {
      head_sha: shown?.head_sha ?? this.state.head,
      base: this.state.run.base,
      settings,
      approvals: approvals.map(({ id }) => ({ id, stands: true, why: '' })),
      ...changed,
    };
    return this.apply({ type: 'finish_checked', facts });
  }

  /** Advances the clock; the timer for people to say something, or for the model, fires when its time comes. */
  waits(hours: number): this {
    const end = this.now + hours * 3_600_000;
    const kinds: readonly TimerKind[] = ['review', 'question', 'rate_limit'];
    const due = deadlines(this.state).find(({ kind, at }) => kinds.includes(kind) && Date.parse(at) <= end);
    if (due !== undefined) {
      this.now = Date.parse(due.at);
      this.apply({ type: 'timer_due', timer: due.kind, deadline: due.at });
    }
    this.now = end;
    return this;
  }

  /** Passes one event to `decide` and performs the pending effects. A repeated id changes nothing. */
  apply(fields: EventFields, id = `event:${this.#count + 1}`): this {
    if (this.#ids.has(id)) return this;
    this.#count += 1;
    this.#ids.add(id);
    this.#tookCode = false;
    // The spread of a union member is that member again, but TypeScript loses the tag.
    this.#record({ ...fields, id, at: this.#iso(this.now) } as Event);
    this.now += 60_000;
    return this;
  }

  newCommit(): string {
    this.#commits += 1;
    return sha(this.#commits);
  }

  get state(): State {
    if (this.#state === undefined) throw new Error('the story has not started');
    return this.#state;
  }

  get phase(): Phase {
    return this.state.standing.phase;
  }

  get hold(): LeaseId {
    const { standing } = this.state;
    if (!isLeased(standing)) throw new Error(`there is no lease while ${standing.phase}`);
    return standing.hold;
  }

  get deadline(): string | undefined {
    const { standing } = this.state;
    return 'deadline' in standing ? standing.deadline : undefined;
  }

  get subject(): string | undefined {
    return this.subjects.at(-1);
  }

  /** Whether the last event's commits reached the branch. */
  get tookCode(): boolean {
    return this.#tookCode;
  }

  /** All replies so far, oldest first. */
  get replies(): readonly ReplyContent[] {
    return this.effects.flatMap((effect) => (effect.do === 'reply' ? [effect.words] : []));
  }

  get refusal(): Refusal | undefined {
    const last = this.replies.at(-1);
    return last?.say === 'refused' ? last.refusal : undefined;
  }

  get reactions(): readonly string[] {
    return this.reacted.map(({ as }) => as);
  }

  get prompts(): readonly string[] {
    return this.state.iterations.map(({ prompt }) => prompt);
  }

  #verified(red: readonly string[], gates: readonly GateHit[], met: Beyond): this {
    if (this.phase === 'queued') this.engine.takes();
    const { head, settings } = this.state;
    const verifiers = verifierOutputs(settings, red);
    const found = { head, verifiers, changes, gates, duration_s: 5, ...met };
    return this.apply({ type: 'verified', hold: this.hold, ...found });
  }

  #record(event: Event): void {
    const decision = decide(this.#state, event);
    if (decision.outcome === 'nothing') return;
    this.events.push(event);
    this.#state = decision.state;
    if (event.type === 'settled') return;
    this.subjects.push(decision.subject);
    if (decision.reaction !== undefined) this.reacted.push(decision.reaction);
    this.#tookCode = decision.takes_code;
    // These are sent apart from all others, and tests say when.
    this.#complete(decision.state.owed.filter((effect) => !isNotification(effect)));
  }

  #complete(pending: readonly PendingEffect[]): void {
    const known = new Set(this.effects.map(({ id }) => id));
    this.effects.push(...pending.filter(({ id }) => !known.has(id)));
    if (pending.every(mayStayPending)) return;
    const paid = pending.map(({ id }) => id);
    this.#record({ type: 'settled', id: `settled:${this.state.seq}`, at: this.#iso(this.now), paid });
  }

  #iso(time: number): string {
    return new Date(time).toISOString();
  }
}
