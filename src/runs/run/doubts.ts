import type { Told } from '../../github/listen/heard.ts';
import type { Voiding } from '../../steering/shapes/finish-facts.ts';
import type { Event } from '../../steering/state/event.ts';

/** Something that could not be recorded: it may be what takes an approval back. */
interface Unrecorded {
  /** Since when, ISO 8601. */
  readonly since: string;
  /** Whether a check run of ours says so, for all processes. */
  readonly isMarked: boolean;
}

/**
 * What this process may not know of a run: what happened before it was started, and what could not be
 * recorded. Until the former is settled, nothing of ours permits merging; the latter voids the approvals from
 * before it until it is recorded after all, because what was said may be deleted meanwhile.
 */
export class Doubts {
  #isOpen = true;
  /** Raised again while it was being settled. */
  #times = 0;
  /** By the ids of the events. */
  readonly #unrecorded = new Map<string, Unrecorded>();
  /** The check runs that this process has marked. */
  #marks: readonly number[] = [];

  get times(): number {
    return this.#times;
  }

  /** Whether what happened before is unknown. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether something could not be recorded yet. */
  get isPending(): boolean {
    return this.#unrecorded.size > 0;
  }

  /** Whether something could not be recorded of which no check run says so. */
  get isUnmarked(): boolean {
    return [...this.#unrecorded.values()].some(({ isMarked }) => !isMarked);
  }

  /** Marks that say what is no longer true. */
  get outdatedMarks(): readonly number[] {
    return this.isPending ? [] : this.#marks;
  }

  /** What this process knows to void earlier approvals. */
  get voids(): readonly Voiding[] {
    return [...this.#unrecorded.values()].map(({ since: at }) => ({ why: 'unrecorded', at }));
  }

  /** This process knows the run from its first event. */
  begin(): void {
    this.#isOpen = false;
  }

  /** An event could not be recorded, or the ledger could not be read. */
  raise(now: Date, event?: Told): void {
    this.#times++;
    this.#isOpen = true;
    if (event === undefined || !mayVanish(event) || this.#unrecorded.has(event.id)) return;
    this.#unrecorded.set(event.id, { since: now.toISOString(), isMarked: false });
  }

  /** All that could not be recorded so far is said by check runs, of which these are new. */
  marked(marks: readonly number[]): void {
    this.#marks = [...this.#marks, ...marks];
    for (const [id, { since }] of this.#unrecorded) this.#unrecorded.set(id, { since, isMarked: true });
  }

  erased(): void {
    this.#marks = [];
  }

  /** The event is in the ledger, or changes nothing. */
  recorded({ id }: Pick<Event, 'id'>): void {
    this.#unrecorded.delete(id);
  }

  /** All that GitHub lists was recorded, if no doubt was raised since there had been so many. */
  settle(times: number): void {
    if (times === this.#times) this.#isOpen = false;
  }
}

/** Whether it may take an approval back, and GitHub may not show it later: words can be removed. */
function mayVanish(event: Told): boolean {
  if (event.type === 'said') return event.command.type !== 'approve';
  return event.type === 'spoke' || event.type === 'closed' || event.type === 'reopened';
}
