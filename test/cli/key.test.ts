import { afterEach, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';
import { parseSealKeys } from '../../src/seal/seal-keys.ts';
import { heard } from './heard.ts';

/** What `coxswain key` prints, given a setting. */
const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const setting = `one:${base64(1)},-two:${base64(2)},!three`;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const key = (given: string, ...argv: readonly string[]) => keyOf('COXSWAIN_LEDGER_KEY', given, argv);

async function keyOf(name: string, given: string, argv: readonly string[]) {
  vi.stubEnv(name, given);
  const said = heard();
  const code = await runCommand(['key', ...argv]);
  const printed = said.out.startsWith(`${name}=`) ? said.out.slice(name.length + 1).trimEnd() : undefined;
  return { code, said, keys: printed === undefined ? undefined : parseSealKeys(printed) };
}

test.each(['one', 'two'])(
  'the lost key %s is replaced by a new one, and the others are kept',
  async (lost) => {
    const { code, keys } = await key(setting, '--lost', lost);
    expect(code).toBe(0);
    expect(keys?.current.id).toMatch(/^k[0-9a-f]{8}$/);
    expect(keys?.lost.toSorted()).toEqual([lost, 'three'].toSorted());
    expect(keys?.known.map(({ id }) => id)).not.toContain(lost);
    expect(keys?.known).toHaveLength(2);
  },
);

test('a key that the setting does not have cannot be lost by mistake', async () => {
  const { code, said } = await key(setting, '--lost', 'on');
  expect(code).toBe(1);
  expect(said.out).toBe('');
  expect(said.err).toMatch(/the setting has no key "on", only one, two, three\. If .* use --gone/);
});

test('one that is gone from the setting is named with --gone, even if no key is left', async () => {
  const { keys } = await key(setting, '--lost', 'four', '--gone');
  expect(keys?.known).toHaveLength(3);
  expect(keys?.lost).toEqual(['three', 'four']);
  expect((await key('', '--lost', 'four', '--gone')).keys).toMatchObject({ lost: ['four'] });
});

test('a name that no key can have is refused', async () => {
  const { code, said } = await key(setting, '--lost', 'a,b', '--gone');
  expect(code).toBe(2);
  expect(said.out).toBe('');
});

test.each([
  ['--add with --lost', ['--add', '--lost', 'two'], /--add and --lost cannot be used together/],
  ['--add with --gone', ['--add', '--gone'], /--gone is only for --lost <id>/],
  ['--gone alone', ['--gone'], /--gone is only for --lost <id>/],
  ['a whole key', ['--lost', `one:${base64(1)}`], /--lost takes only the id of a key, here: --lost one$/m],
  ['the mark of a key', ['--lost', '!three'], /--lost takes only the id of a key, here: --lost three$/m],
  ['a whole key that is gone', ['--lost', `x:${base64(5)}`, '--gone'], /here: --lost x$/m],
  ['a key without its id', ['--lost', base64(1), '--gone'], /--lost takes only the id of a key$/m],
])('%s is refused, and repeats no key', async (_, argv, message) => {
  const { code, said } = await key(setting, ...argv);
  expect(code).toBe(2);
  expect(said.out).toBe('');
  expect(said.err).toMatch(message);
  expect(said.err).not.toMatch(/\w{32}/);
});

test('a key beside those that are set is printed with a hint at how to keep them', async () => {
  const { code, said, keys } = await key(setting);
  expect(code).toBe(0);
  expect(keys?.known).toHaveLength(1);
  expect(said.err).toMatch(/without the keys that are set now.*`coxswain key --add`/s);
  expect((await key('')).said.err).toBe('');
});

test('what is unset has no key to keep', async () => {
  const { code, said } = await key('', '--add');
  expect(code).not.toBe(0);
  expect(said.err).toMatch(
    /COXSWAIN_LEDGER_KEY is not set: without --add and --lost, this command prints a first one/,
  );
});

describe('the key of sessions', () => {
  const session = (given: string, ...argv: readonly string[]) =>
    keyOf('COXSWAIN_SESSION_KEY', given, ['--session', ...argv]);

  test('is a setting of its own', async () => {
    vi.stubEnv('COXSWAIN_LEDGER_KEY', setting);
    const { code, said, keys } = await session('');
    expect(code).toBe(0);
    expect(keys?.known.map(({ id }) => id)).toEqual([expect.stringMatching(/^k[0-9a-f]{8}$/)]);
    expect(said.err).toBe('');
  });

  test('is added to those that are set, and its hint says so', async () => {
    const { keys } = await session(`one:${base64(1)}`, '--add');
    expect(keys?.current.id).toBe('one');
    expect(keys?.known).toHaveLength(2);
    const { said } = await session(`one:${base64(1)}`);
    expect(said.err).toMatch(
      /Whoever is signed in has to sign in again:\n`coxswain key --session --add` prints/,
    );
  });

  test('that is lost is replaced, and only its id is kept', async () => {
    const { keys } = await session(`one:${base64(1)},two:${base64(2)}`, '--lost', 'one');
    expect(keys?.lost).toEqual(['one']);
    expect(keys?.known.map(({ id }) => id)).toEqual([keys?.current.id, 'two']);
  });

  test('that cannot be read is named by its own setting', async () => {
    const { code, said } = await session('secret', '--add');
    expect(code).toBe(1);
    expect(said.err).toMatch(/COXSWAIN_SESSION_KEY: entry 1 is not a key/);
  });
});
