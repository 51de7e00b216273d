import { type Entry, entryFrom, planAppend, withoutCode } from '../../../src/ledger/append-batch.ts';
import type { Attachments, Proposal } from '../../../src/ledger/attachments.ts';
import { type LedgerHead, messageOf, trailersOf } from '../../../src/ledger/format.ts';
import type { Event } from '../../../src/steering/state/event.ts';
import type { Recorded } from '../../../src/steering/state/ports.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { type Hub, us } from './hub.ts';

/** One commit of the ledger, as whoever wrote it decided. */
export interface LogCommit {
  readonly head: LedgerHead;
  readonly event: Event;
  /** The event moved the branch. */
  readonly movesBranch: boolean;
}

/** The ledger on the remote: it takes a commit only on top of the one that its writer knows. */
export class Log {
  readonly #hub: Hub;
  readonly onCommit: (before: State | undefined, commit: LogCommit) => void;
  last: LogCommit | undefined;

  constructor(hub: Hub, onCommit: Log['onCommit']) {
    this.#hub = hub;
    this.onCommit = onCommit;
  }

  get state(): State | undefined {
    return this.last?.head.state;
  }

  get seen(): ReadonlySet<string> {
    return this.last?.head.seen ?? new Set();
  }

  /** Records events on top of a commit; undefined if that is no longer the last one. */
  push(known: LogCommit | undefined, entries: readonly Entry[]): readonly Recorded[] | 'moved' {
    const plan = planAppend(known?.head, entries);
    if (plan.commits.length > 0 && known !== this.last) return 'moved';
    const answers = plan.answers.map((answer) => {
      if ('failed' in answer) throw answer.failed;
      return answer.recorded;
    });
    const code = plan.code !== undefined && 'branch' in plan.code ? plan.code : undefined;
    if (code !== undefined && code.from !== this.#hub.branch) {
      const refusal = { kind: 'moved', message: 'the branch moved' } as const;
      return this.push(
        known,
        entries.map((entry) => withoutCode(entry, refusal)),
      );
    }
    if (code !== undefined) this.#hub.move(code.to, us);
    this.#append(plan.commits, code !== undefined);
    return answers;
  }

  #append(commits: ReturnType<typeof planAppend>['commits'], movesBranch: boolean): void {
    for (const [index, { state, log, namespace, message }] of commits.entries()) {
      const event = JSON.parse(log.slice(log.lastIndexOf('\n', log.length - 2) + 1));
      const written = trailersOf(messageOf({ ...message, seq: state.seq }));
      if (written.event !== event.id || written.seq !== state.seq)
        throw new Error(`the trailers of ${event.id} say ${written.event} and ${written.seq}`);
      const before = this.last?.head.state;
      const seen = new Set([...this.seen, event.id]);
      // As the ledger keeps it.
      const kept = JSON.parse(JSON.stringify(state));
      const head = { commit: `c${state.seq}`, namespace, state: kept, log: '', seen, key: null };
      // What was deferred goes first.
      this.last = { head, event, movesBranch: movesBranch && index === commits.length - 1 };
      this.onCommit(before, this.last);
    }
  }
}

/** What could not be recorded, or of which it is unknown whether it was. */
export class Busy extends Error {
  override name = 'Busy';
}

/** The ledger as one process knows it. */
export class KnownLog {
  readonly #log: Log;
  #known: LogCommit | undefined;
  #deferred: Proposal[] = [];
  /** What happens at the next write. */
  trouble: 'refused' | 'answer lost' | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  read(): State | undefined {
    this.#known = this.#log.last;
    return this.#known?.head.state;
  }

  get seen(): ReadonlySet<string> {
    return this.#known?.head.seen ?? new Set();
  }

  record(proposal: Proposal, attachments?: Attachments): Recorded {
    const trouble = this.trouble;
    this.trouble = undefined;
    if (trouble === 'refused') throw new Busy('the remote refuses');
    const before = this.#deferred.map((each) => entryFrom(each, undefined));
    const entries = [...before, entryFrom(proposal, attachments)];
    const recorded = this.#push(entries);
    this.#deferred = [];
    if (trouble === 'answer lost') throw new Busy('the answer was lost');
    return recorded;
  }

  defer(proposal: Proposal): void {
    this.#deferred.push(proposal);
  }

  /** Writes what waits for another event. */
  flush(): void {
    if (this.#deferred.length === 0) return;
    this.#push(this.#deferred.map((each) => entryFrom(each, undefined)));
    this.#deferred = [];
  }

  #push(entries: readonly Entry[]): Recorded {
    const first = this.#log.push(this.#known, entries);
    const isMoved =
      first === 'moved' || (first.every(({ fresh }) => !fresh) && this.#known !== this.#log.last);
    if (isMoved) this.#known = this.#log.last;
    const answers = isMoved ? this.#log.push(this.#known, entries) : first;
    this.#known = this.#log.last;
    const last = answers === 'moved' ? undefined : answers.at(-1);
    if (last === undefined) throw new Error('the ledger moved while nobody wrote');
    return last;
  }
}
