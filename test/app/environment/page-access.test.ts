import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../../src/app/environment/environment.ts';
import { secretsOfAccess } from '../../../src/app/environment/page-access.ts';
import { EnvironmentError } from '../../../src/app/environment/values.ts';
import type { Variables } from '../../../src/app/environment/variables.ts';
import { newSealKey } from '../../../src/seal/seal-keys.ts';
import { ledgerKey } from '../../ledger/identity.ts';
import { appKey } from './app-key.ts';

/** As whom people speak on the page: as themselves, or on one machine as the owner of a token. */
const given = {
  ...{ APP_ID: '1', WEBHOOK_SECRET: 'a secret', PRIVATE_KEY: appKey },
  ...{ COXSWAIN_LEDGER_KEY: ledgerKey },
};
const [first, second] = [newSealKey(), newSealKey()];
const signIn = {
  ...{ GITHUB_CLIENT_ID: 'Iv23liTheClient', GITHUB_CLIENT_SECRET: 'secret of the client' },
  ...{ COXSWAIN_SESSION_KEY: first, COXSWAIN_PAGE_URL: 'https://coxswain.example.org' },
};

const read = (variables: Variables) => readEnvironment({ ...given, ...variables });

function problemsOf(variables: Variables): readonly string[] {
  try {
    read(variables);
    return [];
  } catch (fault) {
    if (fault instanceof EnvironmentError) return fault.problems;
    throw fault;
  }
}

describe('people sign in', () => {
  test('with a client of GitHub and keys for their sessions', () => {
    const { signIn: found, pageToken, unknownVariables } = read(signIn);
    const known = { clientId: 'Iv23liTheClient', clientSecret: 'secret of the client' };
    expect(found).toMatchObject({ ...known, web: 'https://github.com' });
    expect(found?.keys.known).toHaveLength(1);
    expect({ pageToken, unknownVariables }).toEqual({ pageToken: null, unknownVariables: [] });
  });

  test('nowhere unless the operator has set it up', () => {
    expect(read({})).toMatchObject({ signIn: null, pageToken: null });
    expect(read({ COXSWAIN_PAGE_URL: signIn.COXSWAIN_PAGE_URL }).signIn).toBeNull();
  });

  test.each(Object.keys(signIn))('never without %s', (name) => {
    const [problem, ...more] = problemsOf({ ...signIn, [name]: '' });
    expect(more).toEqual([]);
    expect(problem).toMatch(
      new RegExp(`^${name} is not set: \\w+ is, and people sign in .* only with all four settings for it; `),
    );
  });

  test('and whoever has set one thing learns of all that is missing at once', () => {
    const problems = problemsOf({ GITHUB_CLIENT_ID: 'Iv23liTheClient' });
    const named = problems.map((problem) => /^[A-Z_]+/.exec(problem)?.[0]);
    expect(named).toEqual(['GITHUB_CLIENT_SECRET', 'COXSWAIN_SESSION_KEY', 'COXSWAIN_PAGE_URL']);
  });

  test.each([
    [{}, 'https://github.com'],
    [{ GHE_HOST: 'github.example.org:8443' }, 'https://github.example.org:8443'],
    [{ GHE_HOST: 'ghe', GHE_PROTOCOL: 'http' }, 'http://ghe'],
  ])('at the GitHub of %j', (variables, web) => {
    expect(read({ ...signIn, ...variables }).signIn?.web).toBe(web);
  });

  test.each(['http://127.0.0.1:3000', 'http://[::1]:3000', 'http://localhost:3000', 'http://app.localhost'])(
    'over plain HTTP on this machine, at %s',
    (COXSWAIN_PAGE_URL) => {
      expect(read({ ...signIn, HOST: '0.0.0.0', COXSWAIN_PAGE_URL }).pageUrl).toBe(COXSWAIN_PAGE_URL);
    },
  );

  test.each(['http://coxswain.example.org', 'http://10.0.0.7:3000', 'http://localhost.example.org'])(
    'never over plain HTTP at %s',
    (COXSWAIN_PAGE_URL) => {
      expect(problemsOf({ ...signIn, COXSWAIN_PAGE_URL })).toEqual([
        expect.stringMatching(/^COXSWAIN_PAGE_URL is ".*": expected https where people sign in, because/),
      ]);
    },
  );

  test('and a problem that two settings share is told once', () => {
    const wrong = { ...signIn, COXSWAIN_PAGE_URL: 'example.org', GHE_HOST: 'https://ghe' };
    expect(problemsOf(wrong).map((problem) => problem.split(' ')[0])).toEqual([
      'GHE_HOST',
      'COXSWAIN_PAGE_URL',
    ]);
  });
});

