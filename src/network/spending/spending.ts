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
import { dayOf, type Entry, openJournal } from './journal.ts';
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
  const books = openBooks(folder, options);
  return { budget: (given) => runBudget(books, given), of: books.of };
}

type Amounts = Required<Limits>;

function plus(amounts: Amounts, { tokens = 0, usd = 0 }: Limits): Amounts {
  return { tokens: amounts.tokens + tokens, usd: amounts.usd + usd };
}

/** A request under way. */
type Pending = Pick<Entry, 'id' | 'run'> & { readonly day: string };

type Books = ReturnType<typeof openBooks>;

/** What runs and days have spent, by their names, and the requests under way. */
function openBooks(folder: string, options: SpendingOptions) {
  const { prices = pricesWith(), perDay = {}, now = Date.now, onFault } = options;
  let newestDay = dayOf(now());
  const journal = openJournal(folder, newestDay);
  const totals = new Map<string, Amounts>();
  const pending = new Set<Pending>();
  /** Emits when a request has ended. */
  const ends = new EventEmitter<{ ended: [] }>().setMaxListeners(0);
  const of = (name: string) => totals.get(name) ?? { tokens: 0, usd: 0 };
  const add = (names: readonly string[], amounts: Amounts) => {
    for (const name of names) totals.set(name, plus(of(name), amounts));
  };
  const amountsOf = ({ model, tokens }: Usage): Amounts => ({
    tokens: totalOf(tokens),
    usd: prices.costOf(model, tokens) ?? 0,
  });
  /** Begins a new day when it is time. */
  const today = () => {
    const day = dayOf(now());
    if (day !== newestDay) journal.prune(day);
    newestDay = day;
    return day;
  };
  const write = ({ id, run, day }: Pending, usage: Usage) => {
    try {
      journal.write(day, { id, run, ...usage, usd: prices.costOf(usage.model, usage.tokens) });
    } catch (fault) {
      onFault?.(fault);
      throw fault;
    }
  };
  for (const [day, entries] of journal.days)
    for (const { run, tokens, usd = 0 } of entries) add([run, day], { tokens: totalOf(tokens), usd });
  return {
    ...{ prices, perDay, ends, of, amountsOf, today },
    underWay: (name: string) => [...pending].filter(({ run, day }) => run === name || day === name).length,
    /** Throws if it cannot be recorded. */
    begin(run: string, likely: Usage): Pending {
      const begun = { id: randomUUID(), run, day: today() };
      write(begun, likely);
      pending.add(begun);
      return begun;
    },
    end(begun: Pending, usage: Usage): void {
      pending.delete(begun);
      add([begun.run, begun.day], amountsOf(usage));
      try {
        write(begun, usage);
      } catch {
        // The operator has been told; it counts all the same.
      }
      ends.emit('ended');
    },
  };
}

/** From this part of a limit on, only so many requests are under way at a time. */
const near = { share: 0.9, atOnce: 4 };

function runBudget(books: Books, { run, limits, before, onExhausted }: BudgetOptions): Budget {
  const used: Usage[] = [];
  const underWay = new Set<Usage>();
  let own: Amounts = { tokens: 0, usd: 0 };
  let told: Exhausted | undefined;
  /** The ledger may know attempts of other machines, and we the requests of an attempt that never ended. */
  const spentByRun = (): Amounts => {
    const [recorded, known] = [books.of(run), plus(own, before)];
    return { tokens: Math.max(recorded.tokens, known.tokens), usd: Math.max(recorded.usd, known.usd) };
  };
  const scopes = (): readonly Scope[] => {
    const day = books.today();
    return [
      { of: 'run', spent: spentByRun(), limits: limits(), underWay: books.underWay(run) },
      { of: 'day', spent: books.of(day), limits: books.perDay, underWay: books.underWay(day) },
    ];
  };
  const refuse = (exhausted: Exhausted): Admission => {
    // Again if people have raised the limit in the meantime.
    if (told?.limit !== exhausted.limit) onExhausted(exhausted);
    told = exhausted;
    return { admitted: false, exhausted };
  };
  const begin = (likely: Usage): Admission => {
    const pending = books.begin(run, likely);
    const guess = { ...likely, estimated: true };
    underWay.add(guess);
    const settle = (usage: Usage = { model: likely.model, tokens: noTokens, estimated: false }) => {
      if (!underWay.delete(guess)) return;
      if (totalOf(usage.tokens) > 0) used.push(usage);
      own = plus(own, books.amountsOf(usage));
      books.end(pending, usage);
    };
    return { admitted: true, settle };
  };
  return {
    spent: () => spentBy(used, books.prices),
    spentAtEnd: () => spentBy([...used, ...underWay], books.prices),
    async admit(likely, signal) {
      for (;;) {
        signal?.throwIfAborted();
        const answers = scopes().flatMap(answersOf);
        const exhausted = answers.find((answer) => answer !== 'wait');
        if (exhausted !== undefined) return refuse(exhausted);
        if (answers.length === 0) return begin(likely);
        await once(books.ends, 'ended', { signal });
      }
    },
  };
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
