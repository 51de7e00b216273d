import { describe, expect, test } from 'vitest';
import type { Fault } from '../network/scripted-model.ts';
import { drive, expectNoKeys, failureOf } from './driving.ts';
import { type Real, reals } from './real.ts';

/** Whatever the client, it is not asked to try again. */
const refused = (status: number, type: string, message: string): Fault => ({
  status,
  headers: { 'x-should-retry': 'false' },
  body: JSON.stringify({ type: 'error', error: { type, message, code: status, status: type.toUpperCase() } }),
});

/** In each provider's own words. */
const aboutKey: Readonly<Record<Real['provider'], string>> = {
  'api.anthropic.com': 'invalid x-api-key',
  'api.openai.com': 'Incorrect API key provided: coxswain. You can find your API key at the dashboard.',
  'generativelanguage.googleapis.com': 'API key not valid. Please pass a valid API key.',
};

describe.each(reals)('$choice.use', (real) => {
  test('names a key that its model refuses', async () => {
    const fault = () => refused(401, 'authentication_error', aboutKey[real.provider]);
    const driven = await drive(real, { fault });
    const failure = failureOf(await driven.done);
    expect(failure.kind).toBe('model_key');
    expect(driven.status()).toBe('');
    expectNoKeys(driven);
  });

  test.each([
    ['is asked too often', () => refused(429, 'rate_limit_error', 'too many requests')],
    ['has an error', () => refused(500, 'api_error', 'something broke')],
    ['breaks off in the middle of every answer', () => 'half' as const],
  ])('names a model that %s', async (_, fault) => {
    const driven = await drive(real, { fault, timeoutMs: 60_000 });
    const failure = failureOf(await driven.done);
    expect(['model_unavailable', 'timeout']).toContain(failure.kind);
    expect(driven.status()).toBe('');
  });

  test('goes on after a model that broke off once', async () => {
    const script = [...real.edit, { text: 'All done.' }];
    const fault = (_: unknown, count: number) => (count === 2 ? ('reset' as const) : undefined);
    const driven = await drive(real, { script, fault });
    expect(await driven.done).toMatchObject({ kind: 'completed' });
    expect(driven.read('hello.txt')).toBe('bye\n');
  });

  test('is ended at its time limit when the model never answers', async () => {
    const driven = await drive(real, { fault: () => 'slow', timeoutMs: 10_000 });
    expect(failureOf(await driven.done).kind).toBe('timeout');
  });
});
