import { createHash } from 'node:crypto';
import type { Log } from '../../github/octokit/connect.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import type { Message, Refused, Sent } from '../../notify/target-message.ts';
import { messageOf } from '../../repository/faults.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import { type Repository, webOf } from '../../repository/repository.ts';
import { announcements } from '../../steering/announcements.ts';
import { decide } from '../../steering/decide.ts';
import type { EventOf } from '../../steering/state/event.ts';
import { isNotification, type Notification } from '../../steering/state/pending-effect.ts';
import type { Decide } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import { redactAll } from '../../text/redact.ts';
import { notificationText } from '../../words/notification.ts';
import type { Services } from './services.ts';

/** What comes after the first try, in milliseconds. Then it is the sweep that tries again. */
const waitsMs = [1_000, 2_000, 4_000];

/** How long a target may be away. */
const givenUpAfterMs = 24 * 60 * 60_000;

/** What somebody else has recorded they also send: only what they did not is ours, too. */
const leftToOthersMs = 60_000;

type Settled = EventOf<'settled'>;

/** A run, as far as what it owes to targets is concerned. */
interface NotifyingRun extends RunName {
  /** `owner/repo#n` */
  readonly name: string;
  readonly newest: State | undefined;
  readonly services: Pick<Services, 'notifier' | 'clock' | 'secrets'> & { readonly log: Pick<Log, 'warn'> };
  readonly ledger: {
    /** Some entries after the one with this number; undefined if there is no ledger. */
    steps(after: number): Promise<{ readonly steps: readonly LedgerStep[] } | undefined>;
    /** Records what was sent, together with whatever comes next. */
    defer(event: Settled, decide: Decide): void;
  };
  /** Records and shows at once what was given up. */
  record(event: Settled): Promise<unknown>;
}

interface RunName {
  readonly repository: Repository;
  /** The pull request's number. */
  readonly number: number;
}

/**
 * Sends what a run owes to targets of the operator's, beside everything else that it does. What is owed is in
 * the ledger, so it only needs to be looked at again: a target that was away gets all of it, in order, and a
 * process that ends between sending and recording makes the next one send again, under the same id.
 */
export class Outbox {
  readonly #run: NotifyingRun;
  readonly #signal: AbortSignal;
  /** The targets that are being sent to, by their names. */
  readonly #busy = new Map<string, Promise<void>>();
  /** Entries of which targets are to be told, by their numbers. */
  readonly #steps = new RecentMap<number, LedgerStep>({ max: 100 });
  /** The numbers of those that this process has recorded. */
  readonly #own = new Set<number>();
  /** What was sent or given up here, as it is recorded. */
  readonly #ended = new RecentMap<string, Settled>({ max: 500 });
  readonly #threads = new Map<string, string>();

  constructor(run: NotifyingRun, signal: AbortSignal) {
    this.#run = run;
    this.#signal = signal;
  }

  /** Remembers what this process has recorded, which it tells of at once. */
  note(steps: readonly LedgerStep[]): void {
    for (const { seq } of this.#keep(steps)) this.#own.add(seq);
  }

  /** Resolves when every target has got all that it takes for now. Never rejects: the sweep tries again. */
  async deliver(state: State): Promise<void> {
    // A job of the Action whose workflow has no targets leaves what is owed to the jobs that have them.
    if (this.#run.services.notifier === undefined) return;
    const targets = new Set(state.owed.filter(isNotification).map(({ to }) => to));
    await Promise.all([...targets].map((to) => this.#deliverTo(to)));
    this.#forget();
  }

  #keep(steps: readonly LedgerStep[]): readonly LedgerStep[] {
    const telling = steps.filter(({ seq, after }) => owedIn(after).some((each) => each.seq === seq));
    for (const step of telling) this.#steps.set(step.seq, step);
    return telling;
  }

  /** The states of entries are large, and a process has many runs. */
  #forget(): void {
    const { newest } = this.#run;
    const needed = new Set(owedIn(newest).map(({ seq }) => seq));
    for (const known of [this.#steps, this.#own])
      for (const seq of known.keys())
        if (newest !== undefined && seq <= newest.seq && !needed.has(seq)) known.delete(seq);
  }

  #deliverTo(to: string): Promise<void> {
    const busy = this.#busy.get(to);
    if (busy !== undefined) return busy;
    const sending = this.#sendAll(to).catch((fault: unknown) =>
      this.#run.services.log.warn(`could not notify ${to} of ${this.#run.name}: ${messageOf(fault)}`),
    );
    this.#busy.set(to, sending);
    return sending;
  }

  /** One after the other, until one does not arrive: people read them in the order of what happened. */
  async #sendAll(to: string): Promise<void> {
    try {
      await this.#recordEnded(to);
      let next = this.#nextFor(to);
      while (next !== undefined && !this.#signal.aborted) {
        if (!(await this.#send(next))) return;
        next = this.#nextFor(to);
      }
    } finally {
      // In the very moment of the last look: whoever comes later begins anew.
      this.#busy.delete(to);
    }
  }

  /** What could not be recorded yet; if it is about to be, this changes nothing. */
  async #recordEnded(to: string): Promise<void> {
    for (const settled of new Set(this.#owedTo(to).flatMap(({ id }) => this.#ended.get(id) ?? [])))
      if (settled.impossible === undefined) this.#defer(settled);
      else await this.#run.record(settled);
  }

  #defer(settled: Settled): void {
    this.#run.ledger.defer(settled, (before) => decide(before, settled));
  }

  #nextFor(to: string): Notification | undefined {
    const [next] = this.#leftFor(to);
    if (next === undefined) return undefined;
    // Of what lies ahead, a clock was wrong.
    const isOurs = this.#own.has(next.seq) || Math.abs(this.#ageOf(next.at)) > leftToOthersMs;
    return isOurs ? next : undefined;
  }

  #leftFor(to: string): readonly Notification[] {
    return this.#owedTo(to).filter(({ id }) => !this.#ended.has(id));
  }

  #owedTo(to: string): readonly Notification[] {
    return owedIn(this.#run.newest).filter((each) => each.to === to);
  }

  #ageOf(at: string): number {
    return this.#run.services.clock.now().getTime() - Date.parse(at);
  }

