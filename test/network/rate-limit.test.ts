import { describe, expect, test } from 'vitest';
import { limitedUntil } from '../../src/network/model/refusal.ts';

const now = Date.parse('2026-01-05T10:00:00Z');

function until(headers: Record<string, string>, statusCode = 429, body = ''): string | undefined {
  const found = limitedUntil({ statusCode, headers, body }, now);
  return found === undefined ? undefined : new Date(found).toISOString();
}

describe('when a model answers again', () => {
  test.each([
    ['seconds', { 'retry-after': '3600' }, '2026-01-05T11:00:00.000Z'],
    ['a date', { 'retry-after': 'Mon, 05 Jan 2026 12:30:00 GMT' }, '2026-01-05T12:30:00.000Z'],
    [
      'seconds since 1970',
      { 'anthropic-ratelimit-unified-reset': String(now / 1000 + 18_000) },
      '2026-01-05T15:00:00.000Z',
    ],
    [
      'the last of the limits that are used up',
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-05T10:02:00Z',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-01-05T10:05:00Z',
      },
      '2026-01-05T10:05:00.000Z',
    ],
    [
      'a duration, of the limit that is used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-remaining-tokens': '1000',
        'x-ratelimit-reset-tokens': '2h30m',
      },
      '2026-01-05T10:06:00.000Z',
    ],
  ])('is read from %s', (_, headers, expected) => {
    expect(until(headers)).toBe(expected);
  });

  test.each([
    ['the provider does not say', {}, 429],
    ['what it says is no time', { 'retry-after': 'soon' }, 429],
    ['it has passed', { 'retry-after': 'Mon, 05 Jan 2026 09:00:00 GMT' }, 429],
    ['the request was answered', { 'retry-after': '3600' }, 200],
    ['something else is wrong', { 'retry-after': '3600' }, 400],
  ])('is nobody’s concern where %s', (_, headers, status) => {
    expect(until(headers, status)).toBeUndefined();
  });

  test.each([500, 502, 503, 529])('is also said by a provider that answers with %i', (status) => {
    expect(until({ 'retry-after': '120' }, status)).toBe('2026-01-05T10:02:00.000Z');
  });

  test('is read from the details of an error of Google’s', () => {
    const details = (retryDelay: string) => [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaValue: '10' }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ];
    const body = (delay: string) =>
      JSON.stringify({ error: { code: 429, message: 'Quota', details: details(delay) } }, null, 2);
    expect(until({}, 429, body('17s'))).toBe('2026-01-05T10:00:17.000Z');
    expect(until({}, 429, body('34.5s'))).toBe('2026-01-05T10:00:34.500Z');
    expect(until({}, 429, body('soon'))).toBeUndefined();
  });
});
