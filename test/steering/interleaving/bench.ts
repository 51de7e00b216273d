import { groundOf } from '../../../src/steering/approval/auto-approval.ts';
import {
  isFinished,
  isStillApproved,
  reasonsAgainst,
} from '../../../src/steering/approval/finish-reasons.ts';
import { decide } from '../../../src/steering/decide.ts';
import { deadlines } from '../../../src/steering/handlers/deadlines.ts';
import { isHeard, timeRunsSince } from '../../../src/steering/objections.ts';
import type { FinishFacts, PolicyFacts } from '../../../src/steering/shapes/finishing.ts';
import type { Person } from '../../../src/steering/shapes/people.ts';
import type { Settings } from '../../../src/steering/shapes/settings.ts';
import type { Event, EventOf } from '../../../src/steering/state/event.ts';
import type { PendingEffect } from '../../../src/steering/state/pending-effect.ts';
import type { State } from '../../../src/steering/state/state.ts';
import type { Story } from '../story.ts';

/** What a person wrote on GitHub; `event` if it is a command. */
interface Word {
  readonly by: Person;
  readonly at: string;
  readonly event?: EventOf<'said'>;
}

/** What GitHub shows, whatever the ledger knows of it. */
interface Hub {
  head: string;
  base: string;
  open: boolean;
  merged: string | undefined;
  settings: Settings;
  policy: Partial<PolicyFacts>;
  words: Word[];
  /** News on their way to us, by the step that brings them. */
  readonly news: Map<string, Event>;
}

/** What a process has read and not acted upon yet. */
type Intent =
  | { readonly do: 'record'; readonly event: Event; readonly effect: CheckedFirst }
  | { readonly do: 'merge'; readonly effect: CheckedFirst; readonly checked: State };

/** GitHub is read before these are done. */
type CheckedFirst = Extract<PendingEffect, { do: 'check_finish' | 'merge' }>;

/**
 * The pure core and the ledger's record with a GitHub of a few facts. Every request and every write is a
 * step of its own, so that anything can happen between what a process reads and what it does.
 */
export class Bench {
  state: State;
  readonly hub: Hub;
  readonly recorded: Event[] = [];
  /** What has been done, to be read when a claim fails. */
  readonly log: string[] = [];
  now: number;
  /** The ledger when it was merged. */
  mergedAs: State | undefined;
  readonly #seen: Set<string>;
  #timer: Event | undefined;
  #intent: Intent | undefined;
  #count = 0;

  constructor({ state, events, now }: Story) {
    this.state = state;
    this.now = now;
    this.#seen = new Set(events.map(({ id }) => id));
    this.hub = {
      ...{ head: state.head, base: state.run.base, open: true, merged: undefined },
      ...{ settings: state.settings, policy: {}, words: [], news: new Map() },
    };
  }

  get at(): string {
    return new Date(this.now).toISOString();
  }

  /** Records an event once; the same one again changes nothing. */
  record(event: Event): void {
    if (this.#seen.has(event.id)) return;
    const verdict = decide(this.state, event);
    if (verdict.outcome === 'nothing') return;
    this.#seen.add(event.id);
    this.recorded.push(event);
    this.state = verdict.state;
    this.log.push(`${event.type} -> ${this.state.standing.phase}`);
  }

  hasRecorded(id: string): boolean {
    return this.#seen.has(id);
  }

  /** Somebody writes; what is a command reaches us later. */
  writes(by: Person, news: string, command?: EventOf<'said'>['command']): void {
    const n = ++this.#count;
    const at = this.at;
    const source = { from: 'comment', comment_id: n, text_sha256: 'x', written_at: at } as const;
    const said = command && ({ type: 'said', id: `comment:${n}@${at}`, at, command, by, source } as const);
    this.hub.words.push({ by, at, ...(said !== undefined && { event: said }) });
    if (said !== undefined) this.hub.news.set(news, said);
  }

  happens(news: string, event: Event): void {
    this.hub.news.set(news, event);
  }

  hears(news: string): void {
    const event = this.hub.news.get(news);
    if (event !== undefined) this.record(event);
  }

