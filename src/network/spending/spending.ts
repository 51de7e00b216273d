import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import {
  type Admission,
  type Budget,
  type Exhausted,
  type Limits,
  noTokens,
  type Spent,
  type SpentOnModel,
  sumOf,
  totalOf,
  type Usage,
} from './budget.ts';
import { dayOf, type Journal, openJournal } from './journal.ts';
import { type Prices, pricesWith } from './prices.ts';

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
  of(runOrDay: string): Amounts;
}

/** Opens the records in this folder, and makes it. Throws if they cannot be read. */
export function openSpending(folder: string, options: SpendingOptions = {}): Spending {
  const now = options.now ?? Date.now;
  const books = new Books(openJournal(folder, dayOf(now())), { ...options, now });
  return {
    budget: (given) => new RunBudget(books, given),
    of: (name) => books.of(name),
  };
}

type Amounts = Required<Limits>;

/** A request under way. */
interface Pending {
  readonly id: string;
  readonly run: string;
  readonly day: string;
}

/** What runs and days have spent, by their names, and the requests under way. */
class Books {
  readonly prices: Prices;
  readonly perDay: Limits;
  /** Emits when a request has ended. */
  readonly ends = new EventEmitter<{ ended: [] }>().setMaxListeners(0);
  readonly #journal: Journal;
  readonly #options: SpendingOptions & { now(): number };
  readonly #totals = new Map<string, Amounts>();
  readonly #pending = new Set<Pending>();
  #today: string;

  constructor(journal: Journal, options: SpendingOptions & { now(): number }) {
    this.#journal = journal;
    this.#options = options;
    this.prices = options.prices ?? pricesWith();
    this.perDay = options.perDay ?? {};
    this.#today = dayOf(options.now());
    for (const [day, entries] of journal.days)
      for (const { run, tokens, usd = 0 } of entries) this.#add([run, day], { tokens: totalOf(tokens), usd });
  }

  of(name: string): Amounts {
    return this.#totals.get(name) ?? { tokens: 0, usd: 0 };
  }

  underWay(name: string): number {
    return [...this.#pending].filter(({ run, day }) => run === name || day === name).length;
  }

  /** Begins a new day when it is time. */
  today(): string {
    const today = dayOf(this.#options.now());
    if (today !== this.#today) this.#journal.prune(today);
    this.#today = today;
    return today;
  }

  amountsOf({ model, tokens }: Usage): Amounts {
    return { tokens: totalOf(tokens), usd: this.prices.costOf(model, tokens) ?? 0 };
  }

  /** Throws if it cannot be recorded. */
  begin(run: string, likely: Usage): Pending {
    const pending = { id: randomUUID(), run, day: this.today() };
    const fault = this.#write(pending, likely);
    if (fault !== null) throw fault;
    this.#pending.add(pending);
    return pending;
  }

  end(pending: Pending, usage: Usage): void {
    this.#pending.delete(pending);
    this.#add([pending.run, pending.day], this.amountsOf(usage));
    this.#write(pending, usage);
    this.ends.emit('ended');
  }

  #add(names: readonly string[], { tokens, usd }: Amounts): void {
    for (const name of names) {
      const before = this.of(name);
      this.#totals.set(name, { tokens: before.tokens + tokens, usd: before.usd + usd });
    }
  }

  /** Returns why it cannot. */
  #write({ id, run, day }: Pending, usage: Usage): Error | null {
    const usd = this.prices.costOf(usage.model, usage.tokens);
    try {
      this.#journal.write(day, { id, run, ...usage, ...(usd === undefined ? {} : { usd }) });
      return null;
    } catch (fault) {
      this.#options.onFault?.(fault);
      return fault instanceof Error ? fault : new Error(String(fault));
    }
  }
}

/** From this part of a limit on, only so many requests are under way at a time. */
const near = { share: 0.9, atOnce: 4 };

class RunBudget implements Budget {
  readonly #books: Books;
  readonly #options: BudgetOptions;
  readonly #used: Usage[] = [];
  readonly #underWay = new Set<Usage>();
  #own: Amounts = { tokens: 0, usd: 0 };
  #exhausted: Exhausted | undefined;

  constructor(books: Books, options: BudgetOptions) {
    this.#books = books;
    this.#options = options;
  }

