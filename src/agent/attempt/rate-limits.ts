import type { Failure } from '../../steering/shapes/attempt-result.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { Outcome } from '../port/agent.ts';

/** What becomes of an agent whose model has no more for now. */

const shortestMs = 60_000;

/** An agent's own words may be anything. */
const longestByWordsMs = 24 * 3600_000;

interface Limited {
  /** What the provider said, ISO 8601; null if it said nothing. */
  readonly until: string | null;
  /** Milliseconds since 1970. */
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