  /** The timer reads what people have said, and what they commanded is recorded. */
  timerReads(): void {
    const [due] = deadlines(this.state);
    if (due === undefined || Date.parse(due.at) > this.now) return;
    this.catchesUp();
    const spoken = due.kind === 'proceed' ? this.#spoken() : undefined;
    const event = { type: 'timer_due', timer: due.kind, deadline: due.at } as const;
    const id = `timer:${due.kind}:${due.at}`;
    this.#timer = { ...event, id, at: this.at, ...(spoken !== undefined && { spoken }) };
  }

  timerRecords(): void {
    if (this.#timer !== undefined) this.record(this.#timer);
  }

  /** Commands that nobody has told us. */
  catchesUp(): void {
    for (const { event } of this.hub.words) if (event !== undefined) this.record(event);
    for (const event of this.hub.news.values()) this.record(event);
  }

  /** One request of the process that does what the ledger calls for. */
  acts(): void {
    const intent = this.#intent;
    this.#intent = undefined;
    if (intent !== undefined) {
      if (intent.do === 'record') this.#checked(intent);
      else this.#merges(intent);
      return;
    }
    this.#begins();
  }

  #begins(): void {
    const effect = this.state.owed.find(isCheckedFirst);
    const others = this.state.owed.filter((each) => each !== effect);
    if (others.some(({ do: what }) => what === 'close')) this.hub.open = false;
    if (others.length > 0) this.#settles(others);
    if (others.length > 0 || effect === undefined) return;
    const id = `finish:${this.state.head}:${this.state.seq}`;
    const event = { type: 'finish_checked', id, at: this.at, facts: this.#facts() } as const;
    this.#intent = { do: 'record', event, effect };
  }

  /** What GitHub said a moment ago. It is merged only if nothing was recorded that speaks against it. */
  #checked({ event, effect }: Extract<Intent, { do: 'record' }>): void {
    const isStillOwed = this.state.owed.some(({ id }) => id === effect.id);
    this.record(event);
    const { shown } = this.state;
    const isSound = event.type === 'finish_checked' && reasonsAgainst(this.state, event.facts).length === 0;
    if (effect.do === 'merge' && isSound && isFinished(this.state) && shown?.head_sha === effect.head_sha)
      this.#intent = { do: 'merge', effect, checked: this.state };
    else if (isStillOwed) this.#settles([effect]);
  }

  /** GitHub merges only the head that is named. */
  #merges({ effect, checked }: Extract<Intent, { do: 'merge' }>): void {
    const head = effect.do === 'merge' ? effect.head_sha : '';
    const isStill = isStillApproved(this.state, checked);
    if (isStill && this.hub.open && this.hub.head === head && this.hub.merged === undefined) {
      this.hub.merged = head;
      this.mergedAs = this.state;
      this.hub.open = false;
      this.log.push(`merged ${head.slice(0, 7)}`);
      const closed = { type: 'closed', merged: true, by: 'coxswain[bot]', base: this.hub.base } as const;
      this.happens('merged', { ...closed, id: `closed:${this.at}`, at: this.at });
    }
    this.#settles([effect]);
  }

  #settles(effects: readonly PendingEffect[]): void {
    const paid = effects.map(({ id }) => id);
    this.record({ type: 'settled', id: `settled:${this.state.seq}`, at: this.at, paid });
  }

  #spoken(): PolicyFacts['spoken'] {
    const from = timeRunsSince(this.state);
    if (from === undefined) return undefined;
    const since = Date.parse(from);
    const word = this.hub.words.find(
      ({ by, at, event }) => isHeard(by) && Date.parse(at) >= since && !(event && this.hasRecorded(event.id)),
    );
    return word && { login: word.by.login, id: word.by.id, at: word.at };
  }

  #facts(): FinishFacts {
    const { hub, state } = this;
    const policy: PolicyFacts = {
      ...{ sealed: true, unproven: [], gates: [], without_write: [], merged_runs: 3 },
      pushers: { people: [], complete: true },
      ...hub.policy,
    };
    const spoken = this.#spoken();
    const isTimed = groundOf(state)?.rule === 'auto_proceed_after';
    return {
      ...{ head_sha: hub.head, base: hub.base, settings: hub.settings },
      approvals: state.approvals.map(({ id }) => ({ id, stands: true, why: '' })),
      ...(groundOf(state) !== undefined && {
        policy: { ...policy, ...(isTimed && spoken !== undefined && { spoken }) },
      }),
    };
  }
}

function isCheckedFirst(effect: PendingEffect): effect is CheckedFirst {
  return effect.do === 'check_finish' || effect.do === 'merge';
}
