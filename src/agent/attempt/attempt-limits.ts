import { type Exhausted, exhaustedText, type Spent } from '../../network/spending/model-budget.ts';
import type { Cost, Failure, Observations } from '../../steering/shapes/attempt-result.ts';
import type { BudgetName } from '../../steering/shapes/limits.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import { redactAll } from '../../text/redact.ts';
import type { Outcome } from '../port/agent-adapter.ts';
import type { AttemptNetwork } from '../port/attempt-network.ts';

/** How long an agent may work. Waiting for people is no work. */
export class WorkingTime {
  readonly #controller = new AbortController();
  #leftMs: number;
  #runsSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #waits = 0;

  /** Timers know no more than 24 days. */
  constructor(ms: number) {
    this.#leftMs = Math.min(ms, 2 ** 31 - 1);
    this.#run();
  }

  /** Aborted when the time is over. */
  get over(): AbortSignal {
    return this.#controller.signal;
  }

  /** It stands still until `wait` settles, and all other waits. */
  async except<T>(wait: Promise<T>): Promise<T> {
    if (this.#waits === 0) this.#pause();
    this.#waits += 1;
    try {
      return await wait;
    } finally {
      this.#waits -= 1;
      if (!this.#isStopped && this.#waits === 0) this.#run();
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#runsSince = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(), Math.max(this.#leftMs, 0));
    this.#timer.unref();
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - (this.#runsSince ?? performance.now());
  }
}

/** What the programs of an attempt met besides their results. Returns no secrets. */
export function observationsOf(
  network: AttemptNetwork,
  settings: Settings,
  secrets: readonly string[],
): Observations {
  const blocked = network.takeBlocked().slice(0, maxBlocked);
  const notices = [...network.notices, ...noticesOn(network.spentAtEnd(), settings)];
  return redactAll(
    { ...(blocked.length > 0 && { blocked }), ...(notices.length > 0 && { notices }) },
    secrets,
  );
}

const maxBlocked = 20;

function noticesOn(spent: Spent | null, { limits }: Settings): readonly string[] {
  if (spent === null) return [];
  const { unpriced, estimated } = spent;
  const bound = limits.cost_usd === undefined ? '' : ', so `limits.cost_usd` does not bound them';
  return [
    ...(unpriced.length === 0
      ? []
      : [`The price of ${unpriced.join(', ')} is not known: only their tokens are counted${bound}.`]),
    ...(estimated ? ['Some of the tokens are estimated: a model did not say how many it used.'] : []),
  ];
}

/** What the models of an attempt cost: as we counted it, or else as the agent says. */
export function costOf(spent: Spent | null, said: Cost): Cost {
  if (spent === null) return said;
  const { tokens, usd } = spent;
  return { ...(tokens > 0 && { tokens }), ...(usd !== undefined && { usd }) };
}

/** The failure of an attempt whose budget was used up. */
export function budgetFailure(exhausted: Exhausted): Failure {
  const unit = exhausted.unit === 'usd' ? 'cost_usd' : 'tokens';
  const budget: BudgetName = exhausted.of === 'run' ? unit : `${unit}_per_day`;
  return { kind: 'budget', message: exhaustedText(exhausted), budget };
}

/** The moment that a provider names may almost have come; sooner than this nobody asks it again. */
const shortestMs = 60_000;

/** An agent's own words may be anything, so nothing is awaited for longer because of them. */
const longestByWordsMs = 24 * 3600_000;

interface Limited {
  /** What the provider said, ISO 8601; null if it said nothing. */
  readonly until: string | null;
  /** When the agent ended, in milliseconds since 1970. */
  readonly now: number;
  readonly settings: Pick<Settings, 'wait_for_rate_limit'>;
}

/**
 * The outcome of an agent, which is stopped until its model answers again if that is why it ended: by what
 * the provider said, or else by what the agent says of it.
 */
export function limitedOutcome(outcome: Outcome, { until: said, now, settings }: Limited): Outcome {
  const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
  if (outcome.kind === 'completed' || (failure && failure.kind !== 'model_unavailable')) return outcome;
  const until = said === null ? untilInWords(failure?.message ?? '', now) : Date.parse(said);
  if (until === undefined || until <= now) return outcome;
  const at = new Date(Math.max(until, now + shortestMs)).toISOString();
  return settings.wait_for_rate_limit === false ? notAwaited(at) : { kind: 'limited', until: at };
}

function notAwaited(until: string): Outcome {
  const message =
    `the model of the agent has hit its usage limit, which resets at ${until}. Say /retry after that, raise the limit of the ` +
    'account, or let runs wait for it: `wait_for_rate_limit: true` in .github/coxswain.yml';
  const failure: Failure = { kind: 'agent_unusable', message };
  return { kind: 'failed', failure };
}

/** `usage limit reached|1767600000`, `try again in 2 days 4 hours`, `resets at 2026-01-05T15:00:00Z`. */
export function untilInWords(words: string, now: number): number | undefined {
  if (!/\blimit|quota|\b429\b/i.test(words)) return undefined;
  const until = stampIn(words) ?? durationIn(words, now) ?? dateIn(words);
  return until === undefined || until <= now ? undefined : Math.min(until, now + longestByWordsMs);
}

function stampIn(words: string): number | undefined {
  const stamp = /\|(?<seconds>\d{10})\b/.exec(words)?.groups?.['seconds'];
  return stamp === undefined ? undefined : Number(stamp) * 1000;
}

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const;

function durationIn(words: string, now: number): number | undefined {
  const told = /\b(?:again|resets?|retry) (?:in|after) (?<rest>[\d\w ,.]{1,80})/i.exec(words)?.groups?.[
    'rest'
  ];
  const parts = [...(told ?? '').matchAll(/(?<count>\d{1,6}(?:\.\d{1,3})?) ?(?<unit>d|h|m|s)[a-z]*/gi)];
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, { groups: { count = '0', unit = 's' } = {} }) => {
    // The pattern allows no other unit.
    return sum + Number(count) * unitMs[unit.toLowerCase() as keyof typeof unitMs];
  }, now);
}

function dateIn(words: string): number | undefined {
  const date = /\b(?:at|until) (?<date>\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/.exec(words)?.groups?.[
    'date'
  ];
  return date === undefined ? undefined : Date.parse(date);
}
