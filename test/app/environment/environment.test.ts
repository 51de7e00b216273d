import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operatorOf, withDefaults } from '../../../src/app/environment/app-settings.ts';
import { readEnvironment } from '../../../src/app/environment/environment.ts';
import { noOperatorFile } from '../../../src/config/operator/operator-schema.ts';
import { ledgerKey } from '../../ledger/identity.ts';
import { appKey as pem } from './app-key.ts';

const given = { APP_ID: '1', WEBHOOK_SECRET: 'a secret', COXSWAIN_LEDGER_KEY: ledgerKey };

test.each([
  ['is not set', '', /COXSWAIN_LEDGER_KEY is not set: run `coxswain key` to make one.*`coxswain seal`/],
  ['is no key', 'secret', /COXSWAIN_LEDGER_KEY: entry 1 is not a key: expected `id:base64`/],
])('the App does not start if its ledger key %s', (_, COXSWAIN_LEDGER_KEY, message) => {
  expect(() => readEnvironment({ ...given, PRIVATE_KEY: pem, COXSWAIN_LEDGER_KEY })).toThrow(message);
});

describe('where people open the page', () => {
  const pageUrl = (COXSWAIN_PAGE_URL: string) =>
    readEnvironment({ ...given, PRIVATE_KEY: pem, COXSWAIN_PAGE_URL }).pageUrl;

  test('is an address without a path, if it is known', () => {
    expect(pageUrl('')).toBeNull();
    expect(pageUrl('https://coxswain.example.org/')).toBe('https://coxswain.example.org');
  });

  test.each([
    'coxswain.example.org',
    'https://example.org/coxswain',
    'ftp://example.org',
    'https://a:b@example.org',
  ])('is not %s', (url) => {
    expect(() => pageUrl(url)).toThrow(
      /COXSWAIN_PAGE_URL is ".*": expected an http or https address without a path/,
    );
  });
});

describe('what programs may read', () => {
  const read = (variables: Readonly<Record<string, string>>) =>
    readEnvironment({ ...given, PRIVATE_KEY: pem, ...variables });

  test('is what the operator names', () => {
    const folder = temporaryFolder();
    const { readable } = read({ COXSWAIN_SANDBOX_READABLE: `/usr, ${folder}` });
    expect(readable).toEqual(['/usr', folder]);
  });

  test.each([
    ['a relative path', 'tools', /has "tools", which is not an absolute path: expected .*\/opt\/go/],
    ['what does not exist', '/no/such', /has "\/no\/such", which does not exist/],
    ['everything', '/', /has "\/", which shows .*, and agents must not read that/],
    ['our data', resolve('.'), /which shows .*\.coxswain, and agents must not read that/],
  ])('is not %s', (_, path, message) => {
    expect(() => read({ COXSWAIN_SANDBOX_READABLE: path })).toThrow(message);
  });

  test('is nothing in our data folder', () => {
    const data = temporaryFolder();
    mkdirSync(join(data, 'mirrors'));
    const variables = { COXSWAIN_DATA: data, COXSWAIN_SANDBOX_READABLE: join(data, 'mirrors') };
    expect(() => read(variables)).toThrow(/which is in .*, and agents must not read that/);
  });

  test('is not a folder with a key, also under another name', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'app.pem'), pem);
    const other = join(temporaryFolder(), 'tools');
    symlinkSync(folder, other);
    const variables = { PRIVATE_KEY: '', PRIVATE_KEY_PATH: join(folder, 'app.pem') };
    expect(() => read({ ...variables, COXSWAIN_SANDBOX_READABLE: other })).toThrow(/shows .*app\.pem/);
  });
});

