import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
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
} from './model-budget.ts';
import { type Prices, pricesWith } from './prices.ts';

interface SpendingOptions {
  readonly prices?: Prices;
  /** What all runs together may spend per UTC day. */
  readonly perDay?: Limits;
  /** Tells the time, in milliseconds since 1970. */
  now?(): number;
  /**
   * A request could not be recorded: one that would have begun is not sent, and one that ended counts after a
   * restart by what was expected of it.
   */
  onFault?(fault: unknown): void;
}

interface BudgetOptions {
  /** Names the run as no earlier run of the same repository and number is named. */
  readonly run: string;
  /** What all attempts of the run together may spend, as of now: people can raise it. */
  limits(): Limits;
  /** What earlier attempts spent, as the ledger knows it. What we recorded ourselves counts if it is more. */
  readonly before: Limits;
  /** Called when the first request is refused, and when the first is under a limit that was raised. */
  onExhausted(exhausted: Exhausted): void;
}

/** What all runs of this process spend on models. One process per folder. */
export interface Spending {
  budget(options: BudgetOptions): Budget;
  /** What a run or a UTC day has spent, by what is recorded here. */
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

const count = z.number().default(0);

/** A request to a model: what is likely when it begins, and then what it used. */
const entrySchema = z.object({
  id: z.string(),
  /** The run that sent it, as its budget names it. */
  run: z.string(),
  model: z.string(),
  tokens: z.object({
    ...{ input: count, cached_input: count, cache_write: count, long_cache_write: count, output: count },
  }),
  /** Absent if the price is not known. */
  usd: z.number().optional().catch(undefined),
  estimated: z.boolean().catch(false),
});

type Entry = z.output<typeof entrySchema>;

/** The UTC day of a time in milliseconds, such as `2026-11-23`. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const keptDays = 40;
const dayMs = 24 * 60 * 60 * 1000;
const fileName = /^(20\d\d-\d\d-\d\d)\.jsonl$/;

/**
 * Opens, and makes, the folder with the requests of this and the last days, as JSON lines in one file per UTC
 * day. Each is written when it begins and again when it ended; the later line counts. What is written
 * survives the end of the process at any point, and a torn line is read over. Throws if it cannot be read.
 */
function openJournal(folder: string, today: string) {
  const days = keptIn(folder, today);
  let isTorn = false;
  return {
    /** What is kept, by the day on which it began; the oldest day comes first. */
    days,
    /** Throws if it cannot be written. */
    write(day: string, entry: Entry): void {
      const line = `${isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`;
      // On a full disk a part of it may be written.
      isTorn = true;
      appendFileSync(join(folder, `${day}.jsonl`), line, { mode: 0o600 });
      isTorn = false;
    },
    /** Removes the files of days before. */
    prune: (day: string) => prune(folder, day),
  };
}

function keptIn(folder: string, today: string): ReadonlyMap<string, readonly Entry[]> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    prune(folder, today);
    return new Map(daysIn(folder).map((day) => [day, read(join(folder, `${day}.jsonl`))]));
  } catch (cause) {
    throw new Error(`could not read what models cost in ${folder}`, { cause });
  }
}

function daysIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .flatMap((name) => fileName.exec(name)?.[1] ?? [])
    .sort();
}

function prune(folder: string, today: string): void {
  const oldest = dayOf(Date.parse(today) - keptDays * dayMs);
  for (const day of daysIn(folder)) if (day < oldest) rmSync(join(folder, `${day}.jsonl`), { force: true });
}

function read(path: string): readonly Entry[] {
  const text = readFileSync(path, 'utf8');
  // Whatever is written next must not become a part of a torn line.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  const newest = new Map(
    text
      .split('\n')
      .flatMap(entryIn)
      .map((entry) => [entry.id, entry]),
  );
  return [...newest.values()];
}

function entryIn(line: string): readonly Entry[] {
  try {
    return [entrySchema.parse(JSON.parse(line))];
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof z.ZodError) return [];
    throw fault;
  }
}