describe('the key of sessions', () => {
  const keysOf = (COXSWAIN_SESSION_KEY: string) => read({ ...signIn, COXSWAIN_SESSION_KEY }).signIn?.keys;

  test('may be several, of which the first is used and the others still count', () => {
    const keys = keysOf(`${second},${first},!leaked`);
    expect(second.startsWith(`${keys?.current.id}:`)).toBe(true);
    expect(keys?.known).toHaveLength(2);
    expect(keys?.lost).toEqual(['leaked']);
  });

  test.each([
    ['secret', /^COXSWAIN_SESSION_KEY: entry 1 is not a key: expected `id:base64`/],
    [`COXSWAIN_SESSION_KEY=${first}`, /: the value itself begins with COXSWAIN_SESSION_KEY=: give only what/],
    [`${first},-${second}`, /^COXSWAIN_SESSION_KEY has -k[0-9a-f]{8}: expected a key without the mark/],
  ])('is refused otherwise, and never repeated: %s', (COXSWAIN_SESSION_KEY, message) => {
    const [problem, ...more] = problemsOf({ ...signIn, COXSWAIN_SESSION_KEY });
    expect(more).toEqual([]);
    expect(problem).toMatch(message);
    expect(problem).not.toMatch(/\w{32}/);
  });
});

describe('a token that the page acts with', () => {
  const COXSWAIN_PAGE_TOKEN = 'token-of-ada';

  test.each([
    {},
    ...['127.0.0.1', '127.8.0.1', '::1', 'localhost', 'LOCALHOST'].map((HOST) => ({ HOST })),
    ...['http://localhost:8080', 'http://[::1]:8080'].map((COXSWAIN_PAGE_URL) => ({ COXSWAIN_PAGE_URL })),
  ])('is for one machine, as with %j', (variables) => {
    expect(read({ COXSWAIN_PAGE_TOKEN, ...variables }).pageToken).toBe(COXSWAIN_PAGE_TOKEN);
  });

  const elsewhere = ['0.0.0.0', '::', '10.0.0.7', 'coxswain.example.org', 'localhost.example.org'];
  test.each([
    ...[...elsewhere, '127.example.org'].map((HOST) => ({ HOST })),
    { COXSWAIN_PAGE_URL: 'https://coxswain.example.org' },
    { HOST: '0.0.0.0', COXSWAIN_PAGE_URL: 'http://localhost:8080' },
  ])('is refused where others reach the page, as with %j', (variables: Readonly<Record<string, string>>) => {
    const [problem, ...more] = problemsOf({ COXSWAIN_PAGE_TOKEN, ...variables });
    expect(more).toEqual([]);
    const [name = '', value = ''] = Object.entries(variables)[0] ?? [];
    expect(problem).toContain(`COXSWAIN_PAGE_TOKEN is set, but ${name} is ${value}`);
    expect(problem).toContain('To have people sign in, set GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, ');
    expect(problem).not.toContain(COXSWAIN_PAGE_TOKEN);
  });

  test('is refused beside the sign-in', () => {
    expect(problemsOf({ ...signIn, COXSWAIN_PAGE_TOKEN })).toEqual([
      expect.stringMatching(/^COXSWAIN_PAGE_TOKEN is set, and GITHUB_CLIENT_ID too: expected one of them/),
    ]);
  });
});

test('what the page is given is redacted', () => {
  const COXSWAIN_SESSION_KEY = `${first},${second}`;
  const keys = [first, second].map((key) => key.slice(key.indexOf(':') + 1));
  expect(secretsOfAccess(read({ ...signIn, COXSWAIN_SESSION_KEY }))).toEqual([
    'secret of the client',
    ...keys,
  ]);
  expect(secretsOfAccess(read({ COXSWAIN_PAGE_TOKEN: 'token-of-ada' }))).toEqual(['token-of-ada']);
  expect(secretsOfAccess(read({}))).toEqual([]);
});
