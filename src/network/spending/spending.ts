import { randomUUID } from 'node:crypto';
import { type Account, account } from './account.ts';
import type { Admission, Budget, Exhausted, Expected, Limits } from './budget.ts';
import { dayOf, type Journal, openJournal } from './journal.ts';
import { type Prices, pricesWith } from './prices.ts';
import { noTokens, totalOf, type Usage } from './tokens.ts';
import { boundOf, fits, Totals } from './totals.ts';

export interface SpendingOptions {
  readonly prices?: Prices;
  /** For all runs together, per UTC day. */
  readonly perDay?: Limits;
  /** Milliseconds since 1970. */
  now?(): number;
  /**
   * A request could not be recorded: one that would have begun is not sent, and one that ended counts after a
   * restart by what was expected of it.
   */
  onFault?(fault: unknown): void;
}

export interface BudgetOptions {
  /** `owner/repo#n`, with something that tells it from an earlier run of the same name. */
  readonly run: string;
  /** For all attempts of the run together, as they are now: people can raise them. */
  limits(): Limits;
  /** What earlier attempts spent, as the ledger knows it. What we recorded ourselves counts if it is more. */
  readonly before: Limits;
  /** Called when the first request is refused, and when the first is under a limit that was raised. */
  onExhausted(exhausted: Exhausted): void;
}

/** What all runs of this process spend on models. One process per folder. */
export interface Spending {
  budget(options: BudgetOptions): Budget;
  /** Of a run or a UTC day, by what is recorded here. */
  of(runOrDay: string): Required<Limits>;
}

/** Opens the records in this folder, and makes it. Throws if they cannot be read. */
export function openSpending(folder: string, options: SpendingOptions = {}): Spending {
  const now = options.now ?? Date.now;
  const books = new Books(openJournal(folder, dayOf(now())), { ...options, now });
  return {
    budget: (given) => new RunBudget(books, given),
    of: (name) => books.totals.of(name),
  };
}

interface Pending {
  readonly id: string;
  readonly run: string;
  readonly day: string;
  readonly bound: Required<Limits>;
}

interface Waiting {
  readonly budget: RunBudget;
  /** Returns whether it no longer waits. */
  attempt(): boolean;
}

/** The totals, the requests under way, and those that wait for them. */
class Books {
  readonly totals: Totals;
  readonly prices: Prices;
  readonly perDay: Limits;
  readonly #journal: Journal;
  readonly #options: SpendingOptions;
  readonly #pending = new Map<string, Pending>();
  #waiting: readonly Waiting[] = [];
  #today: string;

  constructor(journal: Journal, options: SpendingOptions & { now(): number }) {
    this.#journal = journal;
    this.#options = options;
    this.totals = new Totals(journal.days);
    this.prices = options.prices ?? pricesWith();
    this.perDay = options.perDay ?? {};
    this.#today = dayOf(options.now());
  }

