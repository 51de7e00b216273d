import type { WithheldAt } from '../../github/read/withheld.ts';
import { eventDigest } from '../../github/words/withheld-mark.ts';
import type { Voiding } from '../../steering/approval/finish-facts.ts';
import type { Event } from '../../steering/event.ts';
import { RecentMap } from '../recent-map.ts';

/** How long what could not be recorded may come again before earlier approvals fall, in milliseconds. */
const patienceMs = 10 * 60_000;

/** Something that could not be recorded: it may be what takes an approval back. */
interface Unrecorded {
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
  /** When this process last heard of it. */
  readonly heard: number;
}

/**
 * What this process may not know of a run: what happened before it was started, and what could not be
 * recorded. Until that is settled, nothing of ours permits merging. What was said may be deleted meanwhile,
 * so what GitHub still lists does not settle it: only the event itself does, which GitHub delivers again.
 */
export class Doubts {
  #isOpen = true;
  /** Raised again while it was being settled. */
  #times = 0;
  /** By the digests of their ids. */
  readonly #unrecorded = new Map<string, Unrecorded>();
  /** Events that change nothing are not in the ledger. */
  readonly #recorded = new RecentMap<string, true>({ max: 1_000 });

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

  /** The digests of what could not be recorded. */
  get unrecorded(): readonly string[] {
    return [...this.#unrecorded.keys()];
  }

  /** This process knows the run from its first event. */
  begin(): void {
    this.#isOpen = false;
  }

  /** An event could not be recorded, or the ledger could not be read. */
  raise(now: Date, event?: Event): void {
    this.#times++;
    this.#isOpen = true;
    if (event !== undefined && mayVanish(event))
      this.#hear(eventDigest(event.id), { since: now.getTime(), heard: now.getTime() });
  }

  /** The event is in the ledger, or changes nothing. */
  recorded({ id }: Pick<Event, 'id'>): void {
    this.#note(eventDigest(id));
  }

  /** All that GitHub lists was recorded, if no doubt was raised since there had been so many. */
  settle(times: number): void {
    if (times === this.#times) this.#isOpen = false;
  }

  /** What a check run says could not be recorded, except what was recorded since, or no longer matters. */
  adopt({ at, unrecorded }: WithheldAt, { seen, approvals, now }: Adopting): void {
    const since = Date.parse(at);
    for (const digest of unrecorded) {
      if (seen.has(digest)) this.#note(digest);
      else if (!this.#recorded.has(digest) && !this.#unrecorded.has(digest) && mayConcern(approvals, since))
        this.#unrecorded.set(digest, { since, heard: now.getTime() });
    }
  }

  /** Whether this process knows for each of these that it was recorded. */
  knows(digests: readonly string[]): boolean {
    return digests.every((digest) => this.#recorded.has(digest));
  }

  /**
   * What still may come again and concern these approvals, and what no longer may: it voids the approvals
   * that are not later than its time.
   */
  about(approvals: readonly Approved[], now: Date): About {
    const voids: Voiding[] = [];
    let waits = false;
    for (const [digest, { since, heard }] of this.#unrecorded) {
      if (!mayConcern(approvals, since)) this.#unrecorded.delete(digest);
      else if (now.getTime() - heard < patienceMs) waits = true;
      else voids.push({ why: 'unrecorded', at: new Date(since + patienceMs).toISOString() });
    }
    return { waits, voids };
  }

  #note(digest: string): void {
    this.#unrecorded.delete(digest);
    this.#recorded.set(digest, true);
  }

  #hear(digest: string, { since, heard }: Unrecorded): void {
    this.#unrecorded.set(digest, { since: this.#unrecorded.get(digest)?.since ?? since, heard });
  }
}

/** When somebody approved, or the configuration did, ISO 8601. */
interface Approved {
  readonly at: string;
}

interface Adopting {
  /** The digests of what is in the ledger. */
  readonly seen: ReadonlySet<string>;
  readonly approvals: readonly Approved[];
  readonly now: Date;
}

interface About {
  readonly waits: boolean;
  readonly voids: readonly Voiding[];
}

/** Whether GitHub may not show it later: words can be removed, and what was closed can be reopened. */
function mayVanish({ type }: Event): boolean {
  return type === 'said' || type === 'spoke' || type === 'closed' || type === 'reopened';
}

/** Who approves later than this knows that something was lost, or it no longer matters. */
function mayConcern(approvals: readonly Approved[], since: number): boolean {
  return approvals.some(({ at }) => Date.parse(at) <= since + patienceMs);
}
