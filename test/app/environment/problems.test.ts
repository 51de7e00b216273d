import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../../../src/app/environment/environment.ts';
import { EnvironmentError } from '../../../src/app/environment/values.ts';
import { settings } from '../../../src/app/environment/variables.ts';
import { ledgerKey } from '../../ledger/identity.ts';
import { appKey } from './app-key.ts';

/** Whoever starts the App learns everything that is wrong with its environment at once. */
const given = {
  ...{ APP_ID: '1', WEBHOOK_SECRET: 'a secret', PRIVATE_KEY: appKey },
  ...{ COXSWAIN_LEDGER_KEY: ledgerKey },
};

function problemsOf(variables: Readonly<Record<string, string>>): readonly string[] {
  try {
    readEnvironment({ ...given, ...variables });
    return [];
  } catch (fault) {
    if (fault instanceof EnvironmentError) return fault.problems;
    throw fault;
  }
}

test('all problems are named at once, each with what was expected', () => {
  const wrong = {
    ...{ APP_ID: 'one', WEBHOOK_SECRET: '', PORT: '99999', LOG_LEVEL: 'loud', HOST: 'http://here' },
    ...{ COXSWAIN_CONCURRENCY: '0', COXSWAIN_ENGINE: 'cloud', COXSWAIN_OPERATOR_FILE: '/nowhere' },
    ...{ COXSWAIN_AGENT_ENV: 'NOT_THERE,APP_ID', COXSWAIN_SANDBOX: 'maybe' },
  };
  const problems = problemsOf(wrong);
  expect(problems.map((problem) => /^[A-Z_]+/.exec(problem)?.[0]).toSorted()).toEqual(
    [...Object.keys(wrong), 'COXSWAIN_AGENT_ENV'].toSorted(),
  );
  for (const problem of problems) expect(problem).toMatch(/expected|is not set|could not be read/);
});

test('one problem is told alone, several as a list', () => {
  expect(() => readEnvironment({ ...given, PORT: 'x' })).toThrow(
    /^PORT is "x": expected a port from 0 to 65535/,
  );
  expect(() => readEnvironment({ ...given, PORT: 'x', LOG_LEVEL: 'x' })).toThrow(
    /^2 settings are wrong:\n- PORT .*\n- LOG_LEVEL /,
  );
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3000 '],
  ['PORT', '1e3'],
  ['LOG_LEVEL', 'INFO'],
  ['HOST', 'a b'],
  ['GHE_HOST', 'https://github.example.org'],
  ['GHE_HOST', 'github.example.org/api'],
  ['GHE_HOST', 'one:2:3'],
  ['WEBHOOK_PROXY_URL', 'smee.io/abc'],
  ['WEBHOOK_PROXY_URL', 'file:///etc/passwd'],
  ['APP_ID', '12345678901234567890'],
  ['APP_ID', '0'],
  ['COXSWAIN_CONCURRENCY', 'many'],
  ['COXSWAIN_SWEEP_EVERY', '25h'],
])('%s cannot be %j', (name, value) => {
  expect(problemsOf({ [name]: value })).toEqual([
    expect.stringMatching(new RegExp(`^${name} is .*: expected `)),
  ]);
});

test('what is empty is not set', () => {
  const names = settings.flatMap(({ names }) => names);
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  expect(readEnvironment({ ...empty, ...given })).toEqual(readEnvironment(given));
});

test.each([
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '' }, { port: 3000 }],
  [{ LOG_LEVEL: '' }, { logLevel: 'info' }],
  [{ HOST: '' }, { host: '127.0.0.1' }],
  [{ HOST: '::1' }, { host: '::1' }],
  [{ GHE_HOST: 'github.example.org:8443' }, { apiUrl: 'https://github.example.org:8443/api/v3' }],
  [{ GHE_HOST: 'ghe', GHE_PROTOCOL: 'http' }, { apiUrl: 'http://ghe/api/v3' }],
  [{ WEBHOOK_PROXY_URL: 'https://smee.io/abc' }, { webhookProxyUrl: 'https://smee.io/abc' }],
])('%j is understood', (variables, expected) => {
  expect(readEnvironment({ ...given, ...variables })).toMatchObject(expected);
});

