/** A limit of what a run may use: a key under `limits` in the configuration. */
interface LimitFacts {
  /** What one attempt may use, or all attempts of the run together. */
  readonly of: 'attempt' | 'run';
  /** What is counted; null: US dollars, the only amount that comes in parts. */
  readonly noun: string | null;
  /** How people raise it with `/budget`; null: only the configuration does. */
  readonly raised: {
    /** What people may call it; the first is written. */
    readonly units: readonly [string, ...string[]];
    /** By how much we advise to raise it. */
    readonly step: number;
  } | null;
  /** The operator may also set it for all runs of a day together. */
  readonly perDay: boolean;
}

/**
 * All limits, in the order in which they are told; `/budget` without a unit is about the first that is set.
 */
export const limits = {
  minutes: { of: 'attempt', noun: 'minute', raised: null, perDay: false },
  cost_usd: {
    of: 'run',
    noun: null,
    raised: { units: ['usd', 'dollar', 'dollars', 'cost_usd'], step: 5 },
    perDay: true,
  },
  tokens: { of: 'run', noun: 'token', raised: { units: ['tokens', 'token'], step: 500_000 }, perDay: true },
  tool_calls: {
    of: 'attempt',
    noun: 'tool call',
    raised: { units: ['calls', 'call', 'tool calls', 'tool_calls'], step: 100 },
    perDay: false,
  },
} as const satisfies Readonly<Record<string, LimitFacts>>;

export type LimitName = keyof typeof limits;

/** The limits that have a property with a value. */
type Having<Key extends keyof LimitFacts, Value> = {
  [L in LimitName]: (typeof limits)[L][Key] extends Value ? L : never;
}[LimitName];

/** The limits that `/budget` raises. */
export type RaisableLimit = Having<'raised', object>;

type DailyLimit = Having<'perDay', true>;

/** What can be used up: a key under `limits` in the configuration, or in the operator's file. */
export type BudgetName = RaisableLimit | `${DailyLimit}_per_day`;

/** What people are given to review: keys under `limits`, too, which nothing uses up. */
export const reviewLimits = ['open_runs', 'diff_lines'] as const;

export type ReviewLimit = (typeof reviewLimits)[number];

/** What a run may use; absent: no limit. */
export type Limits = { readonly minutes: number } & {
  readonly [L in Exclude<LimitName, 'minutes'>]?: number;
};

/** The limits by name, which Object.keys would call any texts. */
export const limitNames = Object.keys(limits) as readonly LimitName[];

export const raisableLimits = limitNames.filter(
  (name): name is RaisableLimit => limits[name].raised !== null,
);

export const dailyLimits = limitNames.filter((name): name is DailyLimit => limits[name].perDay);

/** The limits of a run, with those of an agent where they are stricter. */
export function strictest(of: Limits, own: Partial<Limits>): Limits {
  const least = limitNames.flatMap((name) => {
    const most = own[name];
    return most === undefined ? [] : [[name, Math.min(most, of[name] ?? Infinity)] as const];
  });
  return { ...of, ...Object.fromEntries(least) };
}
