import { afterEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/commands.ts';
import { parseSealKeys } from '../../src/seal/keys.ts';

/** What `coxswain key` prints, given a setting. */
const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const setting = `one:${base64(1)},-two:${base64(2)},!three`;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function key(given: string, ...argv: readonly string[]) {
  vi.stubEnv('COXSWAIN_LEDGER_KEY', given);
  const said = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((said.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said.err += String(text))));
  const code = await runCommand(['key', ...argv]);
  const [, printed] = /^COXSWAIN_LEDGER_KEY=(.*)\n$/.exec(said.out) ?? [];
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
  expect(code).toBe(1);
  expect(said.out).toBe('');
});