describe('a private key', () => {
  test('may be base64, or have its line breaks escaped', () => {
    for (const PRIVATE_KEY of [Buffer.from(appKey).toString('base64'), appKey.replaceAll('\n', '\\n')])
      expect(readEnvironment({ ...given, PRIVATE_KEY }).privateKey).toBe(appKey);
  });

  const other = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

  test.each([
    ['no key', 'hello', /is not a private key: expected PEM/],
    ['a half of one', appKey.slice(0, 400), /cannot be read as an RSA key: expected the whole file/],
    ['a key of another kind', other, /cannot be read as an RSA key/],
  ])('is not %s, and is never repeated', (_, PRIVATE_KEY, message) => {
    const [problem, ...more] = problemsOf({ PRIVATE_KEY });
    expect(problem).toMatch(message);
    expect(more).toEqual([]);
    expect(problem).not.toContain(PRIVATE_KEY.slice(40, 60) || PRIVATE_KEY);
  });

  test('is a file that can be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-app-key-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'app.pem');
    writeFileSync(file, appKey);
    const read = (path: string) => problemsOf({ PRIVATE_KEY: '', PRIVATE_KEY_PATH: path });
    expect(read(file)).toEqual([]);
    expect(read(folder)).toEqual([expect.stringContaining('which is a folder: expected the file')]);
    expect(read(join(folder, 'other.pem'))).toEqual([expect.stringContaining('there is no such file')]);
    chmodSync(file, 0o000);
    const isRoot = process.getuid?.() === 0; // root may read it all the same
    expect(read(file)).toEqual(isRoot ? [] : [expect.stringContaining('which this user may not read')]);
  });
});

describe('a variable that looks like ours', () => {
  test('is a problem if it was probably misspelt', () => {
    expect(problemsOf({ COXSWAIN_SANBOX: 'off', COXSWAIN_SWEEP_EVRY: '1m' })).toEqual([
      'COXSWAIN_SANBOX is no setting of Coxswain: did you mean COXSWAIN_SANDBOX?',
      'COXSWAIN_SWEEP_EVRY is no setting of Coxswain: did you mean COXSWAIN_SWEEP_EVERY?',
    ]);
  });

  test('is told otherwise: Kubernetes sets some where a service is called coxswain', () => {
    const variables = { COXSWAIN_SERVICE_HOST: '10.0.0.1', COXSWAIN_PORT_3000_TCP: 'tcp://10.0.0.1:3000' };
    const ofTerminal = { COXSWAIN_SERVER: 'https://coxswain.example.org', COXSWAIN_APP: 'coxswain' };
    expect(readEnvironment({ ...given, ...variables, ...ofTerminal }).unknownVariables).toEqual(
      Object.keys(variables),
    );
  });

  test('is known if another setting names it', () => {
    const variables = { COXSWAIN_AGENT_ENV: 'COXSWAINS_LANGUAGE', COXSWAINS_LANGUAGE: 'en' };
    const key = {
      COXSWAIN_OUR_KEY: 'sk-our-gateway',
      COXSWAIN_MODEL_HOSTS: 'models.example.org=COXSWAIN_OUR_KEY',
    };
    expect(readEnvironment({ ...given, ...variables, ...key }).unknownVariables).toEqual([]);
  });
});

test('a gateway for models without the key of a model is no setting that is ignored', () => {
  const url = { COXSWAIN_MODEL_URL: 'https://models.example.org' };
  expect(problemsOf(url)).toEqual([expect.stringMatching(/COXSWAIN_MODEL_URL is set, but no key for it/)]);
  expect(problemsOf({ ...url, ANTHROPIC_API_KEY: 'sk-ant-anything-long-enough' })).toEqual([]);
});

test('the reference of the environment names every variable', async () => {
  await expect(environmentReference()).toMatchFileSnapshot('../../../docs/environment.md');
});

/** Generates `docs/environment.md` from the settings, so that the two cannot differ. */
function environmentReference(): string {
  const rows = settings.map(({ names, about }) => {
    return `| ${names.map((name) => `\`${name}\``).join(', ')} | ${about.replaceAll('|', '\\|')} |\n`;
  });
  return `# The environment of the App

<!-- Written from src/app/environment/variables.ts by \`npx vitest run test/app/environment -u\`. -->

\`coxswain serve\`, \`coxswain doctor\` and \`coxswain seal\` read these variables, also from \`.env\` in the folder where they are started.
An empty variable counts as one that is not set.
All problems are told at once, and a misspelt \`COXSWAIN_…\` is one of them.
The Action has inputs instead ([docs/action.md](action.md)).

| variable | what for |
|---|---|
${rows.join('')}`;
}