test.each([
  ['nobody-here', /COXSWAIN_SANDBOX_USER is "nobody-here": there is no user nobody-here here/],
  ['root', /programs of agents may not run as root/],
  ['0', /programs of agents may not run as root/],
  ['-1', /there is no user -1 here/],
  ['0x10', /there is no user 0x10 here/],
  ['4294967295', /there is no user 4294967295 here/],
])('programs cannot run as %s', (COXSWAIN_SANDBOX_USER, message) => {
  expect(() => readEnvironment({ ...given, PRIVATE_KEY: pem, COXSWAIN_SANDBOX_USER })).toThrow(message);
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('rendering and write limits', () => {
  const read = (variables: Readonly<Record<string, string>>) =>
    readEnvironment({ ...given, PRIVATE_KEY: pem, ...variables });

  test('follow the recommendations of GitHub by default', () => {
    const writeLimits = { burst: 20, perMinute: 80, perHour: 500 };
    expect(read({})).toMatchObject({ writeLimits, renderAfterMs: 3000 });
  });

  test.each([
    ['0', 0],
    ['1s', 1000],
    ['1m', 60_000],
  ])('a render delay of %s is accepted', (text, renderAfterMs) => {
    expect(read({ COXSWAIN_RENDER_AFTER: text })).toMatchObject({ renderAfterMs });
  });

  test('can be switched off where GitHub has no limits', () => {
    const { writeLimits } = read({ COXSWAIN_WRITE_LIMITS: 'off' });
    expect(writeLimits.burst).toBeGreaterThan(100_000);
  });

  test.each([
    ['COXSWAIN_RENDER_AFTER', 'soon', /"soon": expected 0 or a duration of at most 1m, such as 3s/],
    ['COXSWAIN_RENDER_AFTER', '2m', /"2m": expected 0 or a duration of at most 1m, such as 3s/],
    ['COXSWAIN_WRITE_LIMITS', '100', /"100": expected github or off/],
  ])('%s cannot be %s', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
  });
});

describe("the operator's file", () => {
  function fileWith(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-operator-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'operator.yml');
    writeFileSync(path, text);
    return path;
  }

  const read = (text: string, variables: Readonly<Record<string, string>> = {}) =>
    readEnvironment({ ...given, PRIVATE_KEY: pem, COXSWAIN_OPERATOR_FILE: fileWith(text), ...variables });

  test('bounds what repositories may ask for', () => {
    const settings = read("version: 1\nrepositories: ['acme/*']\nlimits: { tokens: 5 }");
    expect(operatorOf(settings).bounds).toMatchObject({
      repositories: ['acme/*'],
      limits: { tokens: 5 },
      sandbox: 'required',
      registries: [],
    });
  });

  test('without it, neither the network of the machine nor a token may be asked for', () => {
    const { bounds } = operatorOf(readEnvironment({ ...given, PRIVATE_KEY: pem }));
    expect(bounds?.network?.verifiers).not.toContain('host');
    expect(bounds?.registries).toEqual([]);
  });

  test('keeps the App from starting with all its problems, each with its line', () => {
    expect(() => read('version: 1\nagents: [codecs]\nsandbox: maybe')).toThrow(
      /operator\.yml, which has 2 problems:\n {2}agents\[0\] \(line 2\): .*[\s\S]*\n {2}sandbox \(line 3\): /,
    );
    expect(() => readEnvironment({ ...given, PRIVATE_KEY: pem, COXSWAIN_OPERATOR_FILE: '/nowhere' })).toThrow(
      /COXSWAIN_OPERATOR_FILE is \/nowhere, which could not be read/,
    );
  });

  test.each([
    ['preferred', undefined, 'required'],
    ['preferred', '', 'required'],
    ['off', 'preferred', 'preferred'],
    ['required', 'off', 'required'],
  ])('of its sandbox %s and the variable %s the stricter one counts', (bound, variable, sandbox) => {
    const variables = variable === undefined ? {} : { COXSWAIN_SANDBOX: variable };
    const settings = read(`version: 1\nsandbox: '${bound}'`, variables);
    expect(settings.sandbox).toBe(sandbox);
    expect(operatorOf(settings).bounds?.sandbox).toBe(sandbox);
  });
});

test("in another host, too, the operator's file counts where it is stricter than the setting", () => {
  const bounds = { ...noOperatorFile.bounds, sandbox: 'required' } as const;
  const operatorFile = { ...noOperatorFile, bounds };
  const own = { appId: 1, privateKey: '', ledgerKey: '' };
  expect(withDefaults({ ...own, operatorFile, sandbox: 'preferred' }).sandbox).toBe('required');
});

test.each([
  ['WEBHOOK_SECRET', 'a secret', /names WEBHOOK_SECRET: expected a variable for agents alone/],
  ['COXSWAIN_LEDGER_KEY', ledgerKey, /expected a variable for agents alone/],
  // A gateway's key has no format.
  ['OPENAI_API_KEY', 'letmein', /names OPENAI_API_KEY: expected no key of a model/],
  ['MODEL_KEY', `sk-ant-${'a1'.repeat(20)}`, /expected no value in the format of a secret, which an agent/],
])('agents do not get %s', (name, value, message) => {
  const variables = { ...given, PRIVATE_KEY: pem, [name]: value, COXSWAIN_AGENT_ENV: `LANGUAGE,${name}` };
  expect(() => readEnvironment({ ...variables, LANGUAGE: 'en' })).toThrow(message);
});