  /** Begins a new day when it is time. */
  today(): string {
    const today = dayOf((this.#options.now ?? Date.now)());
    if (today !== this.#today) this.#journal.prune(today);
    this.#today = today;
    return today;
  }

  pendingOf(name: string): readonly Required<Limits>[] {
    return [...this.#pending.values()]
      .filter(({ run, day }) => run === name || day === name)
      .map(({ bound }) => bound);
  }

  /** Throws if it cannot be recorded. */
  begin(run: string, expected: Expected): Pending {
    const id = randomUUID();
    const day = this.today();
    const usage = { model: expected.model, tokens: expected.likely, estimated: true };
    try {
      this.#write(day, id, { run, usage });
    } catch (fault) {
      this.#options.onFault?.(fault);
      throw fault;
    }
    const pending = { id, run, day, bound: boundOf(expected, this.prices) };
    this.#pending.set(id, pending);
    return pending;
  }

  end({ id, run, day }: Pending, usage: Usage): void {
    this.#pending.delete(id);
    this.totals.add([run, day], usage.tokens, this.prices.costOf(usage.model, usage.tokens));
    try {
      this.#write(day, id, { run, usage });
    } catch (fault) {
      this.#options.onFault?.(fault);
    }
    this.#waiting = this.#waiting.filter((each) => !each.attempt());
  }

  wait(waiting: Waiting): void {
    this.#waiting = [...this.#waiting, waiting];
  }

  leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
  }

  /** Requests of a run are sent in the order in which they came. */
  isQueued(budget: RunBudget): boolean {
    return this.#waiting.some((each) => each.budget === budget);
  }

  #write(day: string, id: string, { run, usage }: { run: string; usage: Usage }): void {
    const usd = this.prices.costOf(usage.model, usage.tokens);
    this.#journal.write(day, { id, run, ...usage, ...(usd === undefined ? {} : { usd }) });
  }
}

class RunBudget implements Budget {
  readonly #books: Books;
  readonly #options: BudgetOptions;
  readonly #own = account();
  readonly #underWay = new Set<Usage>();
  #exhausted: Exhausted | undefined;

  constructor(books: Books, options: BudgetOptions) {
    this.#books = books;
    this.#options = options;
  }

  spent() {
    return this.#own.spent();
  }

  spentAtEnd() {
    const all = this.#own.copy();
    for (const usage of this.#underWay) this.#add(all, usage);
    return all.spent();
  }

  #add(to: Account, usage: Usage): void {
    to.add(usage, this.#books.prices.costOf(usage.model, usage.tokens));
  }

  async admit(expected: Expected, signal?: AbortSignal): Promise<Admission> {
    signal?.throwIfAborted();
    const now = this.#books.isQueued(this) ? undefined : this.#decide(expected);
    return now ?? this.#wait(expected, signal);
  }

  #wait(expected: Expected, signal: AbortSignal | undefined): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#books.leave(waiting);
        reject(signal?.reason);
      };
      const attempt = () => {
        try {
          const decided = this.#decide(expected);
          if (decided === undefined) return false;
          resolve(decided);
        } catch (fault) {
          reject(fault);
        }
        signal?.removeEventListener('abort', leave);
        return true;
      };
      const waiting = { budget: this, attempt };
      signal?.addEventListener('abort', leave, { once: true });
      this.#books.wait(waiting);
    });
  }

  /** Undefined while it depends on the requests under way. */
  #decide(expected: Expected): Admission | undefined {
    const { run, onExhausted } = this.#options;
    const limits = this.#options.limits();
    const day = this.#books.today();
    const scopes = [
      { of: 'run', spent: this.#spentByRun(), limits, pending: this.#books.pendingOf(run) },
      {
        of: 'day',
        spent: this.#books.totals.of(day),
        limits: this.#books.perDay,
        pending: this.#books.pendingOf(day),
      },
    ] as const;
    const answers = scopes.flatMap(fits);
    const exhausted = answers.find((answer) => answer !== 'wait');
    if (exhausted !== undefined) {
      // Again if people have raised the limit in the meantime.
      if (this.#exhausted?.limit !== exhausted.limit) onExhausted(exhausted);
      this.#exhausted = exhausted;
      return { admitted: false, exhausted };
    }
    return answers.includes('wait') ? undefined : this.#begin(expected);
  }

  #begin(expected: Expected): Admission {
    const { model, likely } = expected;
    const pending = this.#books.begin(this.#options.run, expected);
    const guess = { model, tokens: likely, estimated: true };
    this.#underWay.add(guess);
    const settle = (usage: Usage | undefined) => {
      if (!this.#underWay.delete(guess)) return;
      const used = usage ?? { model, tokens: noTokens, estimated: false };
      if (totalOf(used.tokens) > 0) this.#add(this.#own, used);
      this.#books.end(pending, used);
    };
    return { admitted: true, settle };
  }

  /** The ledger may know attempts of other machines, and we the requests of an attempt that never ended. */
  #spentByRun(): Required<Limits> {
    const { run, before } = this.#options;
    const recorded = this.#books.totals.of(run);
    const own = this.#own.spent();
    return {
      tokens: Math.max(recorded.tokens, (before.tokens ?? 0) + own.tokens),
      usd: Math.max(recorded.usd, (before.usd ?? 0) + (own.usd ?? 0)),
    };
  }
}