  spent() {
    return spentBy(this.#used, this.#books.prices);
  }

  spentAtEnd() {
    return spentBy([...this.#used, ...this.#underWay], this.#books.prices);
  }

  async admit(likely: Usage, signal?: AbortSignal): Promise<Admission> {
    for (;;) {
      signal?.throwIfAborted();
      const answers = this.#scopes().flatMap((scope) => answersOf(scope));
      const exhausted = answers.find((answer) => answer !== 'wait');
      if (exhausted !== undefined) return this.#refuse(exhausted);
      if (answers.length === 0) return this.#begin(likely);
      await once(this.#books.ends, 'ended', { signal });
    }
  }

  #scopes(): readonly Scope[] {
    const { run, limits } = this.#options;
    const { perDay } = this.#books;
    const day = this.#books.today();
    return [
      { of: 'run', spent: this.#spentByRun(), limits: limits(), underWay: this.#books.underWay(run) },
      { of: 'day', spent: this.#books.of(day), limits: perDay, underWay: this.#books.underWay(day) },
    ];
  }

  #refuse(exhausted: Exhausted): Admission {
    // Again if people have raised the limit in the meantime.
    if (this.#exhausted?.limit !== exhausted.limit) this.#options.onExhausted(exhausted);
    this.#exhausted = exhausted;
    return { admitted: false, exhausted };
  }

  #begin(likely: Usage): Admission {
    const pending = this.#books.begin(this.#options.run, likely);
    const guess = { ...likely, estimated: true };
    this.#underWay.add(guess);
    const settle = (usage: Usage | undefined) => {
      if (!this.#underWay.delete(guess)) return;
      const used = usage ?? { model: likely.model, tokens: noTokens, estimated: false };
      if (totalOf(used.tokens) > 0) this.#used.push(used);
      const { tokens, usd } = this.#books.amountsOf(used);
      this.#own = { tokens: this.#own.tokens + tokens, usd: this.#own.usd + usd };
      this.#books.end(pending, used);
    };
    return { admitted: true, settle };
  }

  /** The ledger may know attempts of other machines, and we the requests of an attempt that never ended. */
  #spentByRun(): Amounts {
    const { run, before } = this.#options;
    const recorded = this.#books.of(run);
    return {
      tokens: Math.max(recorded.tokens, (before.tokens ?? 0) + this.#own.tokens),
      usd: Math.max(recorded.usd, (before.usd ?? 0) + this.#own.usd),
    };
  }
}

interface Scope {
  readonly of: Exhausted['of'];
  readonly spent: Amounts;
  readonly limits: Limits;
  /** How many requests are. */
  readonly underWay: number;
}

/** Nothing if a request may begin. */
function answersOf({ of, spent, limits, underWay }: Scope): readonly (Exhausted | 'wait')[] {
  return (['tokens', 'usd'] as const).flatMap((unit): readonly (Exhausted | 'wait')[] => {
    const limit = limits[unit];
    if (limit === undefined) return [];
    if (spent[unit] >= limit) return [{ of, unit, limit, spent: spent[unit] }];
    return spent[unit] >= limit * near.share && underWay >= near.atOnce ? ['wait'] : [];
  });
}

function spentBy(usages: readonly Usage[], prices: Prices): Spent {
  const models = new Map<string, SpentOnModel>();
  for (const { model, tokens } of usages) {
    const { usd: before, ...counted } = models.get(model) ?? { model, ...noTokens };
    const cost = prices.costOf(model, tokens);
    const usd = cost === undefined ? before : (before ?? 0) + cost;
    models.set(model, { model, ...sumOf(counted, tokens), ...(usd === undefined ? {} : { usd }) });
  }
  const byModel = [...models.values()];
  const priced = byModel.flatMap(({ usd }) => usd ?? []);
  return {
    tokens: byModel.reduce((sum, each) => sum + totalOf(each), 0),
    ...(priced.length === 0 ? {} : { usd: priced.reduce((sum, usd) => sum + usd, 0) }),
    byModel,
    unpriced: byModel.filter(({ usd }) => usd === undefined).map(({ model }) => model),
    estimated: usages.some(({ estimated }) => estimated),
  };
}
