import { describe, expect, test } from 'vitest';
import { limitedOutcome, untilInWords } from '../../src/agent/attempt/attempt-limits.ts';
import type { Outcome } from '../../src/agent/port/agent-adapter.ts';

const now = Date.parse('2026-01-05T10:00:00Z');
const cancelled: Outcome = { kind: 'cancelled' };

function unavailable(message: string): Outcome {
  return { kind: 'failed', failure: { kind: 'model_unavailable', message } };
}

describe('what an agent says of its limit', () => {
  test.each([
    ['Claude AI usage limit reached|1767625200', '2026-01-05T15:00:00.000Z'],
    ["You've hit your usage limit. Try again in 3 hours 5 minutes.", '2026-01-05T13:05:00.000Z'],
    ['429: rate limit, retry after 90s', '2026-01-05T10:01:30.000Z'],
    ['The quota resets; it answers again at 2026-01-05T12:00:00Z', '2026-01-05T12:00:00.000Z'],
    ['Usage limit: try again in 9 days', '2026-01-06T10:00:00.000Z'],
    ['You ran out of luck, try again in 3 hours', undefined],
    ['Rate limit reached', undefined],
  ])('%s', (words, expected) => {
    const until = untilInWords(words, now);
    expect(until === undefined ? undefined : new Date(until).toISOString()).toBe(expected);
  });
});

describe('an agent whose model has no more for now', () => {
  test('waits until the provider answers again, and at least a minute', () => {
    const at = (until: string) => limitedOutcome(cancelled, { until, now, settings: {} });
    expect(at('2026-01-05T12:00:00Z')).toEqual({ kind: 'limited', until: '2026-01-05T12:00:00.000Z' });
    expect(at('2026-01-05T10:00:10Z')).toEqual({ kind: 'limited', until: '2026-01-05T10:01:00.000Z' });
  });

  test('waits by its own words where the provider says nothing', () => {
    const outcome = unavailable('usage limit reached, try again in 2 hours');
    expect(limitedOutcome(outcome, { until: null, now, settings: {} })).toEqual({
      kind: 'limited',
      until: '2026-01-05T12:00:00.000Z',
    });
  });

  test('fails at once, with the time and what to do, where the configuration does not wait', () => {
    const limited = { until: '2026-01-05T12:00:00Z', now, settings: { wait_for_rate_limit: false } } as const;
    const outcome = limitedOutcome(cancelled, limited);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'agent_unusable' } });
    expect(JSON.stringify(outcome)).toContain('resets at 2026-01-05T12:00:00.000Z. Say /retry after that');
  });

  test.each<[string, Outcome]>([
    ['it finished', { kind: 'completed', report: { summary: '', status: 'done', tool_calls: [] } }],
    ['something else failed', { kind: 'failed', failure: { kind: 'exit', message: 'exit code 1' } }],
  ])('is nobody’s concern once %s', (_, outcome) => {
    expect(limitedOutcome(outcome, { until: '2026-01-05T12:00:00Z', now, settings: {} })).toBe(outcome);
  });

  test('goes on as it ended when the time has passed', () => {
    const outcome = unavailable('it does not answer');
    expect(limitedOutcome(outcome, { until: '2026-01-05T09:59:00Z', now, settings: {} })).toBe(outcome);
  });
});