  /** Returns whether it is over with this one. */
  async #send(effect: Notification): Promise<boolean> {
    const { to } = effect;
    const message = await this.#messageOf(effect).catch((fault: unknown) => this.#unreadable(effect, fault));
    if ('outcome' in message) return this.#refused([effect], message);
    const sent = await this.#tryToSend(to, message);
    // A target that has just not taken one is not tried with each of the others that are as old.
    if (sent.outcome === 'refused') return this.#refused(this.#leftFor(to), sent);
    const thread = sent.thread === undefined ? {} : { thread: { of: to, id: sent.thread } };
    if (sent.thread !== undefined) this.#threads.set(to, sent.thread);
    this.#defer(this.#end([effect], thread));
    return true;
  }

  /** What went wrong may name folders of this machine, which is for its log alone. */
  #unreadable({ to }: Notification, fault: unknown): Refused {
    this.#run.services.log.warn(
      `could not read what ${to} is to be told of ${this.#run.name}: ${messageOf(fault)}`,
    );
    return { outcome: 'refused', reason: 'its entry in the ledger could not be read', forGood: false };
  }

  /** Gives up those for which it is too late. Returns whether there are any. */
  async #refused(effects: readonly Notification[], { reason, forGood }: Refused): Promise<boolean> {
    if (this.#signal.aborted) return false;
    const over = effects.filter(({ at }) => forGood || this.#ageOf(at) >= givenUpAfterMs);
    const then = over.length > 0 ? 'it is given up' : 'the next sweep will retry';
    const [{ to } = { to: 'anybody' }] = effects;
    this.#run.services.log.warn(`could not notify ${to} of ${this.#run.name}; ${then}: ${reason}`);
    if (over.length === 0) return false;
    const impossible = over.map(({ id }) => ({ id, reason: `${to}: ${reason}` }));
    await this.#run.record(this.#end(over, { impossible }));
    return true;
  }

  #end(effects: readonly Notification[], facts: Pick<Settled, 'impossible' | 'thread'>): Settled {
    const at = this.#run.services.clock.now().toISOString();
    const paid = effects.map(({ id }) => id);
    // Another process may have sent the first of several.
    const id = `settled:${messageId(this.#run, paid.join(' '))}`;
    const settled: Settled = { type: 'settled', id, at, paid, ...facts };
    for (const each of paid) this.#ended.set(each, settled);
    return settled;
  }

  async #tryToSend(to: string, message: Message): Promise<Sent> {
    const { notifier } = this.#run.services;
    if (notifier?.names.includes(to) !== true)
      return { outcome: 'refused', reason: 'the operator has no such target any more', forGood: true };
    let sent = await notifier.send(to, message, this.#signal);
    for (const ms of waitsMs) {
      if (sent.outcome === 'accepted' || sent.forGood || this.#signal.aborted) return sent;
      await passed(ms, this.#signal);
      if (!this.#signal.aborted) sent = await notifier.send(to, message, this.#signal);
    }
    return sent;
  }

  async #messageOf(effect: Notification): Promise<Message | Refused> {
    const { seq, nth, to } = effect;
    // What comes after it is often needed next, and reading a long history takes seconds.
    if (!this.#steps.has(seq)) this.#keep((await this.#run.ledger.steps(seq - 1))?.steps ?? []);
    const step = this.#steps.get(seq);
    const all = step === undefined ? [] : announcements(step.before, step.after, step.event);
    // An older version may have told more of the same entry, or less.
    const found = [all[nth], ...all].find((each) => each?.event === effect.event);
    if (step === undefined || found === undefined)
      return { outcome: 'refused', reason: 'its entry is no longer in the ledger', forGood: true };
    const { secrets } = this.#run.services;
    const announcement = redactAll(found, secrets);
    const state = { ...redactAll(step.after, secrets), run: step.after.run };
    const text = notificationText(announcement, state, webOf(this.#run.repository));
    const thread = this.#threads.get(to) ?? this.#run.newest?.threads?.[to];
    const id = messageId(this.#run, effect.id);
    return { id, announcement, ...text, ...(thread !== undefined && { thread }) };
  }
}

function owedIn(state: State | undefined): readonly Notification[] {
  return (state?.owed ?? []).filter(isNotification);
}

/** Or until the process stops. */
function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** The same in every process, for whoever takes a message once to know it again. */
function messageId({ repository, number }: RunName, effect: string): string {
  const digest = createHash('sha256').update(JSON.stringify([repository.id, number, effect]));
  return `msg_${digest.digest('base64url').slice(0, 27)}`;
}
